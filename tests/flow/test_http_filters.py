"""Filters of `/v1/rag/query` narrow the answer as well as the evidence, inside every search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.http_world import ended, served

NORTH = {"metadata": {"team": "north"}}
SOUTH = {"metadata": {"team": "south"}}
RECORDS: list[dict[str, Any]] = [
    {"id": "a", "title": "Apollo", "content": "Apollo was founded by Li Wei in Seoul.", **NORTH},
    {"id": "b", "title": "Apollo draft", "content": "Apollo was founded by Bo Berg.", **SOUTH},
    {"id": "w", "title": "Li Wei", "content": "Li Wei was born in Busan in 1970.", **SOUTH},
    {"id": "t1", "title": "Ada", "content": "name: Ada\nteam: Payments\ncity: Oslo", **NORTH},
    {"id": "t2", "title": "Ben", "content": "name: Ben\nteam: Payments\ncity: Rome", **SOUTH},
    {"id": "l", "title": "Links", "content": "See [Apollo](record:a) and OPS-1.", **NORTH},
]
PEOPLE = "id,name,reports_to\n1,Ada Oak,Priya Raman\n2,Ben Elm,Priya Raman\n3,Cy Fir,Priya Raman\n"
# Each by another way through the tools: quoting, a chain of two hops, rows, references.
QUESTIONS = (
    "Who founded Apollo?",
    "Where was the founder of Apollo born?",
    "How many people report to Priya Raman?",
    "Which people are in the Payments team?",
    "What is linked to Apollo?",
    "Where was Li Wei born?",
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    home: Path = tmp_path_factory.mktemp("filters")
    (home / "weft.yaml").write_text("embedder: none\n")
    with served(home) as opened:
        opened.post("/v1/kb", json={"name": "Main"})
        run = opened.post("/v1/kb/Main/documents", json={"records": RECORDS}).json()
        assert ended(opened, run["run_id"])["status"] == "finished"
        form = {"files": ("people.csv", PEOPLE.encode(), "text/csv")}
        fields = {"metadata": '{"team": "east"}'}
        run = opened.post("/v1/kb/Main/documents", files=form, data=fields).json()
        assert ended(opened, run["run_id"])["status"] == "finished"
        yield opened


def asked(client: TestClient, query: str, filters: dict[str, Any]) -> dict[str, Any]:
    reply = client.post("/v1/rag/query", json={"query": query, "filters": filters})
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def team_of(client: TestClient, document: str) -> str:
    opened = client.get(f"/v1/kb/Main/documents/{document.replace('#', '%23')}").json()
    return str(opened["document"]["metadata"]["team"])


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("team", ["north", "south", "east", "nobody"])
def test_nothing_outside_the_filter_is_cited(client: TestClient, question: str, team: str) -> None:
    reply = asked(client, question, {"exact": {"team": team}})
    cited = {each["doc_id"] for each in reply["citations"]}
    shown = {each["doc_id"] for each in reply["evidence"]}
    assert {team_of(client, each) for each in cited | shown} <= {team}
    assert reply["refused"] is (not cited)


def test_the_answer_is_that_of_the_documents_that_match(client: TestClient) -> None:
    north = asked(client, "Who founded Apollo?", {"exact": {"team": "north"}})
    south = asked(client, "Who founded Apollo?", {"exact": {"team": "south"}})
    assert "Li Wei" in north["answer"]
    assert "Bo Berg" not in north["answer"]
    assert "Bo Berg" in south["answer"]
    assert "Li Wei" not in south["answer"]


def test_a_stream_is_narrowed_too(client: TestClient) -> None:
    body = {
        "query": "Who founded Apollo?",
        "filters": {"contains": {"title": "draft"}},
        "stream": True,
    }
    said = client.post("/v1/rag/query", json=body).text
    assert "Bo Berg" in said
    assert "Li Wei" not in said


@pytest.mark.parametrize(
    "filters",
    [
        {"contains": {"title": "\0"}},
        {"contains": {"t\0": "x"}},
        {"exact": {"team": "north\0"}},
        {"types": ["\0"]},
        {"sources": ["a\0b"]},
    ],
)
@pytest.mark.parametrize("path", ["/v1/search", "/v1/rag/query"])
def test_a_filter_with_a_nul_is_refused(
    client: TestClient, path: str, *, filters: dict[str, Any]
) -> None:
    reply = client.post(path, json={"query": "Who founded Apollo?", "filters": filters})
    assert (reply.status_code, reply.json()["code"]) == (422, "bad_input")


def test_filters_that_match_nothing_are_refused_honestly(client: TestClient) -> None:
    reply = asked(client, "Who founded Apollo?", {"exact": {"team": "nobody"}})
    assert (reply["refused"], reply["citations"], reply["evidence"]) == (True, [], [])
