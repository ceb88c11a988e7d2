"""Runs are cancelled, paused, gone on with and given more, from whichever process."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.command import Command, launched
from flow.http_world import ended, served, workspace
from patience import eventually
from walk_flow import LAUNCHER, PAUSED, STEPS, WALK
from weft.api.host import Host
from weft.domain.errors import Forbidden
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows import catalog
from weft.flows.asking import Asking
from weft.platform.identity import principal_scope
from weft.ports.records.people import NewUser
from weft.runtime.amounts import Limits
from weft.runtime.control import RunControl


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a workspace of a product that has a slow flow besides."""
    monkeypatch.setattr(catalog, "FLOWS", (*catalog.FLOWS, WALK))
    pause = RunControl.pause

    def pausing(control: RunControl) -> None:
        pause(control)
        PAUSED.set()

    monkeypatch.setattr(RunControl, "pause", pausing)
    PAUSED.clear()
    return workspace(tmp_path, "embedder: none\nhistory: stored\n")


@pytest.fixture
def command(home: Path) -> Command:
    """Return `weft` of that product, in a process of its own."""
    return launched(home, LAUNCHER)


@contextmanager
def walking(client: TestClient) -> Iterator[tuple[str, dict[str, Any]]]:
    """Begin a walk that only an order ends; yield its run's id, and what its caller is told."""
    told: dict[str, Any] = {}

    def ask() -> None:
        reply = client.post("/v1/chat/message", json={"message": "100", "agent_id": "walk"})
        told.update(status_code=reply.status_code, **reply.json())

    asking = threading.Thread(target=ask)
    asking.start()
    yield _under_way(client), told
    asking.join(timeout=60)
    assert told, "the caller got no reply"


def _under_way(client: TestClient) -> str:
    def begun() -> list[dict[str, Any]]:
        found: list[dict[str, Any]]
        found = client.get("/v1/runs", params={"status": "running"}).json()["items"]
        return found

    return str(eventually(begun, what="a run")[0]["run_id"])


def _walked(client: TestClient, run_id: str) -> list[str]:
    """Return the steps that a run finished, each time that it did."""
    reply = client.get(f"/v1/runs/{run_id}/events").text
    events = [json.loads(line[6:]) for line in reply.splitlines() if line.startswith("data: ")]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    return [event["node"] for event in events if event["type"] == "node_finished"]


def test_a_run_is_paused_and_gone_on_with_by_the_worker(home: Path) -> None:
    with served(home) as client:
        with walking(client) as (run_id, told):
            assert client.post(f"/v1/runs/{run_id}/pause").status_code == 200
        assert (told["status_code"], told["code"]) == (409, "run_suspended")
        assert client.get(f"/v1/runs/{run_id}").json()["status"] == "suspended"
        assert client.post(f"/v1/runs/{run_id}/resume").status_code == 202
        assert _over(client, run_id)["status"] == "finished"
        assert _walked(client, run_id) == list(STEPS)
        assert client.post(f"/v1/runs/{run_id}/pause").status_code == 422


def _over(client: TestClient, run_id: str) -> dict[str, Any]:
    return ended(client, run_id, under_way=("running", "queued", "suspended"))


def test_another_process_ends_a_run(home: Path, command: Command) -> None:
    with served(home) as client:
        with walking(client) as (run_id, told):
            done = command("runs", "cancel", run_id, "--json")
            assert done.json == {"run_id": run_id, "status": "cancelled"}
        assert (told["status_code"], told["code"]) == (409, "cancelled")
        again = client.post(f"/v1/runs/{run_id}/cancel")
        assert (again.status_code, again.json()["status"]) == (200, "cancelled")
        assert client.post(f"/v1/runs/{run_id}/resume").status_code == 422


def test_a_run_goes_on_in_another_process_than_it_began_in(home: Path, command: Command) -> None:
    with served(home) as client, walking(client) as (run_id, _):
        paused = command("runs", "pause", run_id)
        assert paused.code == 0, paused.err
    more = command("runs", "budget", run_id, "tokens=100", "money=0.5")
    assert more.code == 0, more.err
    resumed = command("runs", "resume", run_id, "--json")  # two steps are left
    assert json.loads(resumed.out)["steps"] == list(STEPS)
    assert command("runs", "show", run_id, "--json").json["status"] == "finished"


def test_a_run_that_goes_on_is_not_gone_on_with_twice(home: Path, command: Command) -> None:
    with served(home) as client, walking(client) as (run_id, _):
        resumed = command("runs", "resume", run_id)
        assert (resumed.code != 0, "already" in resumed.err) == (True, True)
        assert client.post(f"/v1/runs/{run_id}/cancel").json()["status"] == "cancelled"


@pytest.mark.timeout(240)
def test_what_cannot_be_steered_is_named(command: Command) -> None:
    for words, said in (
        ("cancel nothing", "no "),
        ("pause nothing", "no "),
        ("resume nothing", "no "),
        ("budget nothing tokens=1", "no "),
        ("budget nothing tokens=many", "tokens is no number"),
        ("budget nothing gold=1", "no 'gold'"),
        ("budget nothing tokens", "no part of a budget"),
    ):
        done = command("runs", *words.split())
        assert done.code != 0, words
        assert said in done.err, words


def test_over_http_a_bad_order_is_refused(home: Path) -> None:
    with served(home) as client:
        for order in ("cancel", "pause", "resume"):
            assert client.post(f"/v1/runs/nothing/{order}").status_code == 404
        path = "/v1/runs/nothing/budget"
        assert client.post(path, json={"tokens": 5}).status_code == 404
        for bad in ({}, {"tokens": -1}, {"gold": 1}, {"tokens": "many"}, {"money": 1e30}):
            assert client.post(path, json=bad).status_code == 422


def test_a_run_that_used_its_budget_up_says_so(home: Path) -> None:
    with served(home) as client:
        asked = {"question": "Who founded Apollo?"}
        assert not client.post("/ask", json=asked).json()["refused"]
        spent = client.post("/ask", json=asked | {"budget": {"tool_calls": 0}}).json()
        assert spent["refused"]
        wrong = client.post("/ask", json=asked | {"budget": {"gold": 0}})
        assert wrong.status_code == 422


def test_a_question_in_a_session_follows_up(home: Path) -> None:
    with served(home) as client:
        session = client.post("/v1/sessions").json()["session_id"]
        first = {"question": "Who founded Apollo?", "session_id": session}
        client.post("/ask", json=first)
        follow = client.post("/ask", json={"question": "And where?", "session_id": session}).json()
        assert "Apollo" in str(follow["notes"])
        assert not client.post("/ask", json={"question": "And where?"}).json()["rewritten_question"]
        unknown = client.post("/ask", json=first | {"session_id": "nobody"})
        assert unknown.status_code == 404


ASKS = frozenset({"user"})


def _someone(*permissions: str) -> Scope:
    return principal_scope(tenant="acme", actor="user:ann", groups=(), permissions=permissions)


def test_the_worker_takes_flows_of_any_tenant_with_the_rights_of_who_asked(home: Path) -> None:
    with served(home) as client:
        host = _host(client)
        asking = Asking(question="0.1", knowledge_bases=(), flow="walk", limits=Limits(tokens=9))
        scope = _someone("ask")

        async def submit() -> str:
            await host.app.records.people.users.add(scope, NewUser(name="ann", roles=ASKS))
            with pytest.raises(Forbidden):
                await host.line.flows.submit(_someone(), asking)
            run_id = await host.line.flows.submit(scope, asking)
            host.line.worker.ring()
            return run_id

        async def watch(run_id: str) -> tuple[str, str]:
            run = await host.runs.get(scope, RunId(run_id))
            for _ in range(1500):
                if run.status == "finished":
                    break
                await asyncio.sleep(0.05)
                run = await host.runs.get(scope, RunId(run_id))
            return str(run.status), run.actor

        assert client.portal is not None
        run_id = client.portal.call(submit)
        assert client.portal.call(watch, run_id) == ("finished", "user:ann")
        # To the owner of this machine it is not there: it is of another tenant.
        assert client.get(f"/v1/runs/{run_id}").status_code == 404
        assert client.post(f"/v1/runs/{run_id}/cancel").status_code == 404


def test_a_flow_whose_asker_is_gone_is_not_run(home: Path) -> None:
    with served(home) as client:
        host = _host(client)
        asking = Asking(question="0.1", knowledge_bases=(), flow="walk", limits=Limits(tokens=9))
        scope = _someone("ask")

        async def submit() -> str:
            run_id = await host.line.flows.submit(scope, asking)
            host.line.worker.ring()
            for _ in range(1500):
                (job,) = await host.app.records.jobs.newest(scope, limit=1)
                if job.status == "failed":
                    run = await host.runs.get(scope, run_id)
                    assert run.status == "failed"
                    return job.error
                await asyncio.sleep(0.05)
            return ""

        assert client.portal is not None
        assert "may ask no more" in client.portal.call(submit)


def _host(client: TestClient) -> Host:
    return client.app.state.dependencies.host  # type: ignore[attr-defined,no-any-return]


def test_an_ingestion_is_paused_and_gone_on_with(home: Path) -> None:
    with served(home) as client:
        client.post("/v1/kb", json={"name": "Many"})
        records = [{"id": str(n), "content": f"Record {n}. " * 40} for n in range(100)]
        run = client.post("/v1/kb/Many/documents", json={"records": records}).json()["run_id"]
        client.post(f"/v1/runs/{run}/pause")
        assert ended(client, run)["status"] in {"paused", "finished"}
        client.post(f"/v1/runs/{run}/resume")
        done = ended(client, run)
        assert done["status"] == "finished"
        assert client.post("/v1/search", json={"query": "Record 99", "kb": ["Many"]}).json()[
            "evidence"
        ]
