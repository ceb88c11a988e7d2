"""The OpenAI face, by OpenAI's own client against a server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import (
    Response,
    ResponseInputParam,
    ResponseOutputMessage,
    ResponseOutputText,
)
from openai.types.responses.response_output_text import AnnotationFileCitation

from flow.http_world import OUTCOMES, running, workspace
from weft.api.routes.openai.responses import FileCitation, marks_of
from weft.api.shapes.answers import AnswerShape, CitationShape, SentenceShape

QUESTION = "Who founded Apollo?"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace(tmp_path_factory.mktemp("openai"))


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[openai.OpenAI]:
    with running(home) as address:
        key = (home / "token").read_text()
        with openai.OpenAI(base_url=f"{address}/v1", api_key=key, max_retries=0) as opened:
            yield opened


@pytest.fixture(scope="module")
def embedding(tmp_path_factory: pytest.TempPathFactory, network: Path) -> Iterator[openai.OpenAI]:
    """A client of a service that has the local embedder."""
    folder = tmp_path_factory.mktemp("embedding")
    (folder / "cache").symlink_to(network)
    home = workspace(folder, settings="embedder: local\n")
    with running(home) as address:
        key = (home / "token").read_text()
        with openai.OpenAI(base_url=f"{address}/v1", api_key=key, max_retries=0) as opened:
            yield opened


def test_a_question_that_is_too_long_is_refused_by_limit_and_length(client: openai.OpenAI) -> None:
    asked: list[ChatCompletionMessageParam] = [{"role": "user", "content": "a" * 2001}]
    with pytest.raises(openai.UnprocessableEntityError, match=r"at most 2,000 .*2,001"):
        client.chat.completions.create(model="weft", messages=asked)


def test_agents_are_models(client: openai.OpenAI) -> None:
    names = [model.id for model in client.models.list()]
    assert names[0] == "weft"
    assert "debate" in names
    assert [name.startswith("weft:") for name in names].count(True) == 1


def test_a_flow_is_a_model(client: openai.OpenAI) -> None:
    asked: list[ChatCompletionMessageParam] = [{"role": "user", "content": QUESTION}]
    reply = client.chat.completions.create(model="debate", messages=asked)
    assert "Li Wei" in (reply.choices[0].message.content or "")
    extra = (reply.model_extra or {})["weft"]
    assert extra["payload"]["debate_state"] == "ready"


def test_a_completion_carries_marks_and_citations(client: openai.OpenAI) -> None:
    reply = client.chat.completions.create(
        model="weft", messages=[{"role": "user", "content": QUESTION}], temperature=0.2
    )
    content = reply.choices[0].message.content or ""
    assert "Li Wei" in content
    assert "[1]" in content
    assert reply.choices[0].finish_reason == "stop"
    assert reply.usage is not None
    assert reply.usage.total_tokens > 0
    assert reply.model_extra is not None
    assert reply.model_extra["weft"]["citations"][0]["snippet"]


def test_a_streamed_completion_is_the_same(client: openai.OpenAI) -> None:
    stream = client.chat.completions.create(
        model="weft",
        messages=[
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
        ],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    said = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    whole = client.chat.completions.create(
        model="weft", messages=[{"role": "user", "content": QUESTION}]
    )
    assert said == whole.choices[0].message.content
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage == whole.usage


@pytest.mark.parametrize(("outcome", "question"), OUTCOMES.items())
def test_any_client_shows_what_came_of_a_question(
    client: openai.OpenAI, outcome: str, question: str
) -> None:
    ask = client.chat.completions.create
    whole = ask(model="weft", messages=[{"role": "user", "content": question}])
    chunks = list(ask(model="weft", messages=[{"role": "user", "content": question}], stream=True))
    said = (whole.choices[0].message.content or "").splitlines()
    streamed = "".join(c.choices[0].delta.content or "" for c in chunks)
    assert streamed.splitlines() == said
    told = (whole.model_extra or {})["weft"]
    last = (chunks[-1].model_extra or {})["weft"]
    assert told["outcome"] == last["outcome"] == outcome
    assert last["nearest"] == told["nearest"]
    if outcome == "nearest":
        assert said[0].startswith("I cannot answer this")
        assert said[1] == "The nearest that was found, which is not an answer:"
        assert len(said[2:]) == len(told["nearest"])
        assert all(line.startswith("- ") and line.endswith("]") for line in said[2:])
        # A link in a document is no link in the reader of Markdown that shows this.
        assert not any("](" in line for line in said)
    elif outcome == "nothing":
        assert said == [told["answer"]]


def test_errors_have_openais_shape(client: openai.OpenAI) -> None:
    ask = client.chat.completions.create
    message = {"role": "user", "content": QUESTION}
    with pytest.raises(openai.NotFoundError) as unknown:
        ask(model="gpt-x", messages=[message])  # type: ignore[list-item]  # a plain dict
    assert unknown.value.code == "not_found"
    with pytest.raises(openai.UnprocessableEntityError) as empty:
        ask(model="weft", messages=[{"role": "system", "content": "x"}])
    assert "user message" in str(empty.value)
    stranger = client.with_options(api_key="wrong")
    with pytest.raises(openai.AuthenticationError):
        stranger.models.list()


def test_a_response_says_what_each_mark_cites(client: openai.OpenAI) -> None:
    reply = client.responses.create(model="weft", input=QUESTION, temperature=0.2)
    assert reply.status == "completed"
    assert reply.error is None
    assert "Li Wei" in reply.output_text
    [message] = reply.output
    assert isinstance(message, ResponseOutputMessage)
    [text] = message.content
    assert isinstance(text, ResponseOutputText)
    told = (reply.model_extra or {})["weft"]
    assert [mark.type for mark in text.annotations] == ["file_citation"] * len(told["citations"])
    for mark, cited in zip(text.annotations, told["citations"], strict=True):
        assert isinstance(mark, AnnotationFileCitation)
        assert text.text[mark.index :].startswith(f"[{cited['n']}]")
        assert (mark.file_id, mark.filename) == (cited["doc_id"], "apollo.md")
    assert reply.usage is not None
    assert reply.usage.total_tokens == reply.usage.input_tokens + reply.usage.output_tokens > 0
    whole = client.chat.completions.create(
        model="weft", messages=[{"role": "user", "content": QUESTION}]
    )
    assert reply.output_text == whole.choices[0].message.content


@given(
    st.lists(
        st.tuples(
            st.text("ab [1].", min_size=1, max_size=9).map(lambda text: f"x{text.strip()}"),
            st.lists(st.integers(1, 12), max_size=3, unique=True),
        ),
        max_size=4,
    ),
    st.sampled_from(["", "seven [2]"]),
)
def test_what_a_document_writes_in_brackets_is_no_mark(
    told: list[tuple[str, list[int]]], short: str
) -> None:
    def citation(n: int) -> CitationShape:
        return CitationShape.model_construct(n=n, doc_id=f"d{n}", title="", uri=f"file:///d{n}.md")

    sentences = [
        SentenceShape.model_construct(text=text, citations=[citation(n) for n in numbers])
        for text, numbers in told
    ]
    lines = [text + "".join(f" [{n}]" for n in numbers) for text, numbers in told]
    text = "\n".join([*([short] if short else []), *lines])
    answer = AnswerShape.model_construct(answer=text, sentences=sentences, nearest=[])
    marks = [one for one in marks_of(text, answer) if isinstance(one, FileCitation)]
    assert [one.file_id for one in marks] == [f"d{n}" for _, numbers in told for n in numbers]
    for one in marks:
        assert text[one.index :].startswith(f"[{one.file_id[1:]}]")


def test_a_streamed_response_is_the_same(client: openai.OpenAI) -> None:
    asked: ResponseInputParam = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
    ]
    whole = client.responses.create(model="weft", input=asked)
    with client.responses.stream(model="weft", input=asked) as stream:
        events = list(stream)
        final = stream.get_final_response()
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert [events[0].type, events[-1].type] == ["response.created", "response.completed"]
    said = "".join(one.delta for one in events if one.type == "response.output_text.delta")
    assert said == final.output_text == whole.output_text
    assert _text_of(final) == _text_of(whole)
    added = [one for one in events if one.type == "response.output_text.annotation.added"]
    assert len(added) == len((whole.model_extra or {})["weft"]["citations"])


def _text_of(response: Response) -> dict[str, object]:
    [message] = response.output
    assert isinstance(message, ResponseOutputMessage)
    return message.content[0].model_dump(include={"type", "text", "annotations"})


@pytest.mark.parametrize(("outcome", "question"), OUTCOMES.items())
def test_a_response_that_does_not_answer_cites_what_was_found(
    client: openai.OpenAI, outcome: str, question: str
) -> None:
    reply = client.responses.create(model="weft", input=question)
    told = (reply.model_extra or {})["weft"]
    assert told["outcome"] == outcome
    [message] = reply.output
    assert isinstance(message, ResponseOutputMessage)
    [text] = message.content
    assert isinstance(text, ResponseOutputText)
    cited = told["nearest"] if outcome == "nearest" else told["citations"]
    marks = [one for one in text.annotations if isinstance(one, AnnotationFileCitation)]
    numbers = [int(text.text[one.index + 1 :].partition("]")[0]) for one in marks]
    assert numbers == [one["n"] for one in cited]


def test_texts_are_embedded_as_other_clients_read_vectors(embedding: openai.OpenAI) -> None:
    texts = ["Li Wei founded Apollo.", "The ship sails at noon.", "Apollo was founded by Li Wei."]
    found = embedding.embeddings.create(model="weft", input=texts)  # in base64
    plain = embedding.embeddings.create(model="weft", input=texts[0], encoding_format="float")
    vectors = np.array([one.embedding for one in found.data])
    assert [one.index for one in found.data] == [0, 1, 2]
    assert np.array_equal(
        np.array(plain.data[0].embedding, dtype=np.float32), vectors[0].astype(np.float32)
    )
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[2] > vectors[0] @ vectors[1]
    assert found.usage.prompt_tokens == found.usage.total_tokens > 10


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"input": []}, "input"),
        ({"input": ""}, "input"),
        ({"input": [[1, 2, 3]]}, "input"),
        ({"input": ["short", "word " * 5000]}, r"input\[1\]: at most .* tokens"),
        ({"input": "short", "dimensions": 7}, "dimensions"),
    ],
)
def test_what_cannot_be_embedded_is_named(
    embedding: openai.OpenAI, asked: dict[str, Any], named: str
) -> None:
    with pytest.raises(openai.UnprocessableEntityError, match=named):
        embedding.embeddings.create(model="weft", **asked)


def test_who_has_no_embedder_or_another_says_so(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="gpt-x"):
        client.embeddings.create(model="gpt-x", input="short")
    with pytest.raises(openai.UnprocessableEntityError, match="no embedder here"):
        client.embeddings.create(model="weft", input="short")


def test_a_response_is_not_gone_on_from(client: openai.OpenAI) -> None:
    with pytest.raises(openai.UnprocessableEntityError, match="previous_response_id"):
        client.responses.create(model="weft", input=QUESTION, previous_response_id="resp_1")
    with pytest.raises(openai.UnprocessableEntityError, match="user message"):
        client.responses.create(model="weft", input=[{"role": "system", "content": "x"}])
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="gpt-x", input=QUESTION)


def test_a_model_is_shown_by_its_id(client: openai.OpenAI) -> None:
    for known in client.models.list():
        assert client.models.retrieve(known.id) == known
    for unknown in ("gpt-4o", "weft:Nothing", "weft/x"):
        with pytest.raises(openai.NotFoundError) as refused:
            client.models.retrieve(unknown)
        assert f"no model '{unknown}'" in refused.value.message
        assert (refused.value.type, refused.value.code) == ("invalid_request_error", "not_found")


SCHEMA = {"name": "end", "schema": {"type": "object"}}
OTHERWISE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("n", {"n": 2}),
    ("n", {"n": 0}),
    ("response_format", {"response_format": {"type": "json_object"}}),
    ("response_format", {"response_format": {"type": "json_schema", "json_schema": SCHEMA}}),
    ("tool_choice", {"tool_choice": "required"}),
    ("tool_choice", {"tool_choice": {"type": "function", "function": {"name": "end"}}}),
)


@pytest.mark.parametrize(("field", "wanted"), OTHERWISE)
def test_another_reply_than_one_answer_in_text_is_refused(
    client: openai.OpenAI, field: str, wanted: dict[str, Any]
) -> None:
    asked: list[ChatCompletionMessageParam] = [{"role": "user", "content": QUESTION}]
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        client.chat.completions.create(model="weft", messages=asked, **wanted)
    assert refused.value.param == field


def test_what_has_no_effect_is_passed_over(client: openai.OpenAI) -> None:
    told = client.chat.completions.create(
        model="weft",
        messages=[{"role": "user", "content": QUESTION}],
        n=1,
        stop=["Li"],
        temperature=0.1,
        response_format={"type": "text"},
        tools=[{"type": "function", "function": {"name": "end"}}],
        tool_choice="auto",
    )
    assert "Li Wei" in (told.choices[0].message.content or "")


@pytest.mark.parametrize(
    ("field", "wanted"),
    [
        ("background", {"background": True}),
        ("text.format", {"text": {"format": {"type": "json_object"}}}),
        ("tool_choice", {"tool_choice": "required"}),
        ("previous_response_id", {"previous_response_id": "resp_1"}),
    ],
)
def test_a_response_of_another_kind_is_refused(
    client: openai.OpenAI, field: str, wanted: dict[str, Any]
) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        client.responses.create(model="weft", input=QUESTION, **wanted)
    assert refused.value.param == field


@pytest.mark.parametrize(
    ("given", "param", "said"),
    [
        ([[1, 2]], "input", "send texts, not tokens"),
        ([1, 2], "input", "send texts, not tokens"),
        (["a"] * 129, "input", "at most 128 items"),
        (["a", ""], "input.1", "at least 1 character"),
        ("", "input", "at least 1 character"),
    ],
)
def test_a_client_is_told_what_of_its_texts_is_wrong(
    client: openai.OpenAI, given: Any, *, param: str, said: str
) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        client.embeddings.create(model="weft", input=given)
    assert refused.value.param == param
    assert said in refused.value.message
    assert "constrained" not in refused.value.message
