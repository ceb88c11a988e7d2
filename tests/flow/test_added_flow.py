"""A flow is a folder and a line: one that the product does not know runs behind every face."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from echo_flow import ECHO, LAUNCHER
from flow.command import Command, launched
from flow.http_world import served, workspace
from patience import eventually
from weft import AsyncWeft, Weft
from weft.domain.errors import NotFound
from weft.domain.event import RunEvent
from weft.flows import catalog
from weft.flows.asking import FlowOutcome
from weft.platform.identity import local_owner

SAID = {"message": "hello there", "agent_id": "echo"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a workspace of a product that has one line more in its catalogue."""
    monkeypatch.setattr(catalog, "FLOWS", (*catalog.FLOWS, ECHO))
    return workspace(tmp_path)


def test_over_http_it_is_listed_run_shown_and_traced(home: Path) -> None:
    with served(home) as client:
        agents = client.get("/agents").json()["agents"]
        named = [(one["name"], one["is_default"]) for one in agents]
        assert (named[0], named[-1]) == (("weft", True), ("echo", False))
        answer = client.post("/v1/chat/message", json=SAID).json()
        assert (answer["answer"], answer["payload"]) == ("hello there", {"letters": 11})
        run = client.get(f"/v1/runs/{answer['run_id']}").json()
        assert (run["flow"], run["agent"], run["status"]) == ("echo", "echo@1", "finished")
        steps = client.get(f"/v1/runs/{answer['run_id']}/trace").json()["steps"]
        assert [step["node"] for step in steps] == ["say"]
        unknown = client.post("/v1/chat/message", json=SAID | {"agent_id": "nobody"})
        assert (unknown.status_code, "echo" in unknown.json()["detail"]) == (404, True)


def test_over_http_its_steps_are_told_in_its_own_words(home: Path) -> None:
    with served(home) as client:
        told = client.post("/v1/chat/message", json=SAID | {"stream": True}).text
    steps = [json.loads(line[6:]) for line in told.splitlines() if line.startswith('data: {"seq"')]
    assert "Saying it again" in {step["label"] for step in steps}


def test_over_http_it_is_cancelled(home: Path) -> None:
    with served(home) as client:
        asking = threading.Thread(
            target=client.post,
            args=("/v1/chat/message",),
            kwargs={"json": SAID | {"message": "wait for me"}},
        )
        asking.start()
        run = _under_way(client)
        assert client.post(f"/v1/runs/{run['run_id']}/cancel").status_code < 300
        asking.join(timeout=60)
        assert client.get(f"/v1/runs/{run['run_id']}").json()["status"] == "cancelled"


def _under_way(client: TestClient) -> dict[str, Any]:
    def begun() -> list[dict[str, Any]]:
        return [run for run in client.get("/v1/runs").json()["items"] if run.get("flow") == "echo"]

    return eventually(begun, what="a run")[0]


def test_as_a_library_its_events_come_before_its_outcome(home: Path) -> None:
    with Weft.open(home / "notes", home=home) as weft:
        *events, outcome = weft.run("echo", "hello there")
        assert isinstance(outcome, FlowOutcome)
        assert outcome.payload == {"letters": 11}
        kinds = [str(one.type) for one in events if isinstance(one, RunEvent)]
        assert (kinds[0], kinds[-1]) == ("run_started", "run_finished")
        with pytest.raises(NotFound, match=r"rag, .*echo"):
            list(weft.run("nobody", "hello"))


@pytest.mark.anyio
async def test_as_a_library_it_ends_with_whoever_reads_it(home: Path) -> None:
    async with await AsyncWeft.open(home / "notes", home=home) as weft:
        events = weft.run("echo", "wait for me")
        first = await anext(events)
        assert isinstance(first, RunEvent)
        await events.aclose()
        run = await weft._app.records.runs.get(local_owner(), first.run_id)
        assert run.status == "cancelled"


@pytest.fixture
def command(home: Path) -> Command:
    """Return `weft` of that product."""
    return launched(home, LAUNCHER)


def test_on_the_command_line_it_is_asked_listed_and_shown(home: Path, command: Command) -> None:
    answer = command("ask", str(home / "notes"), "hello there", "--flow", "echo", "--json").json
    assert (answer["answer"], answer["letters"]) == ("hello there", 11)
    listed = command("runs", "list", "--json").json
    assert answer["run_id"] in {one["run_id"] for one in listed}
    assert "say" in command("runs", "show", answer["run_id"]).out
    unknown = command("ask", str(home / "notes"), "hello", "--flow", "nobody")
    assert unknown.code != 0
    assert "rag, " in unknown.err
    assert "echo" in unknown.err
