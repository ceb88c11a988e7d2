"""The index for substrings in parts: it finds what one whole would, and keeps nothing removed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from unit.adapters.sqlite.test_traces import NAME, SECRET, drop, opened, secret, traces
from weft.adapters.sqlite import statements
from weft.adapters.sqlite.store import SqliteStore
from worlds import ACLS, WRITER, Draft, patch_of, put

pytestmark = pytest.mark.anyio
_WHOLE = """
DROP TABLE untidy;
CREATE VIRTUAL TABLE chunk_text USING fts5 (
    text, content = 'chunk', content_rowid = 'rowid', tokenize = 'trigram', detail = 'none'
);
CREATE TRIGGER chunk_added AFTER INSERT ON chunk BEGIN
    INSERT INTO chunk_text (rowid, text) VALUES (new.rowid, new.text);
END;
CREATE TRIGGER chunk_removed AFTER DELETE ON chunk BEGIN
    INSERT INTO chunk_text (chunk_text, rowid, text) VALUES ('delete', old.rowid, old.text);
END;
INSERT INTO chunk_text (chunk_text) VALUES ('rebuild');
UPDATE setting SET value = '1' WHERE key = 'schema';
INSERT INTO setting (key, value) VALUES ('untidy', '1');
"""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let parts have four chunks at most."""
    monkeypatch.setattr(statements, "PART_BITS", 2)
    for kept in (statements.statements, statements.of_part):
        kept.cache_clear()
    yield
    monkeypatch.undo()
    for kept in (statements.statements, statements.of_part):
        kept.cache_clear()


async def parts(store: SqliteStore) -> list[int]:
    rows = await store.database.read(lambda c: c.run("text_parts").fetchall())
    return sorted(row[0] for row in rows)


async def found(store: SqliteStore, phrase: str, limit: int = 50) -> list[str]:
    return list(await store.knowledge.containing(WRITER, phrase, limit))


async def filled(folder: Path, count: int = 7) -> SqliteStore:
    store = await opened(folder)
    for number in range(count):
        await put(store, patch_of(Draft(f"d{number}", ACLS[-1], ((0, 3), (5, number % 6)))))
    return store


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "phrase", ["the", "Apollo", "Wei", "ing", "a_o", "o%", "%", "li", "Äpo", "the o"]
)
async def test_parts_find_what_a_search_without_them_finds(tmp_path: Path, phrase: str) -> None:
    store = await filled(tmp_path)
    assert len(await parts(store)) > 2
    rows = await store.database.read(
        lambda c: c._raw.execute(
            "SELECT id FROM chunk WHERE instr(lower(text), lower(?)) ORDER BY doc_id, chunk_index",
            (phrase,),
        ).fetchall()
    )
    wanted = [row[0] for row in rows]
    assert await found(store, phrase) == wanted
    assert await found(store, phrase, limit=3) == wanted[:3]
    await store.close()


async def test_the_index_is_used(tmp_path: Path) -> None:
    """Where it is not, LIKE reads every chunk of the file for each part."""
    store = await filled(tmp_path)
    query = statements.of_part("containing", 0).partition("AND instr")[0]
    plan = await store.database.read(
        lambda c: c._raw.execute(f"EXPLAIN QUERY PLAN {query}", {"pattern": "%apollo%"}).fetchall()
    )
    assert any("INDEX 0:L" in row[3] for row in plan), plan
    await store.close()


@pytest.mark.usefixtures("small")
async def test_what_is_removed_leaves_no_trace_in_any_part(tmp_path: Path) -> None:
    store = await filled(tmp_path)
    await put(store, secret())
    for number in range(4):
        await drop(store, patch_of(Draft(f"d{number}", ACLS[-1], ((0, 3), (5, 0)))).document.id)
    await drop(store, secret().document.id)
    assert not await store.publishing.is_tidy()
    before = await parts(store)
    await store.publishing.tidy()
    assert await store.publishing.is_tidy()
    assert len(await parts(store)) < len(before)
    assert await found(store, SECRET) == []
    await put(store, secret())
    assert len(await found(store, SECRET)) == 1
    await drop(store, secret().document.id)
    await store.close()
    assert traces(tmp_path, SECRET, NAME) == []


@pytest.mark.usefixtures("small")
async def test_a_file_of_the_first_schema_is_divided(tmp_path: Path) -> None:
    store = await filled(tmp_path)
    await put(store, secret())
    wanted = await found(store, "Apollo")
    names = await parts(store)
    await store.close()
    with closing(sqlite3.connect(tmp_path / "b.db")) as file:
        for part in names:
            file.executescript(
                f"DROP TRIGGER chunk_added_{part}; DROP TRIGGER chunk_removed_{part};"
                f"DROP TABLE chunk_text_{part};"
            )
        file.executescript(_WHOLE)
    store = await opened(tmp_path)
    assert await parts(store) == names
    assert await found(store, "Apollo") == wanted
    assert not await store.publishing.is_tidy()
    await drop(store, secret().document.id)
    await store.close()
    assert traces(tmp_path, SECRET, NAME) == []
    again = await opened(tmp_path)
    assert await again.publishing.is_tidy()
    await again.close()


def test_a_new_part_reads_its_own_chunks_alone() -> None:
    """However many the base has: it would be all of them, each time another part is begun."""
    script = statements.text_part(3)
    begin = script.index("SELECT rowid")
    filling = script[begin : script.index(";", begin)]
    first, last = 3 << statements.PART_BITS, (4 << statements.PART_BITS) - 1
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE chunk (text TEXT)")
        places = [(place,) for place in (1, first - 1, first, last, last + 1)]
        connection.executemany("INSERT INTO chunk (rowid, text) VALUES (?, '')", places)
        assert [row[0] for row in connection.execute(filling)] == [first, last]
        steps = connection.execute(f"EXPLAIN QUERY PLAN {filling}").fetchall()
    assert [step[3].partition(" ")[0] for step in steps] == ["SEARCH"]
