"""Conversations over HTTP: sessions, follow-ups, history, clearing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.http_world import OUTCOMES, ended, served, workspace
from weft.platform.people.invitation import invite

FIRST = "Who founded Apollo?"
PAGE = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace(tmp_path_factory.mktemp("chat"))


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[TestClient]:
    with served(home) as opened:
        yield opened


def said(client: TestClient, message: str, **more: object) -> dict[str, Any]:
    reply = client.post("/v1/chat/message", json={"message": message, **more})
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def history(client: TestClient, conversation: str) -> list[dict[str, Any]]:
    found = client.get("/chat/history", params={"conversation_id": conversation}).json()
    messages: list[dict[str, Any]] = found["messages"]
    return messages


def test_a_conversation_goes_on_and_is_kept(client: TestClient) -> None:
    first = said(client, FIRST)
    assert not first["refused"]
    assert first["tool_runs"]
    place = {"session_id": first["session_id"], "conversation_id": first["conversation_id"]}
    second = said(client, "What about Borealis?", **place)
    assert second["conversation_id"] == first["conversation_id"]
    told = history(client, first["conversation_id"])
    assert [message["role"] for message in told] == ["user", "assistant"] * 2
    assert told[0]["content"] == FIRST
    assert told[1]["sources"][0]["title"] == "Apollo"
    listed = client.get("/v1/conversations", headers={"X-Session-ID": first["session_id"]}).json()
    assert listed["items"][0]["title"] == FIRST


def test_a_stream_says_where_it_belongs(client: TestClient) -> None:
    reply = client.post("/v1/chat/message", json={"message": FIRST, "stream": True})
    blocks = [block for block in reply.text.strip().split("\n\n") if "data: " in block]
    begin, end = (json.loads(blocks[at].split("data: ", 1)[1].splitlines()[0]) for at in (0, -1))
    assert begin["conversation_id"] == end["conversation_id"]
    assert end["sentences"][0]["citations"]
    assert history(client, begin["conversation_id"])[1]["run_id"] == begin["run_id"]


def test_clearing_erases_messages_and_runs(client: TestClient) -> None:
    kept, gone = said(client, FIRST), said(client, FIRST)
    cleared = client.post("/chat/clear", json={"conversation_id": gone["conversation_id"]}).json()
    assert (cleared["conversations"], cleared["runs"]) == (1, 1)
    assert client.get(f"/v1/runs/{gone['run_id']}").status_code == 404
    assert client.get(f"/v1/runs/{kept['run_id']}").status_code == 200
    missing = client.get("/chat/history", params={"conversation_id": gone["conversation_id"]})
    assert missing.status_code == 404


def test_a_client_names_a_session_that_was_made_here(client: TestClient) -> None:
    made = client.post("/v1/sessions", headers={"Idempotency-Key": "s"}).json()
    again = client.post("/v1/sessions", headers={"Idempotency-Key": "s"}).json()
    assert made == again
    reply = said(client, FIRST, session_id=made["session_id"])
    assert reply["session_id"] == made["session_id"]
    own = {"message": FIRST, "session_id": "chosen-by-me"}
    assert client.post("/v1/chat/message", json=own).status_code == 404


def test_a_former_answer_keeps_its_citations(client: TestClient) -> None:
    answer = said(client, FIRST)
    kept = history(client, answer["conversation_id"])[1]
    assert kept["citations"] == answer["citations"]
    assert kept["citations"][0]["snippet"]
    assert history(client, answer["conversation_id"])[0]["citations"] == []


def test_a_conversation_is_shown_renamed_and_listed_page_by_page(client: TestClient) -> None:
    session = client.post("/v1/sessions").json()["session_id"]
    where = {"X-Session-ID": session}
    once = {**where, "Idempotency-Key": "talk"}
    made = [client.post("/v1/conversations", headers=where).json()["id"] for _ in range(2)]
    made.append(client.post("/v1/conversations", headers=once).json()["id"])
    assert client.post("/v1/conversations", headers=once).json()["id"] == made[-1]
    path = f"/v1/conversations/{made[0]}"
    assert client.patch(path, json={"title": " The lease "}).json()["title"] == "The lease"
    said(client, FIRST, session_id=session, conversation_id=made[0])
    assert client.get(path).json()["title"] == "The lease"
    listed, cursor = [], ""
    while True:
        page = client.get(
            "/v1/conversations", headers=where, params={"limit": 2, "cursor": cursor}
        ).json()
        listed += [each["id"] for each in page["items"]]
        cursor = page["next"]
        if not cursor:
            break
    assert listed[0] == made[0]
    assert sorted(listed) == sorted(made)
    for body in ({}, {"title": ""}, {"title": "  "}, {"title": "x", "more": 1}):
        assert client.patch(path, json=body).status_code == 422
    assert client.delete(path).status_code == 204
    assert client.patch(path, json={"title": "x"}).status_code == 404


def test_a_browsers_session_is_a_cookie(client: TestClient, home: Path) -> None:
    token = client.headers.pop("Authorization")
    try:
        client.get("/", params={"key": invite(home)}, follow_redirects=False)
        reply = client.post("/v1/chat/message", json={"message": FIRST}, headers=PAGE)
        cookie = reply.headers["set-cookie"]
        assert cookie.startswith(f"X-Session-ID={reply.json()['session_id']};")
        assert "HttpOnly" in cookie
        told = client.get("/chat/history").json()
        assert told["conversation_id"] == reply.json()["conversation_id"]
        assert len(told["messages"]) == 2
        assert client.post("/chat/clear", json={}, headers=PAGE).json()["messages"] == 2
        assert client.get("/chat/history").json()["messages"] == []
    finally:
        client.headers["Authorization"] = token
        client.cookies.clear()


def test_a_conversation_keeps_whole_answers(client: TestClient) -> None:
    for question in OUTCOMES.values():
        given = said(client, question)
        kept = history(client, given["conversation_id"])[-1]["answer"]
        besides = {"source_documents", "tool_runs", "payload", "session_id", "conversation_id"}
        assert kept == {key: value for key, value in given.items() if key not in besides}
        assert history(client, given["conversation_id"])[-2]["answer"] is None


def test_what_was_near_is_not_shown_once_it_may_not_be_read(tmp_path: Path) -> None:
    with served(workspace(tmp_path)) as client:
        client.post("/v1/kb", json={"name": "Private"})
        record = {"id": "zeta", "title": "Zeta", "content": "Zeta was painted by Ada Blom in 1999."}
        handed = client.post("/v1/kb/Private/documents", json={"records": [record]}).json()
        ended(client, handed["run_id"])
        given = said(client, "Who financed Zeta?", kb=["Private"])
        assert given["outcome"] == "nearest"
        assert (
            "Ada Blom"
            in client.get(
                "/chat/history", params={"conversation_id": given["conversation_id"]}
            ).text
        )
        assert client.delete("/v1/kb/Private").status_code == 204
        kept = client.get("/chat/history", params={"conversation_id": given["conversation_id"]})
        assert kept.json()["messages"][-1]["source_deleted"]
        assert "Ada Blom" not in kept.text


def test_conversations_of_all_sessions_are_listed_when_they_are_asked_for(
    client: TestClient,
) -> None:
    made = {said(client, FIRST)["conversation_id"] for _ in range(2)}
    assert client.get("/v1/conversations").json()["items"] == []
    found = client.get("/v1/conversations", params={"everywhere": True}).json()
    assert made <= {each["id"] for each in found["items"]}
    assert (found["kept"], found["hours"]) == ("stored", None)


def test_memory_says_how_long_it_keeps(tmp_path: Path) -> None:
    home = workspace(tmp_path, "embedder: none\nhistory: memory\nhistory_hours: 2\n")
    with served(home) as client:
        found = client.get("/v1/conversations").json()
        assert (found["kept"], found["hours"]) == ("memory", 2.0)
