"""Checkpoints of LangGraph on every database that records are kept in."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from contract.records_world import each_database
from unit.runtime.flow_world import RUN, SCOPE, World, breaks, chain, logs, seed
from weft.domain.errors import StoreUnavailable
from weft.ports.records.runs import RunStatus
from weft.runtime.context import NodeResult, RunContext, RunSeed

pytest.importorskip("langgraph")

from weft.adapters.langgraph.checkpoints import Checkpoints
from weft.adapters.langgraph.walker import LangGraphWalker

pytestmark = pytest.mark.anyio
FLOW = chain("a", "b", "c", uses={"a": "log", "b": "ask", "c": "log"})
CANARY = "zanzibarquartz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A database, and what of it holds checkpoints."""

    url: str

    def rows(self) -> Mapping[str, str]:
        """Return all rows of the tables of checkpoints, as text."""
        url = make_url(self.url)
        if url.drivername == "postgresql":
            url = url.set(drivername="postgresql+psycopg")
        found = {}
        engine = create_engine(url)
        with engine.begin() as connection:
            names = [one for one in _tables(self.url) if one]
            for name in names:
                rows = connection.execute(text(f"SELECT * FROM {name}")).all()
                found[name] = "\n".join(_said(part) for row in rows for part in row)
        engine.dispose()
        return found


def _tables(url: str) -> list[str]:
    if url.startswith("sqlite"):
        return ["checkpoints", "writes"]
    return ["checkpoints", "checkpoint_writes", "checkpoint_blobs"]


def _said(part: object) -> str:
    if isinstance(part, memoryview):
        part = part.tobytes()
    return part.decode("utf-8", "replace") if isinstance(part, bytes) else str(part)


@pytest.fixture
def kept(database: str, tmp_path: Path) -> Iterator[Kept]:
    if database == "sqlite":
        yield Kept(url=f"sqlite:///{tmp_path / 'checkpoints.db'}")
        return
    server = make_url(os.environ["WEFT_TEST_DATABASE_URL"]).set(drivername="postgresql")
    schema = f"test_{secrets.token_hex(6)}"
    outside = create_engine(server.set(drivername="postgresql+psycopg"))
    with outside.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    inside = server.update_query_dict({"options": f"-csearch_path={schema}"})
    try:
        yield Kept(url=inside.render_as_string(hide_password=False))
    finally:
        with outside.begin() as connection:
            connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
        outside.dispose()


async def asks(ctx: RunContext) -> NodeResult:
    said = await ctx.ask({"about": CANARY}, key="sure")
    return NodeResult(state_patch={"said": str(said), "log": [ctx.path]})


def world(checkpoints: Checkpoints, before: World | None = None) -> World:
    """Return a world of its own, on the records of one that is gone."""
    nodes = {"log": logs, "ask": asks, "break": breaks}
    made = World(nodes, walks=LangGraphWalker(checkpoints))
    if before is not None:
        made.record = before.record
    return made


@each_database
async def test_a_run_that_waits_goes_on_in_another_process(kept: Kept) -> None:
    first = Checkpoints(kept.url)
    here = world(first)
    outcome = await here.engine.run(FLOW, seed(secret=CANARY))
    assert outcome.status is RunStatus.SUSPENDED
    await first.close()
    said = kept.rows()
    assert "sure" in "".join(said.values())
    assert CANARY not in "".join(said.values())
    second = Checkpoints(kept.url)
    there = world(second, here)
    done = await there.engine.resume(FLOW, seed(), answers={"sure": "yes"}, last_seq=outcome.seq)
    assert done.status is RunStatus.FINISHED
    assert (done.state["said"], done.state["log"]) == ("yes", ("a", "b", "c"))
    await second.close()
    assert not any(kept.rows().values())


@each_database
async def test_two_tenants_runs_of_one_name_do_not_meet(kept: Kept) -> None:
    checkpoints = Checkpoints(kept.url)
    here, there = world(checkpoints), world(checkpoints)
    await here.engine.run(FLOW, seed())
    elsewhere = RunSeed(run_id=RUN, scope=replace(SCOPE, tenant="globex"))
    await there.engine.run(FLOW, elsewhere)
    done = await there.engine.resume(FLOW, elsewhere, answers={"sure": "yes"})
    assert done.status is RunStatus.FINISHED
    said = "".join(kept.rows().values())
    assert "local/run-1" in said
    assert "globex/run-1" not in said
    await checkpoints.close()


@each_database
async def test_of_a_run_that_failed_nothing_is_kept(kept: Kept) -> None:
    checkpoints = Checkpoints(kept.url)
    flow = chain("a", "b", uses={"a": "log", "b": "break"})
    outcome = await world(checkpoints).engine.run(flow, seed())
    assert outcome.status is RunStatus.FAILED
    await checkpoints.close()
    assert not any(kept.rows().values())


async def test_checkpoints_that_cannot_be_kept_are_said(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints.db"
    path.write_bytes(b"no database at all, but of some length" * 100)
    checkpoints = Checkpoints(f"sqlite:///{path}")
    with pytest.raises(StoreUnavailable, match="checkpoints"):
        await world(checkpoints).engine.run(FLOW, seed())
    await checkpoints.close()
