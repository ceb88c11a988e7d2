"""What the contract tests of the records share: the databases, a clock that is set, and callers."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from weft.adapters.sql.records import Records, open_records
from weft.domain.event import EventType, RunEvent
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.platform.identity import OWNER_PERMISSIONS, principal_scope
from weft.ports.records.runs import RunHeader

KEY = b"a key for tests, of thirty-two b"
NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)

# Another database is one more line here.
each_database = pytest.mark.parametrize(
    "database",
    ["sqlite", pytest.param("postgres", marks=pytest.mark.server("postgres"))],
)


@dataclass(slots=True)
class SetClock:
    """A clock that stands still until it is moved."""

    time: datetime = NOON

    def now(self) -> datetime:
        return self.time

    def elapsed(self) -> float:
        return (self.time - NOON).total_seconds()

    def move(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


def caller(name: str, *, tenant: str = "acme", more: frozenset[str] = frozenset()) -> Scope:
    return principal_scope(
        tenant=tenant, actor=f"user:{name}", groups=(), permissions=OWNER_PERMISSIONS | more
    )


ANN = caller("ann")
BOB = caller("bob")
ANN_ELSEWHERE = caller("ann", tenant="globex")
OVERSEER = caller("eve", more=frozenset({"run.read.all", "job.manage"}))


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Open records, their address and their clock."""

    records: Records
    url: str
    clock: SetClock = field(default_factory=SetClock)


@contextmanager
def database_url(database: str, folder: Path) -> Iterator[str]:
    """Yield the address of an empty database of that kind."""
    if database == "sqlite":
        yield f"sqlite:///{folder / 'records.db'}"
        return
    server = make_url(os.environ["WEFT_TEST_DATABASE_URL"]).set(drivername="postgresql+psycopg")
    schema = f"test_{secrets.token_hex(6)}"
    engine = create_engine(server)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    inside = server.update_query_dict({"options": f"-csearch_path={schema}"})
    try:
        yield inside.render_as_string(hide_password=False)
    finally:
        with engine.begin() as connection:
            connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
        engine.dispose()


@asynccontextmanager
async def world(database: str, folder: Path) -> AsyncIterator[World]:
    """Yield open records in an empty database."""
    with database_url(database, folder) as url:
        clock = SetClock()
        records = open_records(url, audit_key=KEY, clock=clock)
        try:
            yield World(records=records, url=url, clock=clock)
        finally:
            await records.close()


def child(act: str, url: str, *args: str) -> subprocess.Popen[str]:
    """Start another process that does `act` of `records_child.py` on the same database."""
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("records_child.py")), act, url, *args],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )


def header(run_id: str, *, started: datetime = NOON, preview: str = "why?") -> RunHeader:
    return RunHeader(
        run_id=RunId(run_id),
        agent="rag@1",
        flow="rag",
        started=started,
        question_hash="0f",
        preview=preview,
        kb_refs=("Docs",),
    )


def event(run_id: str, seq: int, kind: EventType = EventType.NODE_FINISHED) -> RunEvent:
    return RunEvent(
        seq=seq,
        run_id=RunId(run_id),
        ts=NOON + timedelta(microseconds=seq),
        type=kind,
        node=f"node{seq}",
        parent="root",
        sources=("a", "b"),
        data={"text": f"words of {seq}", "한": [1, None, 2.5, {"deep": "\ud800\0"}]},
    )
