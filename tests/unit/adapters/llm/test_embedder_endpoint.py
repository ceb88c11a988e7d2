"""Embeddings over HTTP: what is sent, what is repeated, and what is refused."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patience import SOON
from unit.adapters.llm.embedding_endpoint import DIMENSIONS, Reply, Script, serving, sound, vector
from weft.adapters.llm.embedder import EndpointEmbedder, EndpointModel
from weft.domain.document import Span
from weft.domain.errors import BadModelReply, ModelUnavailable
from weft.ports.embedder import PassageText

Open = Callable[..., EndpointEmbedder]


@pytest.fixture
def script() -> Iterator[Script]:
    with serving() as found:
        yield found


@pytest.fixture
async def opened(script: Script) -> AsyncIterator[Open]:
    made: list[EndpointEmbedder] = []

    def make(**limits: float) -> EndpointEmbedder:
        model = EndpointModel(
            provider="ollama",
            name="m",
            base_url=script.url,
            dimensions=DIMENSIONS,
            api_key="secret-key",
            max_tokens=int(limits.pop("max_tokens", 512)),
            batch=int(limits.pop("batch", 4)),
            retries=int(limits.pop("retries", 2)),
            **limits,
        )
        made.append(EndpointEmbedder(model))
        return made[-1]

    yield make
    for embedder in made:
        await embedder.close()


async def test_texts_are_sent_once_and_in_batches(opened: Open, script: Script) -> None:
    texts = [f"text {number}" for number in range(9)] + ["text 0"]
    rows = await opened().queries(texts)
    assert [len(asked["input"]) for asked in script.requests] == [4, 4, 1]
    assert script.requests[0]["path"] == "/v1/embeddings"
    assert script.requests[0]["authorization"] == "Bearer secret-key"
    for row, text in zip(rows, texts, strict=True):
        wanted = np.array(vector(text))
        assert row == pytest.approx(wanted / np.linalg.norm(wanted), abs=1e-6)
    assert rows.dtype == np.float32


async def test_passages_have_titles_and_no_sentences(opened: Open, script: Script) -> None:
    text = PassageText(title="T", text="a b", sentences=(Span(start=0, end=3),))
    [found] = await opened().passages([text])
    assert script.requests[0]["input"] == ["T\na b"]
    assert found.sentences.shape == (0, DIMENSIONS)


async def test_replies_in_another_order_are_put_right(opened: Open, script: Script) -> None:
    body = sound(["a", "b", "c"])
    body["data"].reverse()
    script.replies.append(Reply(body=json.dumps(body).encode()))
    rows = await opened().queries(["a", "b", "c"])
    assert np.array_equal(rows, await opened().queries(["a", "b", "c"]))


async def test_texts_that_endpoints_refuse_are_mended(opened: Open, script: Script) -> None:
    embedder = opened(max_tokens=13)
    await embedder.queries(["", "word " * 1000, "a\ud800"])
    blank, long, lone = script.requests[0]["input"]
    assert (blank, lone) == (" ", "a?")
    assert len(long.split()) == 10


@pytest.mark.parametrize(
    "fault",
    [Reply(status=500), Reply(status=429, headers=(("Retry-After", "1"),)), Reply(cut=True)],
    ids=["500", "429", "reset"],
)
async def test_passing_faults_are_repeated(opened: Open, script: Script, fault: Reply) -> None:
    script.replies.append(fault)
    assert (await opened().queries(["a"])).shape == (1, DIMENSIONS)
    assert len(script.requests) == 2
    if fault.headers:
        assert script.times[1] - script.times[0] >= 1


async def test_a_slow_attempt_is_repeated(opened: Open, script: Script) -> None:
    script.replies.append(Reply(delay=2.5))
    assert (await opened(timeout=2.0).queries(["a"])).shape == (1, DIMENSIONS)
    assert len(script.requests) == 2


async def test_attempts_are_bounded(opened: Open, script: Script) -> None:
    script.replies += [Reply(status=503)] * 9
    with pytest.raises(ModelUnavailable, match="status 503") as caught:
        await opened(retries=1).queries(["secret text"])
    assert len(script.requests) == 2
    assert caught.value.fields == {"status": 503}
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_a_refusal_is_not_repeated(opened: Open, script: Script, status: int) -> None:
    script.replies.append(Reply(status=status, body=b'{"error": {"message": "secret text"}}'))
    with pytest.raises(ModelUnavailable, match=str(status)) as caught:
        await opened().queries(["a"])
    assert len(script.requests) == 1
    assert "secret" not in str(caught.value)


async def test_the_deadline_ends_long_pauses(opened: Open, script: Script) -> None:
    script.replies += [Reply(status=429, headers=(("Retry-After", "60"),))] * 3
    begin = time.monotonic()
    with pytest.raises(ModelUnavailable, match="in time"):
        await opened(deadline=0.4).queries(["a"])
    assert time.monotonic() - begin < SOON


async def test_timeouts_to_the_end_are_an_error(opened: Open, script: Script) -> None:
    script.replies += [Reply(delay=0.5)] * 3
    with pytest.raises(ModelUnavailable, match="in time"):
        await opened(timeout=0.1, retries=1).queries(["a"])


async def test_nobody_there() -> None:
    model = EndpointModel(
        provider="openai", name="m", base_url="http://127.0.0.1:9/v1", dimensions=3, retries=0
    )
    embedder = EndpointEmbedder(model)
    with pytest.raises(ModelUnavailable, match=r"cannot be reached at 127\.0\.0\.1"):
        await embedder.queries(["a"])
    await embedder.close()


def _with(embedding: object, **fields: object) -> bytes:
    return json.dumps({"data": [{"index": 0, "embedding": embedding, **fields}]}).encode()


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"", "no vectors"),
        (b'{"data": [', "no vectors"),
        (b"<html>", "no vectors"),
        (b"[]", "no vectors"),
        (b'{"data": null}', "no vectors"),
        (b'{"data": []}', "other vectors"),
        (_with([1.0] * DIMENSIONS, index=1), "other vectors"),
        (_with([1.0] * (DIMENSIONS + 1)), "EMBEDDING_DIMENSION to 25"),
        (_with([]), "EMBEDDING_DIMENSION to 0"),
        (_with([float("nan")] * DIMENSIONS), "no vectors"),
        (_with([float("inf")] * DIMENSIONS), "no vectors"),
        (_with([0.0] * DIMENSIONS), "without a direction"),
        (_with([1e300] * DIMENSIONS), "without a direction"),
        (_with(["a"] * DIMENSIONS), "no vectors"),
    ],
)
async def test_a_reply_of_another_form_is_refused(
    opened: Open, script: Script, body: bytes, complaint: str
) -> None:
    script.replies.append(Reply(body=body))
    with pytest.raises(BadModelReply, match=complaint):
        await opened().queries(["a"])
    assert len(script.requests) == 1


@cache
def _offline() -> EndpointEmbedder:
    return EndpointEmbedder(
        EndpointModel(provider="openai", name="m", base_url="http://127.0.0.1:9", dimensions=3)
    )


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("", []),
        ("one two three four five", [3, 7, 13, 18, 18, 23]),
        ("한국 문", [1, 2, 4]),
        ("x" * 40, [16, 32, 40]),
    ],
)
def test_token_ends_are_those_of_words(text: str, ends: list[int]) -> None:
    assert _offline().token_ends(text) == ends


@given(st.lists(st.sampled_from(["a", "word", "字", "한", "a-b"]), max_size=60))
def test_a_word_counts_1_3_tokens(words: list[str]) -> None:
    ends = _offline().token_ends(" ".join(words))
    assert len(ends) == len(words) * 13 // 10
    assert list(ends) == sorted(ends)


def test_the_fingerprint_names_the_model_and_not_its_address() -> None:
    assert _offline().fingerprint == "openai:m/3"
