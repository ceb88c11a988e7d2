"""The shipped flows and others under LangGraph: recorded there, gone through again by tasks."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from flow.replay_world import (
    BRIDGES,
    ReplayWorld,
    model_settings,
    opened,
    replay_world,
    script,
    write_documents,
)
from model_server import Fault, Say, model_server
from patience import SOON
from weft.bootstrap.engines import walker_of
from weft.domain.errors import ConfigurationError, RunSuspended
from weft.domain.ids import RunId
from weft.flows.asking import Asking
from weft.platform.identity import local_owner
from weft.ports.records.runs import RunStatus
from weft.runtime.amounts import Limits
from weft.runtime.engines.task_walker import TaskWalker

pytestmark = pytest.mark.anyio
ENGINE = "engine: langgraph\n"
CANARY = "zanzibarquartz"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_documents(tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def installed() -> None:
    pytest.importorskip("langgraph")


def checkpoints(home: Path) -> list[str]:
    """Return every row of the checkpoints, as far as it is text."""
    with closing(sqlite3.connect(home / "checkpoints.db")) as connection:
        rows = [
            row
            for table in ("checkpoints", "writes")
            for row in connection.execute(f"select * from {table}")  # our own names
        ]
    return [
        part.decode("utf-8", "replace") if isinstance(part, bytes) else str(part)
        for row in rows
        for part in row
    ]


@pytest.mark.usefixtures("installed")
async def test_runs_of_every_flow_are_those_of_the_simple_engine(home: Path) -> None:
    async with replay_world(home, ENGINE) as here:
        assert not isinstance(here.runner.services.walker, TaskWalker)
        ids = []
        for name, who, _ in BRIDGES.values():
            ids.append((await here.ask(f"Who opened the {name}?")).run_id)
            ids.append((await here.ask(f"{name}", "echo")).run_id)
            ids.append((await here.ask(f"Where are {who} and the {name}?", "survey")).run_id)
            ids.append((await here.ask(f"Say that {who} is broken", "survey")).run_id)
        name, who, _ = next(iter(BRIDGES.values()))
        ids += [
            (await here.ask(f"Write a report on the {name} and {who}", flow)).run_id
            for flow in ("router", "semantic", "debate", "research")
        ]
        limits = Limits(tool_calls=3)
        ids.append((await here.ask("Who opened the Mill Bridge?", limits=limits)).run_id)
        for save in range(1, 9):
            flow = ("rag", "survey")[save % 2]
            run_id = RunId(f"killed-{save}")
            await here.killed("Ask who opened the Fen Bridge", flow, run_id, dies_at=save)
            ids.append(run_id)
        for run_id in ids:
            found = await here.replay(run_id)
            assert found.equal, (run_id, found.as_json())
    assert checkpoints(home) == []


@pytest.mark.usefixtures("installed")
async def test_runs_of_a_model_are_those_of_the_simple_engine(home: Path) -> None:
    with model_server(script) as server:
        async with replay_world(home, f"{ENGINE}{model_settings(server.base_url)}") as here:
            answers = [await here.ask(f"Who opened the {one[0]}?") for one in BRIDGES.values()]
            assert opened("harbour") in answers[0].answer
            assert not answers[0].offline
            requests = len(server.requests)
            for answer in answers:
                assert (await here.replay(answer.run_id)).equal
            assert len(server.requests) == requests


@pytest.mark.usefixtures("installed")
async def test_a_cancelled_run_hangs_up_on_its_model_soon(home: Path) -> None:
    with model_server(lambda body: Say(fault=Fault.SILENCE)) as server:
        async with replay_world(home, f"{ENGINE}{model_settings(server.base_url)}") as here:
            task = asyncio.create_task(here.ask("Who opened the Mill Bridge?"))
            while not server.requests:  # noqa: ASYNC110  # the server is a thread
                await asyncio.sleep(0.01)
            began = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while not server.hung_up:
                await asyncio.sleep(0.01)
                assert time.monotonic() - began < SOON
            (run,) = (await here.app.records.runs.newest(local_owner(), limit=2)).runs
            assert run.status is RunStatus.CANCELLED
            assert (await here.replay(run.header.run_id)).equal
    assert checkpoints(home) == []


async def asked(here: ReplayWorld, run_id: RunId) -> None:
    """Begin a run that asks somebody, and leave it waiting."""
    question = f"Ask about {CANARY} and the Mill Bridge"
    asking = Asking(question=question, knowledge_bases=(here.base,), flow="survey", run_id=run_id)
    with pytest.raises(RunSuspended):
        await here.runner.run(local_owner(), asking)


@pytest.mark.usefixtures("installed")
async def test_a_run_that_waits_goes_on_under_either_engine(home: Path) -> None:
    one, other = RunId("one"), RunId("other")
    async with replay_world(home, ENGINE) as here:
        await asked(here, one)
        await asked(here, other)
    kept = checkpoints(home)
    assert any("sure" in part for part in kept), "LangGraph knows what is waited for"
    assert not any(CANARY in part for part in kept), "and nothing of what the run is about"
    async with replay_world(home, ENGINE) as here:
        await here.went_on(one, {"sure": True})
        assert (await here.replay(one)).equal
    async with replay_world(home) as here:
        await here.went_on(other, {"sure": True})
        assert (await here.replay(other)).equal
    assert not any("local/one" in part for part in checkpoints(home))


async def test_where_it_is_not_installed_the_error_says_how(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [one for one in sys.modules if one.partition(".")[0] == "langgraph"]:
        monkeypatch.delitem(sys.modules, name)
    for name in [one for one in sys.modules if one.startswith("weft.adapters.langgraph")]:
        monkeypatch.delitem(sys.modules, name)
    async with replay_world(home) as here:
        values = replace(here.app.settings.values, engine="langgraph")
        object.__setattr__(here.app.settings, "values", values)
        monkeypatch.setitem(sys.modules, "langgraph", None)
        with pytest.raises(ConfigurationError, match=r"weft\[langgraph\]"):
            walker_of(here.app)


def test_it_is_imported_only_where_it_is_chosen() -> None:
    code = (
        "import sys; import weft.bootstrap.flows, weft.api.app;"
        "print([one for one in sys.modules if one.startswith(('langgraph', 'langchain'))])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert said.stdout.decode().strip() == "[]"
