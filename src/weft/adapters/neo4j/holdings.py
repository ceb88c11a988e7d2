"""Counts, settings, whole patches and the canonical export of one database."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator, Mapping

from weft.adapters.neo4j.consistency import settled, settled_rows
from weft.adapters.neo4j.database import Neo4jDatabase, Transaction
from weft.adapters.neo4j.exports import export_lines, whole_patch
from weft.adapters.neo4j.rows import Collected, Properties
from weft.adapters.neo4j.vocabulary import Vocabulary
from weft.domain.ids import DocumentId
from weft.domain.patch import Patch
from weft.domain.scope import Scope
from weft.ports.holdings import BaseCounts, EmbeddedDocument, embedded_of
from weft.stores.canonical import canonical
from weft.stores.missing import no_base
from weft.stores.rows import to_counts
from weft.stores.values import whole

# Whoever counts, exports, clears or drops all of a knowledge base waits for it.
_LONG_SECONDS = 600.0
_COUNT_SECONDS = 15.0


class Neo4jHoldings:
    """Implements `ports/holdings.py` on one database."""

    def __init__(self, database: Neo4jDatabase, words: Vocabulary) -> None:
        """Know the relationship types that claims have by a vocabulary."""
        self._database = database
        self._words = words

    async def counts(self, scope: Scope) -> BaseCounts:
        """Return how much the caller may read."""
        rows = await settled(
            self._database, scope, lambda t, under: t.run("counts", under), seconds=_COUNT_SECONDS
        )
        return to_counts(rows[0])

    async def versions(self, scope: Scope, source: str | None) -> dict[DocumentId, str]:
        """Return the version of every document, or of a source's, for writers."""
        rows = await self._of_source("versions", scope, source)
        return {DocumentId(str(key)): str(version) for key, version in rows}

    async def chunk_counts(self, scope: Scope, source: str) -> dict[DocumentId, int]:
        """Return how many chunks every document of a source has, for writers."""
        rows = await self._of_source("chunk_counts", scope, source)
        return {DocumentId(str(key)): whole(count) for key, count in rows}

    async def patch(self, scope: Scope, document_id: DocumentId) -> Patch:
        """Return a readable document's whole patch, or raise `NotFound`."""

        async def load(transaction: Transaction, under: Properties) -> Patch:
            made_with = await _settings(transaction, scope)
            dimensions = int(made_with.get("dimensions", "0"))
            asked = {**under, "ids": [document_id]}
            return await whole_patch(transaction, asked, words=self._words, dimensions=dimensions)

        return await settled(self._database, scope, load, seconds=_COUNT_SECONDS)

    async def embedded(self, scope: Scope, document_id: DocumentId) -> EmbeddedDocument:
        """Return what of a readable document has vectors, or raise `NotFound`."""
        return embedded_of(await self.patch(scope, document_id))

    async def export(self, scope: Scope) -> AsyncIterator[str]:
        """Yield canonical JSON lines of all that the caller may read."""

        async def load(transaction: Transaction, under: Properties) -> list[str]:
            made_with = await _settings(transaction, scope)
            return await export_lines(transaction, under, made_with=made_with)

        lines = await settled(self._database, scope, load, seconds=_LONG_SECONDS)
        for line in lines:
            yield line

    async def settings(self, scope: Scope) -> dict[str, str]:
        """Return what the index was made with; nothing for another tenant."""
        return await self._database.reading(lambda t: _settings(t, scope))

    async def clear(self, scope: Scope, *, settings: Mapping[str, str], dimensions: int) -> None:
        """Take every document out in one transaction; the snapshots of it are another base's."""
        identity = uuid.uuid4().hex
        kept = canonical({**settings, "dimensions": str(dimensions)})
        asked: dict[str, object] = {
            "tenant": scope.tenant,
            "identity": identity,
            "settings": kept,
        }

        async def empty(transaction: Transaction) -> None:
            if not await transaction.run("begin_clearing", asked):
                raise no_base()
            await transaction.run("clear_documents")

        await self._database.write(empty, seconds=_LONG_SECONDS)

    async def drop(self, scope: Scope) -> None:
        """Remove all that is there: first what makes it readable, then the rest, part by part."""
        if not await self.settings(scope):
            return
        tenant: dict[str, object] = {"tenant": scope.tenant}
        await self._database.write(lambda t: t.run("drop_base", tenant))
        left = 1
        while left:
            rows = await self._database.write(lambda t: t.run("drop_some"), seconds=_LONG_SECONDS)
            left = whole(rows[0][0])
        await self._database.close()

    async def _of_source(self, name: str, scope: Scope, source: str | None) -> Collected:
        return await settled_rows(
            self._database,
            scope,
            query=name,
            given={"source": source},
            seconds=_COUNT_SECONDS,
        )


async def _settings(transaction: Transaction, scope: Scope) -> dict[str, str]:
    rows = await transaction.run("settings", {"tenant": scope.tenant})
    found = json.loads(str(rows[0][0])) if rows else {}
    return {str(key): str(value) for key, value in found.items()}
