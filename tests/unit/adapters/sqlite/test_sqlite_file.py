"""One file: made whole or not at all, and usable after any error."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from weft.adapters.sqlite.database import Connection, SqliteDatabase
from weft.adapters.sqlite.statements import schema, statements
from weft.adapters.sqlite.store import SqliteStore, open_store
from weft.domain.errors import IndexMismatch, NotFound, StoreCorrupt, StoreUnavailable
from worlds import DIMENSIONS, WRITER

pytestmark = pytest.mark.anyio


async def opened(path: Path, *, make: bool = True) -> SqliteStore:
    settings = {"embedder": "test"} if make else None
    return await open_store(path, tenant="local", settings=settings, dimensions=DIMENSIONS)


def beginning_with(path: Path) -> list[Path]:
    return list(path.parent.glob(f"{path.name}*"))


def tables(path: Path) -> set[str]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT name FROM sqlite_master").fetchall()
    connection.close()
    return {row[0] for row in rows}


@pytest.mark.parametrize("stop", [1, 5, 20])
async def test_tables_are_made_all_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    lines = schema().split(";\n")
    broken = ";\n".join(lines[:stop]) + ";\nTHIS IS WRONG;\n"
    monkeypatch.setattr("weft.adapters.sqlite.store.schema", lambda: broken)
    with pytest.raises(StoreUnavailable):
        await opened(tmp_path / "b.db")
    assert tables(tmp_path / "b.db") == set()
    monkeypatch.undo()
    store = await opened(tmp_path / "b.db")
    assert (await store.holdings.settings(WRITER))["embedder"] == "test"
    await store.close()


async def test_who_only_looks_makes_nothing(tmp_path: Path) -> None:
    (tmp_path / "b.db").touch()
    with pytest.raises(NotFound):
        await opened(tmp_path / "b.db", make=False)
    assert tables(tmp_path / "b.db") == set()
    store = await opened(tmp_path / "b.db")
    assert (await store.holdings.settings(WRITER))["dimensions"] == str(DIMENSIONS)
    await store.close()


async def test_many_open_a_new_file_at_once(tmp_path: Path) -> None:
    stores = await asyncio.gather(*(opened(tmp_path / "b.db") for _ in range(6)))
    assert len({store.database.path for store in stores}) == 1
    fences = await asyncio.gather(*(s.publishing.issue_fence(WRITER, "w") for s in stores))
    assert sorted(fence.number for fence in fences) == [1, 2, 3, 4, 5, 6]
    for store in stores:
        await store.close()


async def test_another_schema_is_named_and_the_file_let_go(tmp_path: Path) -> None:
    store = await opened(tmp_path / "b.db")
    await store.database.write(
        lambda c: c._raw.execute("UPDATE setting SET value = '0' WHERE key = 'schema'")
    )
    await store.close()
    with pytest.raises(IndexMismatch, match="schema 0"):
        await opened(tmp_path / "b.db")


async def test_a_file_that_is_none_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "b.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreCorrupt):
        await opened(tmp_path / "b.db")


async def test_a_closed_file_says_so(tmp_path: Path) -> None:
    store = await opened(tmp_path / "b.db")
    await store.close()
    with pytest.raises(StoreUnavailable):
        await store.holdings.counts(WRITER)


async def test_a_file_that_was_taken_away_is_not_made_anew_by_whoever_reads_it(
    tmp_path: Path,
) -> None:
    """Threads that read make their connections when they are first needed, which may be later."""
    store = await opened(tmp_path / "b.db")
    for part in beginning_with(tmp_path / "b.db"):
        part.unlink()
    looks = [store.holdings.counts(WRITER) for _ in range(16)]
    seen = await asyncio.gather(*looks, return_exceptions=True)
    assert not beginning_with(tmp_path / "b.db")
    assert all(isinstance(each, StoreUnavailable) for each in seen)
    await store.database.close()


async def test_an_error_at_the_last_step_undoes_all_and_frees_the_writer(tmp_path: Path) -> None:
    """What a deferred constraint refuses at COMMIT stands for a disk that is full there."""
    database = SqliteDatabase(tmp_path / "c.db")
    await database.write(
        lambda c: c.script(
            "CREATE TABLE a (id INTEGER PRIMARY KEY);\n"
            "CREATE TABLE b (a REFERENCES a DEFERRABLE INITIALLY DEFERRED);\n"
        )
    )
    await database.prepare(lambda c: c._raw.execute("PRAGMA foreign_keys = ON"))

    def orphan(connection: Connection) -> None:
        connection._raw.execute("INSERT INTO b VALUES (1)")

    def rows(connection: Connection) -> int:
        return len(connection._raw.execute("SELECT * FROM b").fetchall())

    with pytest.raises(StoreUnavailable, match="FOREIGN KEY"):
        await database.write(orphan)
    await database.write(lambda c: c._raw.execute("INSERT INTO a VALUES (1)"))
    await database.write(orphan)
    assert await database.read(rows) == 1
    await database.close()


def test_every_query_has_a_name_of_its_own() -> None:
    assert len(statements()) > 60
    assert not [name for name, text in statements().items() if "{readable}" in text]
