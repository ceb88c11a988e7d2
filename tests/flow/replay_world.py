"""Runs on real records, replayed: documents about bridges, three flows, and a model if wanted."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from echo_flow import ECHO
from model_server import Body, Say, evidence_of, hand_in
from survey_flow import SURVEY
from weft.bootstrap.app import App, load_settings, open_app
from weft.bootstrap.flows import build_flows
from weft.bootstrap.replay import build_replayer
from weft.domain.answer import Answer
from weft.domain.errors import RunSuspended
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.asking import Asking
from weft.flows.catalog import FLOWS, FlowCatalog
from weft.flows.replay.reenactment import AS_IT_WAS, Change
from weft.flows.replay.replayer import Replay
from weft.flows.running import FlowRunner
from weft.platform.identity import local_owner
from weft.ports.records.runs import Runs
from weft.sdk.weft import AsyncWeft

BRIDGES = {
    "harbour": ("Harbour Bridge", "Ada Lindqvist", "14 March 1932"),
    "mill": ("Mill Bridge", "Jonas Okafor", "2 June 1958"),
    "north": ("North Bridge", "Mira Castellan", "9 October 1971"),
    "fen": ("Fen Bridge", "Tomas Adeyemi", "30 April 1904"),
    "gate": ("Gate Bridge", "Li Wei", "17 July 1999"),
}
TOWNS = "town,residents\nTessamar,4100\nOrlund,980\nBrisk,22010\n"


def opened(key: str) -> str:
    """Return the sentence that says who opened a bridge."""
    name, who, day = BRIDGES[key]
    return f"The {name} was opened by {who} on {day}."


def folder_of(home: Path) -> Path:
    """Return the folder that the documents of a world are in."""
    return home.parent / "bridges"


def write_documents(home: Path) -> None:
    """Write a document a bridge, and a table."""
    folder_of(home).mkdir(parents=True, exist_ok=True)
    for key, (name, _, _) in BRIDGES.items():
        text = f"# {name}\n\n{opened(key)}\n\nIts toll was ended in 1990 by the council.\n"
        (folder_of(home) / f"{key}.md").write_text(text)
    (folder_of(home) / "towns.csv").write_text(TOWNS)


def configure(home: Path, settings: str = "") -> None:
    """Write the settings of a workspace."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "weft.yaml").write_text(f"embedder: none\n{settings}")


async def bring_in(home: Path) -> str:
    """Bring the base in step with its documents and return its name."""
    async with await AsyncWeft.open(folder_of(home), home=home) as weft:
        await weft.sync()
        return weft.name


class Killed(BaseException):
    """The process is gone."""


class MortalRuns:
    """Runs whose process dies at a save."""

    def __init__(self, runs: Runs, *, dies_at: int) -> None:
        self._runs = runs
        self._left = dies_at

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runs, name)

    async def save_frontier(self, *args: Any, **named: Any) -> None:
        await self._runs.save_frontier(*args, **named)
        self._left -= 1
        if not self._left:
            raise Killed


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayWorld:
    """What asks and replays."""

    home: Path
    app: App
    base: str
    runner: FlowRunner

    async def ask(
        self, question: str, flow: str = "rag", *, scope: Scope | None = None, **options: Any
    ) -> Answer:
        """Return the answer of a run that is on record."""
        asking = Asking(question=question, knowledge_bases=(self.base,), flow=flow, **options)
        return (await self.runner.run(scope or local_owner(), asking)).answer

    async def replay(
        self, run_id: RunId | None, change: Change = AS_IT_WAS, *, scope: Scope | None = None
    ) -> Replay:
        """Return what a replay shows."""
        assert run_id is not None
        replayer = build_replayer(self.app, self.runner)
        return await replayer.replay(scope or local_owner(), run_id, change)

    async def killed(self, question: str, flow: str, run_id: RunId, *, dies_at: int) -> None:
        """Let the process of a run die at a save, unless the run ends before, and go on."""
        runs = cast("Runs", MortalRuns(self.runner.services.runs, dies_at=dies_at))
        mortal = FlowRunner(replace(self.runner.services, runs=runs), self.runner.catalog)
        asking = Asking(question=question, knowledge_bases=(self.base,), flow=flow, run_id=run_id)
        try:
            await mortal.run(local_owner(), asking)
        except Killed:
            await self.went_on(run_id)
        except RunSuspended:
            await self.went_on(run_id, {"sure": True})

    async def went_on(self, run_id: RunId, answers: Mapping[str, object] | None = None) -> None:
        """Go on with a run, and answer what it asks."""
        try:
            await self.runner.resume(local_owner(), run_id, answers=answers)
        except RunSuspended:
            await self.runner.resume(local_owner(), run_id, answers={"sure": True})

    def dump(self) -> list[str]:
        """Return every row of the records but those of the audit log."""
        with closing(sqlite3.connect(self.home / "records.db")) as connection:
            return [line for line in connection.iterdump() if '"audit' not in line]

    def write(self, statement: str, *values: object) -> int:
        """Change the records behind the product's back; return how many rows."""
        with closing(sqlite3.connect(self.home / "records.db")) as connection, connection:
            return connection.execute(statement, values).rowcount


@asynccontextmanager
async def replay_world(home: Path, settings: str = "") -> AsyncIterator[ReplayWorld]:
    """Open a world over the documents that are there."""
    configure(home, settings)
    base = await bring_in(home)
    app = await open_app(load_settings(home))
    try:
        catalog = FlowCatalog((*FLOWS, ECHO, SURVEY))
        runner = FlowRunner(build_flows(app).services, catalog)
        yield ReplayWorld(home=home, app=app, base=base, runner=runner)
    finally:
        await app.close()


def model_settings(address: str) -> str:
    """Return the settings of a workspace whose model is behind an address."""
    return f"model: openai:scripted\nopenai_base_url: {address}\nmodel_retries: 0\n"


def script(body: Body) -> Say:
    """Search twice, the second time as before, then hand in what was found of a bridge."""
    turns = sum(message["role"] == "assistant" for message in body["messages"])
    asked = next(m["content"] for m in body["messages"] if m["role"] == "user")
    if "Fail" in str(asked):
        return Say(status=400)
    if not turns and "Mistake" in str(asked):
        return Say(calls=[("rag_search", {"query": 7}), ("rag_search", {"words": "bridge"})])
    if turns < 2:
        return Say(calls=[("rag_search", {"query": str(asked)[:200], "top_k": 3})])
    for item in evidence_of(body):
        for key in BRIDGES:
            if opened(key) in item["text"] and BRIDGES[key][0] in str(asked):
                return hand_in(body, (opened(key), [item["id"]]))
    return hand_in(body, missing=["the bridge"])
