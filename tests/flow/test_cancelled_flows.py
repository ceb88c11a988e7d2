"""A run that is cancelled lets go of its model within two seconds: every flow, both engines."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from flow.replay_world import ReplayWorld, model_settings, replay_world, write_documents
from model_server import Body, Fault, ModelServer, Say, model_server
from research_world import Researcher, role_of
from weft.bootstrap.flows import build_steering
from weft.domain.errors import Cancelled
from weft.domain.event import EventType
from weft.domain.ids import RunId
from weft.flows.asking import Asking
from weft.flows.catalog import FLOWS
from weft.platform.identity import local_owner
from weft.ports.records.runs import RunStatus

pytestmark = pytest.mark.anyio
WITHIN = 2.0
_SECTIONS = 3  # of a scripted report, side by side
QUESTION = "Who opened the Harbour Bridge?"
WAYS = [(flow.name, "") for flow in FLOWS] + [("research", "deep")]


def script(body: Body) -> Say:
    """Plan a report and go on with it; where documents are to be read, say nothing for ever."""
    if role_of(body) == "read":
        return Say(fault=Fault.SILENCE)
    return Researcher()(body)


async def waiting(server: ModelServer, working: asyncio.Task[object], least: int) -> int:
    """Wait until a run's calls all get no answer, `least` of them, and return how many there are.

    How many there will be is known of none but reports; of the others no more come for a while.
    """
    while not working.done():
        await asyncio.sleep(0.1)
        silent = [one for one in server.requests if role_of(one) == "read"]
        if len(silent) >= least and await _is_steady(server):
            return len(silent)
    raise AssertionError(f"it ended by itself: {working.result()}")


async def _is_steady(server: ModelServer) -> bool:
    before = len(server.requests)
    await asyncio.sleep(0.5)
    return len(server.requests) == before


async def check(here: ReplayWorld, server: ModelServer, flow: str, mode: str) -> None:
    """Cancel a run whose model is silent, as another process does, and see what comes of it."""
    server.requests.clear()
    server.hung_up.clear()
    run_id = RunId(f"{flow}-{mode or 'run'}")
    asking = Asking(
        question=QUESTION, knowledge_bases=(here.base,), flow=flow, mode=mode, run_id=run_id
    )
    working = asyncio.create_task(here.runner.run(local_owner(), asking))
    calls = await waiting(server, working, _SECTIONS if mode == "deep" else 1)
    if mode == "deep":
        assert calls == _SECTIONS
    ordered = time.monotonic()
    await build_steering(here.app).cancel(local_owner(), run_id)
    with pytest.raises(Cancelled):
        await working
    while len(server.hung_up) < calls:
        assert time.monotonic() < ordered + 10, f"{flow}: {len(server.hung_up)} of {calls} freed"
        await asyncio.sleep(0.02)
    assert max(server.hung_up) - ordered <= WITHIN, flow
    run = await here.app.records.runs.get(local_owner(), run_id)
    assert run.status is RunStatus.CANCELLED
    events = await here.app.records.runs.events(local_owner(), run_id)
    assert events[-1].type is EventType.RUN_CANCELLED
    assert [one.seq for one in events] == list(range(1, len(events) + 1))


@pytest.mark.timeout(120)
@pytest.mark.parametrize("engine", ["simple", "langgraph"])
async def test_a_cancelled_run_lets_go_of_its_model(tmp_path: Path, engine: str) -> None:
    if engine != "simple":
        pytest.importorskip(engine)
    write_documents(tmp_path / "home")
    with model_server(script) as server:
        settings = f"{model_settings(server.base_url)}engine: {engine}\n"
        async with replay_world(tmp_path / "home", settings) as here:
            for flow, mode in WAYS:
                await check(here, server, flow, mode)
