"""Indexes for other tools: they find what is there, and nothing of ours depends on them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from contract.stores import address, on_neo4j
from contract.test_laws import QUESTIONS, export, ranking
from weft.adapters.neo4j.browsing import BrowsingIndexes, Neo4jBrowsing
from weft.adapters.neo4j.database import Neo4jDatabase
from weft.domain.errors import BadInput, NotFound
from worlds import DIMENSIONS, OPEN, WRITER, Draft, patch_of, put_drafts, vector

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]
servers = pytest.mark.parametrize(
    "number",
    [
        pytest.param("", marks=pytest.mark.server("neo4j")),
        pytest.param("_2", marks=pytest.mark.server("neo4j-2")),
    ],
    ids=["neo4j 5.26", "neo4j 2026"],
)
WORLD = [Draft("doc0", OPEN, ((1, 2), (4,))), Draft("doc1", OPEN, ((3,),))]
INDEXES = BrowsingIndexes(vectors="test_vectors", names="test_names")
# The index is approximate: of the single nearest it may give another.
NEAREST = """CALL db.index.vector.queryNodes('test_vectors', 3, $vector) YIELD node, score
RETURN node.id, score"""
NAMED = """CALL db.index.fulltext.queryNodes('test_names', 'apollo') YIELD node
RETURN collect(node.key)"""
INDEXED = "SHOW INDEXES YIELD name WHERE name STARTS WITH 'test_' RETURN collect(name)"
LISTS = "MATCH (c:Chunk) WHERE c.embedding IS NOT NULL RETURN count(c)"


@pytest.fixture
async def database(number: str) -> AsyncIterator[Neo4jDatabase]:
    """Yield a connection of another tool."""
    opened = Neo4jDatabase(address(number))
    try:
        yield opened
    finally:
        await opened.close()


async def asked(database: Neo4jDatabase, text: str, **parameters: object) -> list[list[object]]:
    rows = await database.reading(lambda t: t.run_text(text, parameters, name="test"), seconds=30)
    return [list(row) for row in rows]


async def shown(
    database: Neo4jDatabase, text: str, wanted: object, **parameters: object
) -> list[list[object]]:
    """Ask until what is wanted comes first: an index that is ready takes its time to show it."""
    rows: list[list[object]] = []
    for _ in range(600):
        rows = await asked(database, text, **parameters)
        if rows and rows[0][0] == wanted:
            return rows
        await asyncio.sleep(0.1)
    raise AssertionError(f"the index shows {rows}")


@servers
async def test_other_tools_find_vectors_and_names(number: str, database: Neo4jDatabase) -> None:
    async with on_neo4j(number) as store:
        await put_drafts(store, *WORLD)
        before = [await ranking(store, WRITER, question) for question in QUESTIONS]
        exported = await export(store)
        browsing = Neo4jBrowsing(database, INDEXES, dimensions=DIMENSIONS)
        assert await browsing.ensure(WRITER) == 3
        assert await browsing.ensure(WRITER) == 0
        passage = patch_of(WORLD[1]).passages[0]
        wanted = vector("doc1" + passage.chunk.text).tolist()
        (_, score), *_ = await shown(database, NEAREST, passage.chunk.id, vector=wanted)
        assert isinstance(score, float)
        assert score > 0.99
        assert await shown(database, NAMED, ["software:apollo"])
        assert [await ranking(store, WRITER, question) for question in QUESTIONS] == before
        assert await export(store) == exported
        for act in (browsing.ensure, browsing.drop):
            with pytest.raises(NotFound):
                await act(replace(WRITER, tenant="other"))
        await browsing.drop(WRITER)
        assert await asked(database, INDEXED) == [[[]]]
        assert await asked(database, LISTS) == [[0]]


@servers
async def test_a_name_index_is_made_once_and_only_where_it_is_wanted(
    number: str, database: Neo4jDatabase
) -> None:
    async with on_neo4j(number) as store:
        await put_drafts(store, *WORLD)
        browsing = Neo4jBrowsing(database, INDEXES, dimensions=DIMENSIONS)
        name = "names_of_things"
        assert not (await browsing.ensure_names(WRITER, name, make=False)).state
        first = await browsing.ensure_names(WRITER, name, make=True)
        again = await browsing.ensure_names(WRITER, name, make=True)
        assert (first.created, again.created) == (True, False)
        other = await browsing.ensure_names(WRITER, "another_name", make=True)
        assert (other.name, other.created) == (name, False)
        assert (again.state, again.labels, again.properties) == ("ONLINE", ("Entity",), ("name",))
        with pytest.raises(NotFound):
            await browsing.ensure_names(replace(WRITER, tenant="other"), name, make=True)
        with pytest.raises(BadInput):
            await browsing.ensure_names(WRITER, "a b", make=True)
        await Neo4jBrowsing(database, BrowsingIndexes(names=name), dimensions=DIMENSIONS).drop(
            WRITER
        )


@pytest.mark.parametrize("name", ["", "1st", "a b", "a`) //", "x" * 64])
def test_an_index_has_a_plain_name(name: str) -> None:
    with pytest.raises(BadInput):
        BrowsingIndexes(vectors=name)
