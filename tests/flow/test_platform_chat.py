"""The platform's chat: every mode, its session and trace, and what answers in place of a debate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.http_world import served, workspace
from flow.test_debate import AGREES, DIFFERS, QUESTION, base


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return workspace(tmp_path)


@pytest.fixture
def names(home: Path) -> list[str]:
    return [base(home, "agrees", AGREES), base(home, "differs", DIFFERS)]


@pytest.fixture
def client(home: Path, names: list[str]) -> Iterator[TestClient]:
    with served(home) as opened:
        yield opened


def said(client: TestClient, path: str = "/platform/chat/send", **body: Any) -> dict[str, Any]:
    reply = client.post(path, json={"message": QUESTION, **body})
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    assert reply.headers["X-Run-ID"] == found["run_id"]
    return found


@pytest.mark.parametrize("path", ["/platform/chat/send", "/api/chat/send"])
def test_a_debate_has_cards_for_its_agents_and_a_trace(client: TestClient, path: str) -> None:
    told = said(client, path, mode="debate")
    assert told["runtime_control"] is None
    assert (told["mode"], told["runtime_payload"]["debate_state"]) == ("debate", "ready")
    assert told["ui_payload"]["trace_summary"]["types"] == {
        "COLLECT": 1, "DEBATE": 3, "FANOUT": 1, "SYNTHESIS": 1
    }  # fmt: skip
    kinds = [card["kind"] for card in told["ui_payload"]["cards"]]
    assert kinds[:4] == ["answer", "agent", "agent", "agent"]
    assert "citation" in kinds


def test_every_mode_there_is_answers_and_another_is_refused(client: TestClient) -> None:
    flows = {one["flow"] for one in client.get("/agents").json()["agents"]}
    for mode in ("rag", "debate", "semantic", "router"):
        body = {"message": QUESTION, "mode": mode}
        reply = client.post("/platform/chat/send", json=body)
        assert reply.status_code == (200 if mode in flows else 422), reply.text
        if mode in flows:
            told = reply.json()
            ids = {one["id"] for one in told["trace_steps"]}
            assert ids
            for step in told["trace_steps"]:
                assert {*filter(None, [step["metadata"]["parent"]])} <= ids
                assert set(step["metadata"]["sources"]) <= ids


def test_a_session_goes_on_is_read_and_emptied(client: TestClient) -> None:
    first = said(client, mode="debate")
    session = first["session_id"]
    second = said(client, mode="rag", session_id=session, message="What is Borealis?")
    assert (second["session_id"], len(second["history"])) == (session, 4)
    path = f"/platform/chat/session/{session}"
    kept = client.get(path).json()
    assert [one["role"] for one in kept["history"]] == ["user", "assistant"] * 2
    assert client.delete(path).json()["history"] == []
    assert client.get(path).json()["history"] == []
    assert client.get("/platform/chat/session/nobodys").status_code == 404


def test_where_none_is_ready_another_mode_answers_and_says_so(
    client: TestClient, home: Path, names: list[str]
) -> None:
    for name in names:
        for part in (home / "kb").glob(f"{name}.db*"):
            part.unlink()
    told = said(client, mode="debate", databases=names)
    control = told["runtime_control"]
    assert control["requested_mode"] == "debate"
    assert control["executed_mode"] == told["mode"] != "debate"
    assert "gone" in control["reason"]
    runtime = told["runtime_payload"]
    assert (runtime["debate_state"], runtime["degraded"]) == ("blocked", True)
    assert {one["kb"]: one["status"] for one in runtime["agent_statuses"]} == dict.fromkeys(
        names, "blocked"
    )
    assert len(told["history"]) == 2
    others = said(client, mode="debate")
    assert others["runtime_control"] is None
    assert others["runtime_payload"]["debate_state"] == "degraded"


def test_a_stream_has_the_trace_and_then_the_payload(client: TestClient) -> None:
    told = client.post(
        "/platform/chat/send", json={"message": QUESTION, "mode": "debate", "stream": True}
    ).text
    blocks = [block for block in told.strip().split("\n\n") if "data: " in block]
    kinds = [block.split("event: ", 1)[1].splitlines()[0] for block in blocks]
    assert (kinds[0], kinds[-2:]) == ("run", ["trace_steps", "ui_payload"])
    last = json.loads(blocks[-1].split("data: ", 1)[1].splitlines()[0])
    assert last["ui_payload"]["trace_summary"]["types"]["DEBATE"] == 3


def test_what_is_sent_is_checked(client: TestClient) -> None:
    pinned = {"question_entity": "Apollo", "database": "Main", "node_id": "n1"}
    for body in (
        {"message": ""},
        {"message": "x" * 2001},
        {"message": QUESTION, "mode": "nothing"},
        {"message": QUESTION, "mode": "debate", "entity_overrides": [pinned]},
        {"message": QUESTION, "entity_overrides": [{"question_entity": "Apollo"}]},
    ):
        assert client.post("/platform/chat/send", json=body).status_code == 422, body
