"""Vector and full-text indexes of one database, for other tools; ranking never uses them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from weft.adapters.neo4j.database import Neo4jDatabase, Transaction
from weft.adapters.neo4j.rows import Properties, collected
from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.ports.browsing import NameIndex
from weft.stores.missing import no_base
from weft.stores.packing import unpack_vectors
from weft.stores.values import binary, whole

_BATCH = 1000
_SECONDS = 120.0
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowsingIndexes:
    """The names of the two indexes: of passage vectors (cosine), and of entities' names."""

    vectors: str = "chunk_embeddings"
    names: str = "entity_fulltext"

    def __post_init__(self) -> None:
        for name in (self.vectors, self.names):
            if not _NAME.fullmatch(name):
                raise BadInput(
                    f"'{name}' cannot name an index: a letter, then letters, digits and _.",
                    name=name,
                )


class Neo4jBrowsing:
    """Implements `ports/browsing.py` on one database."""

    def __init__(
        self, database: Neo4jDatabase, indexes: BrowsingIndexes, *, dimensions: int
    ) -> None:
        """Make nothing yet; the vectors have so many dimensions."""
        self._database = database
        self._indexes = indexes
        self._dimensions = dimensions

    async def ensure(self, scope: Scope) -> int:
        """Make what is missing, and return how many vectors were added; see the port."""
        await self._check(scope)
        return await ensure_browsing(self._database, self._indexes, dimensions=self._dimensions)

    async def ensure_names(self, scope: Scope, name: str, *, make: bool) -> NameIndex:
        """Return the full-text index of that name; see the port."""
        BrowsingIndexes(names=name)  # refuses what cannot name one
        await self._check(scope)
        found = await self._names(name)
        if found.state or not make:
            return found
        await _make(self._database, "make_name_index", name)
        await self._database.reading(lambda t: t.run("await_indexes"), seconds=_SECONDS)
        return replace(await self._names(name), created=True)

    async def _names(self, name: str) -> NameIndex:
        rows = await self._database.read("name_index", {"name": name})
        called, state, labels, properties = rows[0] if rows else (name, "", (), ())
        return NameIndex(
            name=str(called),
            state=str(state),
            labels=tuple(map(str, cast("list[object]", labels))),
            properties=tuple(map(str, cast("list[object]", properties))),
        )

    async def drop(self, scope: Scope) -> None:
        """Remove both indexes; see the port."""
        await self._check(scope)
        await drop_browsing(self._database, self._indexes)

    async def _check(self, scope: Scope) -> None:
        if not await self._database.read("settings", {"tenant": scope.tenant}):
            raise no_base()


async def ensure_browsing(
    database: Neo4jDatabase, indexes: BrowsingIndexes, *, dimensions: int
) -> int:
    """Make both indexes where they are missing, and return how many vectors were put into lists.

    Vectors of documents that are published later are not in the index until this is done again.
    Without an embedder (`dimensions` 0) there is no index of vectors.
    """
    written = 0
    await _make(database, "make_name_index", indexes.names)
    if dimensions:
        await _make(database, "make_vector_index", indexes.vectors, dimensions=dimensions)
    # What is written while an index is still being made may be late in it.
    await database.reading(lambda t: t.run("await_indexes"), seconds=_SECONDS)
    if dimensions:
        while found := await _fill(database, dimensions):
            written += found
    return written


async def drop_browsing(database: Neo4jDatabase, indexes: BrowsingIndexes) -> None:
    """Remove both indexes and the lists of numbers that were kept for them."""
    for name in (indexes.vectors, indexes.names):
        await _make(database, "drop_index", name)
    left = 1
    while left:
        rows = await database.write(
            lambda t: t.run("drop_embeddings", {"limit": _BATCH}), seconds=_SECONDS
        )
        left = whole(rows[0][0])


async def _make(database: Neo4jDatabase, query: str, name: str, **parameters: object) -> None:
    await database.write(
        lambda t: t.run(query, dict(parameters), identifier=name), seconds=_SECONDS
    )


async def _fill(database: Neo4jDatabase, dimensions: int) -> int:
    """Put some vectors into lists and return how many there were to be put."""

    async def put(transaction: Transaction) -> int:
        rows = await collected(transaction, "bare_chunks", given={"limit": _BATCH})
        put: list[Properties] = [
            {
                "id": key,
                "v": v,
                "embedding": unpack_vectors(binary(vector), dimensions)[0].tolist(),
            }
            for key, v, vector in rows
        ]
        if put:
            await transaction.run("put_embeddings", {"rows": put})
        return len(put)

    return await database.write(put, seconds=_SECONDS)
