"""The database's threads, and what becomes of its errors."""

from __future__ import annotations

import asyncio
import stat
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from patience import SOON, eventually
from weft.adapters.sql.database.columns import clean, microseconds, moment
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.schema import Instant
from weft.adapters.sql.records import open_records
from weft.adapters.sql.worker_names import is_dead, this_process
from weft.domain.errors import ConfigurationError, StoreCorrupt, StoreUnavailable
from weft.ports.records.worklist import retry_delay


class _Noon:
    def now(self) -> datetime:
        return datetime(2026, 3, 1, 12, tzinfo=UTC)

    def elapsed(self) -> float:
        return 0.0


def _store(folder: Path) -> SqlDatabase:
    store = SqlDatabase(f"sqlite:///{folder / 'records.db'}")
    store.write_now(lambda c: c.execute(text("CREATE TABLE t (x INTEGER PRIMARY KEY)")))
    return store


@pytest.mark.anyio
async def test_the_event_loop_goes_on_while_the_database_works(tmp_path: Path) -> None:
    store = _store(tmp_path)
    at_work, loop_went_on = threading.Semaphore(0), threading.Event()

    def slow(connection: Connection) -> int:
        at_work.release()
        assert loop_went_on.wait(SOON)
        return threading.get_ident()

    reading = asyncio.ensure_future(store.read(slow))
    writing = asyncio.ensure_future(store.write(slow))
    for _ in (reading, writing):
        assert await asyncio.to_thread(at_work.acquire, timeout=SOON)
    loop_went_on.set()
    assert len({await reading, await writing, threading.get_ident()}) == 3
    await store.close()


@pytest.mark.anyio
async def test_an_error_undoes_the_whole_write(tmp_path: Path) -> None:
    store = _store(tmp_path)

    def half(connection: Connection) -> None:
        connection.execute(text("INSERT INTO t VALUES (1)"))
        raise KeyError("half way")

    with pytest.raises(KeyError):
        await store.write(half)
    counted = await store.read(lambda c: c.execute(text("SELECT count(*) FROM t")).scalar())
    assert counted == 0
    await store.close()


@pytest.mark.anyio
async def test_many_writers_in_one_process_lose_nothing(tmp_path: Path) -> None:
    store = _store(tmp_path)

    def add(connection: Connection) -> None:
        highest = connection.execute(text("SELECT coalesce(max(x), 0) FROM t")).scalar_one()
        connection.execute(text("INSERT INTO t VALUES (:x)"), {"x": highest + 1})

    await asyncio.gather(*(store.write(add) for _ in range(50)))
    assert await store.read(lambda c: c.execute(text("SELECT max(x) FROM t")).scalar()) == 50
    await store.close()


@pytest.mark.anyio
async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = _store(tmp_path)
    await store.close()
    await store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.read(lambda c: None)


@pytest.mark.anyio
async def test_what_the_database_refuses_is_an_error_of_weft(tmp_path: Path) -> None:
    store = _store(tmp_path)
    twice = text("INSERT INTO t VALUES (1), (1)")
    with pytest.raises(StoreUnavailable, match="refuse"):
        await store.write(lambda c: c.execute(twice))
    with pytest.raises(StoreUnavailable, match="no such table"):
        await store.read(lambda c: c.execute(text("SELECT * FROM nowhere")))
    await store.close()


def test_the_file_is_its_owners_alone_and_keeps_a_log(tmp_path: Path) -> None:
    # What means something else in a URL is part of the name.
    path = tmp_path / "a folder" / "100%20?x=#1.db"
    records = open_records(f"sqlite:///{path}", audit_key=b"k" * 32, clock=_Noon())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def told(pragma: str) -> object:
        return records.database.read_now(lambda c: c.exec_driver_sql(f"PRAGMA {pragma}").scalar())

    assert told("journal_mode") == "wal"
    assert (told("synchronous"), told("foreign_keys"), told("busy_timeout")) == (1, 1, 10_000)
    records.database.close_now()


def test_a_damaged_file_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    path.write_bytes(b"this is not a database, it is a text of some length" * 100)
    with pytest.raises(StoreCorrupt):
        open_records(f"sqlite:///{path}", audit_key=b"k" * 32, clock=_Noon())


@pytest.mark.parametrize(
    "url", ["", "sqlite://", "sqlite:///", "sqlite:///:memory:", "mysql://host/x"]
)
def test_an_address_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError):
        open_records(url, audit_key=b"k" * 32, clock=_Noon())


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable):
        open_records(f"sqlite:///{tmp_path}/file/a.db", audit_key=b"k" * 32, clock=_Noon())


def test_times_keep_every_microsecond() -> None:
    for time_of_day in (
        datetime(2026, 3, 1, 12, 0, 0, 999_999, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    ):
        assert moment(microseconds(time_of_day)) == time_of_day
    assert Instant.cache_ok
    assert clean("ok 한 \ud800\0") == "ok 한 ?\ufffd"


def test_the_living_and_the_dead_are_told_apart() -> None:
    me = this_process()
    host, pid, started = me.rsplit(":", 2)
    assert not is_dead(me)
    assert is_dead(f"{host}:{pid}:{int(started) - 1}")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert is_dead(f"{host}:{ended.pid}:1")
    for unknown in (f"elsewhere:{ended.pid}:1", "", "nonsense", f"{host}:x:1"):
        assert not is_dead(unknown)


def test_a_process_that_nobody_waited_for_is_dead() -> None:
    host = this_process().rsplit(":", 2)[0]
    child = subprocess.Popen([sys.executable, "-c", ""])
    assert eventually(lambda: is_dead(f"{host}:{child.pid}:1"), what="the end of a process")
    assert child.returncode is None
    child.wait()


def test_waiting_doubles_up_to_a_limit() -> None:
    least = [retry_delay(n, 0.0).total_seconds() for n in range(1, 13)]
    assert least[:4] == [0.5, 1.0, 2.0, 4.0]
    assert least[-1] == 150.0
    assert retry_delay(1, 0.999).total_seconds() < 1.0
    assert retry_delay(10_000, 0.999).total_seconds() <= 300
