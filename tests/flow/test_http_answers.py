"""Answers over HTTP: whole and streamed, by every door; their runs listed, watched, traced."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from flow.http_world import OUTCOMES, served, workspace

QUESTION = "Who founded Apollo?"
STREAM = {"Accept": "text/event-stream"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    home: Path = workspace(tmp_path_factory.mktemp("answers"))
    with served(home) as opened:
        yield opened


def events(text: str) -> list[tuple[str, Any]]:
    """Return the events of a stream by name."""
    found = []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "data" in fields:
            found.append((fields.get("event", ""), json.loads(fields["data"])))
    return found


def asked(client: TestClient, **more: object) -> dict[str, Any]:
    reply = client.post("/ask", json={"question": QUESTION, **more})
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    assert reply.headers["X-Run-ID"] == found["run_id"]
    return found


def test_an_answer_cites_what_is_stored(client: TestClient) -> None:
    answer = asked(client)
    (base,) = client.get("/v1/kb").json()["items"]
    citation = answer["citations"][0]
    assert citation["kb"] == base["id"]
    opened = client.get(f"/v1/kb/{base['id']}/documents/{citation['doc_id']}").json()
    assert opened["text"][citation["start"] : citation["end"]] == citation["snippet"]
    assert answer["offline"]
    assert answer["source_documents"][0]["title"] == "Apollo"


@pytest.mark.parametrize(
    ("door", "field"),
    [("/ask", "question"), ("/v1/rag/query", "query"), ("/v1/search", "query"),
     ("/v1/chat/message", "message")],
)  # fmt: skip
def test_a_question_that_is_too_long_is_refused_by_limit_and_length(
    client: TestClient, door: str, field: str
) -> None:
    reply = client.post(door, json={field: "a" * 2001})
    assert (reply.status_code, reply.json()["code"]) == (422, "bad_input")
    said = f"body.{field}: at most 2,000 characters; it has 2,001"
    assert reply.json()["detail"] == said


def test_a_stream_ends_with_the_answer_that_is_given_whole(client: TestClient) -> None:
    reply = client.post("/ask", json={"question": QUESTION}, headers=STREAM)
    assert reply.headers["content-type"].startswith("text/event-stream")
    told = events(reply.text)
    names = [name for name, _ in told]
    assert names[0] == "run"
    assert names[-1] == "answer"
    assert "step" in names
    sentences = [data for name, data in told if name == "sentence"]
    answer = told[-1][1]
    assert [each["text"] for each in sentences] == [s["text"] for s in answer["sentences"]]
    whole = asked(client)
    for each in (answer, whole):
        del each["run_id"], each["took_ms"]
        each["tool_runs"] = [one["tool"] for one in each["tool_runs"]]
    assert answer == whole


def test_a_refusal_is_no_error(client: TestClient) -> None:
    answer = client.post("/ask", json={"question": "What is the price of copper?"}).json()
    assert answer["refused"]
    assert answer["citations"] == []


@pytest.mark.parametrize(("outcome", "question"), OUTCOMES.items())
def test_every_answer_is_one_of_three(client: TestClient, outcome: str, question: str) -> None:
    answer = client.post("/ask", json={"question": question}).json()
    assert answer["outcome"] == outcome
    assert answer["refused"] == (outcome != "answered")
    has = {name: bool(answer[name]) for name in ("sentences", "citations", "nearest", "more")}
    is_answered, is_near = outcome == "answered", outcome == "nearest"
    assert has == {
        "sentences": is_answered, "citations": is_answered, "nearest": is_near, "more": is_answered
    }  # fmt: skip
    numbers = [one["n"] for name in ("citations", "nearest", "more") for one in answer[name]]
    assert numbers == list(range(1, len(numbers) + 1))
    for one in (*answer["nearest"], *answer["more"]):
        place = f"/v1/kb/{one['kb']}/documents/{quote(one['doc_id'])}"
        assert client.get(place).json()["text"][one["start"] : one["end"]] == one["snippet"]
    assert ("not an answer" in answer["answer"]) == is_near


def test_an_unknown_source_names_the_allowed_ones(client: TestClient) -> None:
    reply = client.post("/ask", json={"question": QUESTION, "sources": ["Jira"]})
    assert reply.status_code == 422
    assert "allowed: file, notes, record" in reply.json()["detail"]
    assert asked(client, sources=["NOTES"])["citations"]


def test_a_search_gives_passages_without_scores(client: TestClient) -> None:
    reply = client.post("/v1/search", json={"query": QUESTION, "top_k": 1, "explain": True}).json()
    (found,) = reply["evidence"]
    assert found["title"] == "Apollo"
    assert "score" not in found
    assert reply["explanations"][0]["stages"]
    none = client.post(
        "/v1/search", json={"query": QUESTION, "filters": {"contains": {"title": "Borealis"}}}
    ).json()
    assert {each["title"] for each in none["evidence"]} == {"Borealis"}


def test_rag_gives_evidence_beside_the_answer(client: TestClient) -> None:
    reply = client.post("/v1/rag/query", json={"query": QUESTION, "top_k": 2}).json()
    assert reply["evidence"][0]["doc_id"] == reply["citations"][0]["doc_id"]


def test_a_run_can_be_listed_watched_and_traced(client: TestClient) -> None:
    run_id = asked(client)["run_id"]
    assert client.get(f"/v1/runs/{run_id}").json()["status"] == "finished"
    page = client.get("/v1/runs", params={"limit": 1}).json()
    assert page["items"][0]["run_id"] == run_id
    assert client.get("/v1/runs", params={"limit": 1, "cursor": page["next"]}).json()["items"]
    told = events(client.get(f"/v1/runs/{run_id}/events").text)
    assert told[0][0] == "run_started"
    assert told[-1][0] == "run_finished"
    assert [data["seq"] for _, data in told] == list(range(1, len(told) + 1))
    rest = client.get(f"/v1/runs/{run_id}/events", headers={"Last-Event-ID": str(len(told) - 1)})
    assert [name for name, _ in events(rest.text)] == ["run_finished"]
    trace = client.get(f"/v1/runs/{run_id}/trace").json()
    assert [step["node"] for step in trace["steps"]] == [
        "guard_input",
        "rewrite",
        "think",
        "verify",
        "finish",
        "guard_output",
    ]
    assert all(step["status"] == "finished" for step in trace["steps"])
    assert client.post(f"/v1/runs/{run_id}/cancel").json()["status"] == "finished"


def test_an_unknown_run_is_not_found(client: TestClient) -> None:
    for path in ("", "/events", "/trace"):
        reply = client.get(f"/v1/runs/nothing{path}")
        assert (reply.status_code, reply.json()["code"]) == (404, "not_found")
    assert client.post("/v1/runs/nothing/cancel").status_code == 404


def test_the_graph_shows_documents_and_entities(client: TestClient) -> None:
    found = client.get("/graph").json()
    assert {node["label"] for node in found["nodes"]} == {"Apollo", "Borealis"}
    (edge,) = found["edges"]
    near = client.get(f"/graph/document/{edge['source']}", params={"depth": 1}).json()
    assert {node["label"] for node in near["nodes"]} == {"Apollo", "Borealis"}
    assert client.get("/graph/document/file:none/x.md").status_code == 404
    entities = client.get("/graph", params={"view": "entities"}).json()
    assert all(node["kind"] for node in entities["nodes"])
    stats = client.get("/graph/stats").json()
    assert (stats["documents"], stats["types"]) == (2, {"file": 2})
    assert stats["pairs"] == [{"source": "file", "target": "file", "references": 1}]
    assert client.get("/index/stats").json()["documents"] == 2


def test_the_meters_count_what_was_asked(client: TestClient) -> None:
    asked(client)
    text = client.get("/metrics").text
    assert 'weft_http_requests_total{method="POST",route="/ask",status="200"}' in text
    assert "weft_runs_open 0.0" in text
