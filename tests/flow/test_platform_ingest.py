"""Raw records, the index of names and the list of knowledge bases, over HTTP."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.http_world import served, workspace

APOLLO = {"id": "apollo", "content": "Apollo was founded by Li Wei in 1999.", "category": "team"}
PLAIN = {"id": "mood", "content": "quiet and grey, as ever"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with served(workspace(tmp_path_factory.mktemp("raw"))) as opened:
        opened.post("/v1/kb", json={"name": "Raw"}).raise_for_status()
        yield opened


def taken(client: TestClient, *records: dict[str, Any], **more: Any) -> dict[str, Any]:
    body = {"target_database": "Raw", "records": list(records), **more}
    reply = client.post("/platform/ingest/raw", json=body)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def in_base64(text: bytes) -> str:
    return base64.b64encode(text).decode()


def test_records_are_there_when_it_returns(client: TestClient) -> None:
    # Its own founder: what another test of this base put in would add nothing when it comes again.
    gemini = {"id": "gemini", "content": "Gemini was founded by Ada Byron in 2004."}
    told = taken(client, gemini)
    assert (told["ok"], told["records_processed"], told["records_failed"]) == (True, 1, 0)
    assert told["status"] == ("success_with_fallback" if told["fallback_records"] else "success")
    assert told["total_nodes"] > 0
    answer = client.post("/ask", json={"question": "Who founded Gemini?", "kb": ["Raw"]}).json()
    assert "Ada Byron" in answer["answer"]
    run = client.get(f"/v1/runs/{told['run_id']}").json()
    assert run["status"] == "finished"


def test_a_record_without_a_claim_is_a_fallback_and_can_be_asked(client: TestClient) -> None:
    told = taken(client, PLAIN)
    assert (told["status"], told["fallback_records"]) == ("success_with_fallback", 1)
    assert told["warnings"]


def test_one_that_cannot_be_read_keeps_none_of_the_others_out(client: TestClient) -> None:
    broken = {"id": "broken", "content": in_base64(b"%PDF-1.4 nothing"), "source_type": "pdf",
              "content_encoding": "base64"}  # fmt: skip
    wrong = {"id": "wrong", "content": "no base64!", "content_encoding": "base64"}
    plain_pdf = {"id": "plain", "content": "text", "source_type": "pdf"}
    rows = {"id": "rows", "content": "name,city\nAnn,Oslo\nBo,Turku\n", "source_type": "csv"}
    told = taken(client, APOLLO, broken, wrong, plain_pdf, rows)
    assert (told["records_received"], told["records_processed"]) == (5, 2)
    assert (told["status"], told["ok"]) == ("partial_success", True)
    assert {one["record_id"] for one in told["errors"]} == {"broken", "wrong", "plain"}
    assert all(one["error_type"] and one["message"] for one in told["errors"])


def test_where_nothing_can_be_read_it_has_failed(client: TestClient) -> None:
    told = taken(client, {"content": "???", "content_encoding": "base64"})
    assert (told["ok"], told["status"], told["run_id"]) == (False, "failed", "")


def test_a_base_is_made_only_where_that_is_wanted(client: TestClient) -> None:
    body = {"target_database": "Fresh", "records": [APOLLO]}
    assert client.post("/platform/ingest/raw", json=body).status_code == 404
    made = client.post("/platform/ingest/raw", json={**body, "create_database_if_missing": True})
    assert made.json()["records_processed"] == 1
    names = {one["name"] for one in client.get("/databases").json()["databases"]}
    assert {"Raw", "Fresh"} <= names


def test_what_is_handed_over_is_checked(client: TestClient) -> None:
    cases: list[dict[str, Any]] = [
        {"records": []},
        {"records": [APOLLO] * 101},
        {"records": [APOLLO, APOLLO]},
        {"records": [{"content": ""}]},
        {"records": [{"content": "x", "source_type": "docx"}]},
        {"records": [APOLLO], "enable_rule_constraints": True},
        {"records": [APOLLO], "target_database": "no name"},
    ]
    for wrong in cases:
        body = {"target_database": "Raw", **wrong}
        reply = client.post("/platform/ingest/raw", json=body)
        assert reply.status_code == 422, (wrong, reply.text)
        assert any(word in reply.json()["detail"] for word in wrong), reply.text


def test_the_index_of_names_is_there_and_not_made_twice(client: TestClient) -> None:
    for _ in range(2):
        told = client.post("/indexes/fulltext/ensure", json={"databases": ["Raw"]}).json()
        (one,) = told["results"]
        assert (one["database"], one["index_name"]) == ("Raw", "entity_fulltext")
        assert (one["exists"], one["created"], one["state"]) == (True, False, "ONLINE")
    assert client.post("/indexes/fulltext/ensure", json={}).json()["results"]
    otherwise = {"databases": ["Raw"], "labels": ["Person"]}
    (one,) = client.post("/indexes/fulltext/ensure", json=otherwise).json()["results"]
    assert "not what was asked for" in one["message"]
    absent = client.post("/indexes/fulltext/ensure", json={"databases": ["Nobody"]})
    assert absent.status_code == 404
