"""Documents one by one: pages of them, and one with its text, chunks and claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from weft.adapters.neo4j.consistency import settled, settled_rows
from weft.adapters.neo4j.database import Neo4jDatabase, Transaction
from weft.adapters.neo4j.exports import claims_of
from weft.adapters.neo4j.rows import Collected, Properties, collected
from weft.adapters.neo4j.vocabulary import Vocabulary
from weft.domain.claim import Claim
from weft.domain.document import Document
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.ports.documents import OpenedDocument
from weft.stores.missing import no_document
from weft.stores.places import as_seen, tells_places
from weft.stores.rows import to_chunk, to_document
from weft.stores.values import texts

T = TypeVar("T")
_TEXT, _RELATIONS = 10, 11


class Neo4jDocuments:
    """Implements `ports/documents.py` on one database."""

    def __init__(self, database: Neo4jDatabase, words: Vocabulary) -> None:
        """Know the relationship types that claims have by a vocabulary."""
        self._database = database
        self._words = words

    async def page(
        self, scope: Scope, *, after: DocumentId | None, limit: int, text: str = ""
    ) -> list[Document]:
        """Return the readable documents past `after`, ordered by id."""
        rows = await self._rows(
            "page",
            scope,
            after=after or "",
            limit=limit,
            text=text.lower(),
            places=tells_places(scope),
        )
        return [as_seen(to_document(row), scope) for row in rows]

    async def chunk_counts(
        self, scope: Scope, document_ids: Sequence[DocumentId]
    ) -> dict[DocumentId, int]:
        """Return how many readable chunks these documents have."""
        rows = await self._rows("chunk_counts_of", scope, ids=list(document_ids))
        return {DocumentId(str(key)): int(str(count)) for key, count in rows}

    async def opened(self, scope: Scope, document_id: DocumentId) -> OpenedDocument:
        """Return a document with its text, chunks and claims, all of one version."""
        asked: Properties = {"id": document_id, "ids": [document_id]}
        found = _only(
            await settled(
                self._database,
                scope,
                lambda t, under: _open(t, {**under, **asked}, words=self._words),
            )
        )
        return replace(found, document=as_seen(found.document, scope))

    async def document(self, scope: Scope, document_id: DocumentId) -> Document:
        """Return what a document's own node has, or raise `NotFound`."""
        found = _only(await self._rows("one_document", scope, id=document_id))
        return as_seen(to_document(found), scope)

    async def _rows(self, query: str, scope: Scope, **given: object) -> Collected:
        return await settled_rows(self._database, scope, query=query, given=given)


async def _open(
    transaction: Transaction, asked: Properties, *, words: Vocabulary
) -> list[OpenedDocument]:
    """Return the document of `asked`, or none.

    Whether it is missing is told by the caller: here it may have changed its class since.
    """
    opened = []
    for row in await collected(transaction, "opened_document", given=asked):
        chunks = await collected(transaction, "document_chunks", given=asked)
        claims = await claims_of(transaction, asked, types=texts(row[_RELATIONS]), words=words)
        opened.append(
            OpenedDocument(
                document=to_document(row[:_TEXT]),
                text=str(row[_TEXT]),
                chunks=tuple(to_chunk(each) for each in chunks),
                claims=tuple(sorted((each.claim for each in claims), key=_place)),
            )
        )
    return opened


def _only(found: Sequence[T]) -> T:
    if not found:
        raise no_document()
    return found[0]


def _place(claim: Claim) -> tuple[int, int, str]:
    """Return what claims are ordered by: where the text says them."""
    return claim.start, claim.end, claim.id
