"""Publishing when the acknowledgement was lost: it is done again, and says what was done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from weft.adapters.neo4j.database import Address, Database, Parameters, Row, Transaction
from weft.adapters.neo4j.publishing import Neo4jPublishing
from weft.adapters.neo4j.vocabulary import vocabulary
from weft.ontology.catalog import load_baseline
from weft.ports.publishing import Fence
from worlds import WRITER, Draft, patch_of

pytestmark = pytest.mark.anyio
T = TypeVar("T")
PATCH = patch_of(Draft("doc0", frozenset({"tenant:*"}), ((1, 2),)))
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


class LosesAcknowledgements(Database):
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
    publishing = Neo4jPublishing(database, vocabulary(load_baseline()))
    assert await publishing.delete(WRITER, PATCH.document.id, fence=FENCE)
    assert database.document is None
    await database.close()


async def test_a_patch_published_by_an_attempt_without_an_answer_is_not_published_twice() -> None:
    database = LosesAcknowledgements(None)
    publishing = Neo4jPublishing(database, vocabulary(load_baseline()))
    version = await publishing.publish(WRITER, PATCH, expected_version=None, fence=FENCE)
    assert version == 5
    await database.close()
