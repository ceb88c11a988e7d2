"""Publishing when the acknowledgement was lost: it is done again, and says what was done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

import pytest

from weft.adapters.neo4j import publishing
from weft.adapters.neo4j.database import Address, Neo4jDatabase, Parameters, Row, Transaction
from weft.adapters.neo4j.patches import patch_rows
from weft.adapters.neo4j.publishing import Neo4jPublishing
from weft.adapters.neo4j.vocabulary import vocabulary
from weft.ontology.catalog import load_baseline
from weft.ports.publishing import Fence
from worlds import WRITER, Draft, patch_of

pytestmark = pytest.mark.anyio
T = TypeVar("T")
PATCH = patch_of(Draft("doc0", frozenset({"tenant:*"}), ((1, 2),)))
WORDS = vocabulary(load_baseline())
FENCE = Fence(key="world", number=1)


class Memory(Transaction):
    """A transaction on one document's version, which is all that is kept."""

    def __init__(self, store: LosesAcknowledgements) -> None:
        self._store = store

    async def run(
        self, name: str, parameters: Parameters | None = None, *, identifier: str | None = None
    ) -> list[Row]:
        store = self._store
        if name == "begin_change":
            store.version += 1
            return [[store.version, 1, store.document, 7, []]]
        if name == "put_document":
            store.document = PATCH.document.version
        elif name == "drop_document":
            store.document = None
        return [[[]]]


class LosesAcknowledgements(Neo4jDatabase):
    """A database that does everything, then says that it does not know: the first time."""

    def __init__(self, document: str | None) -> None:
        super().__init__(Address(uri="bolt://127.0.0.1:1", user="", password=""))
        self.version = 4
        self.document = document

    async def write(
        self, work: Callable[[Transaction], Awaitable[T]], *, seconds: float = 1.0
    ) -> T:
        await work(Memory(self))
        return await work(Memory(self))


async def test_a_deletion_done_by_an_attempt_without_an_answer_was_a_deletion() -> None:
    database = LosesAcknowledgements(PATCH.document.version)
    ours = Neo4jPublishing(database, WORDS)
    assert await ours.delete(WRITER, PATCH.document.id, fence=FENCE)
    assert database.document is None
    await database.close()


async def test_a_patch_published_by_an_attempt_without_an_answer_is_not_published_twice() -> None:
    database = LosesAcknowledgements(None)
    ours = Neo4jPublishing(database, WORDS)
    version = await ours.publish(WRITER, PATCH, expected_version=None, fence=FENCE)
    assert version == 5
    await database.close()


@pytest.mark.parametrize("chunks", [1, 3, 7])
def test_a_patch_is_written_whole_whatever_its_size(
    monkeypatch: pytest.MonkeyPatch, chunks: int
) -> None:
    monkeypatch.setattr(publishing, "_ROWS", 2)
    sentences = tuple((1, n % 4) for n in range(chunks))
    parts = patch_rows(patch_of(Draft("doc0", frozenset({"tenant:*"}), sentences)), WORDS)
    written = list(publishing.pieces(parts))
    assert all(set(each) == set(written[0]) for each in written)
    for name in ("chunks", "entities", "mentions", "sightings", "claims", "literals", "names"):
        rows = [row for each in written for row in cast(list[object], each[name])]
        assert rows == getattr(parts, name), name
    last = [bool(each["handles"] or each["names"]) for each in written]
    assert last == [*([False] * (len(written) - 1)), True]
    ends = [at for at, each in enumerate(written) if each["chunks"] or each["entities"]]
    ways = [at for at, each in enumerate(written) if each["mentions"] or each["sightings"]]
    assert max(ends) <= min(ways)
