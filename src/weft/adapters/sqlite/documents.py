"""Documents one by one: pages of them, and one with its text, chunks and claims."""

from __future__ import annotations

from collections.abc import Sequence

from weft.adapters.sqlite.database import Connection, SqliteDatabase
from weft.adapters.sqlite.rows import scoped
from weft.domain.document import Document
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.ports.documents import OpenedDocument
from weft.stores.missing import no_document
from weft.stores.places import as_seen, tells_places
from weft.stores.rows import to_chunk, to_claim, to_document


class SqliteDocuments:
    """Implements `ports/documents.py` on one file."""

    def __init__(self, database: SqliteDatabase) -> None:
        """Read through the database's readers."""
        self._database = database

    async def page(
        self, scope: Scope, *, after: DocumentId | None, limit: int, text: str = ""
    ) -> list[Document]:
        """Return the readable documents past `after`, ordered by id."""
        parameters = scoped(
            scope,
            after=after,
            limit=limit,
            text=text.lower() or None,
            places=tells_places(scope),
        )

        def load(connection: Connection) -> list[Document]:
            return [as_seen(to_document(row), scope) for row in connection.run("page", parameters)]

        return await self._database.read(load)

    async def chunk_counts(
        self, scope: Scope, document_ids: Sequence[DocumentId]
    ) -> dict[DocumentId, int]:
        """Return how many readable chunks these documents have."""
        parameters = scoped(scope, ids=list(document_ids))

        def load(connection: Connection) -> dict[DocumentId, int]:
            rows = connection.run("chunk_counts_of", parameters)
            return {DocumentId(str(key)): int(count) for key, count in rows}

        return await self._database.read(load)

    async def opened(self, scope: Scope, document_id: DocumentId) -> OpenedDocument:
        """Return a document with its text, chunks and claims, all of one version."""
        parameters = scoped(scope, id=document_id)

        def load(connection: Connection) -> OpenedDocument:
            document = _document(connection, scope, document_id)
            row = connection.run("text", parameters).fetchone()
            if row is None:
                raise no_document()
            chunks = connection.run("document_chunks", parameters)
            claims = connection.run("document_claims", parameters)
            return OpenedDocument(
                document=document,
                text=str(row[0]),
                chunks=tuple(to_chunk(each) for each in chunks),
                claims=tuple(to_claim((document_id, *each)).claim for each in claims),
            )

        return await self._database.read(load)

    async def document(self, scope: Scope, document_id: DocumentId) -> Document:
        """Return a document's own row, or raise `NotFound`."""
        return await self._database.read(lambda c: _document(c, scope, document_id))


def _document(connection: Connection, scope: Scope, document_id: DocumentId) -> Document:
    row = connection.run("one_document", scoped(scope, id=document_id)).fetchone()
    if row is None:
        raise no_document()
    return as_seen(to_document(row), scope)
