"""Counts, settings and the canonical export of one file."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from weft.adapters.sqlite.database import Connection, SqliteDatabase
from weft.adapters.sqlite.links import readable_links
from weft.adapters.sqlite.publishing import next_version
from weft.adapters.sqlite.rows import scoped
from weft.domain.ids import DocumentId, digest
from weft.domain.patch import Patch
from weft.domain.scope import Scope
from weft.platform.workspace import remove_folder
from weft.ports.holdings import BaseCounts, EmbeddedDocument
from weft.stores.export import Export
from weft.stores.missing import no_base, no_document
from weft.stores.packing import unpacked, unpacked_vectors
from weft.stores.rows import (
    to_chunk,
    to_claim,
    to_counts,
    to_document,
    to_mention,
    to_passage,
    to_reference,
)
from weft.stores.values import whole

# The schema is how this file is laid out, which is not what it holds.
_HIDDEN = frozenset({"version", "identity", "tenant", "schema"})
_CLEARED = "document text chunk mention claim reference handle file class principal".split()


class SqliteHoldings:
    """Implements `ports/holdings.py` on one file."""

    def __init__(self, database: SqliteDatabase, folder: Path) -> None:
        """Keep `folder`, where the cache of arrays lies, to remove it with the file."""
        self._database = database
        self._folder = folder

    async def counts(self, scope: Scope) -> BaseCounts:
        """Return how much the caller may read."""

        def load(connection: Connection) -> BaseCounts:
            return to_counts(connection.run("counts", scoped(scope)).fetchone())

        return await self._database.read(load)

    async def versions(self, scope: Scope, source: str | None) -> dict[DocumentId, str]:
        """Return the version of every document, or of a source's, for writers."""
        query = "all_versions" if source is None else "source_versions"

        def load(connection: Connection) -> dict[DocumentId, str]:
            rows = connection.run(query, scoped(scope, source=source))
            return {DocumentId(key): version for key, version in rows}

        return await self._database.read(load)

    async def chunk_counts(self, scope: Scope, source: str) -> dict[DocumentId, int]:
        """Return how many chunks every document of a source has, for writers."""

        def load(connection: Connection) -> dict[DocumentId, int]:
            rows = connection.run("source_chunks", scoped(scope, source=source))
            return {DocumentId(key): whole(count) for key, count in rows}

        return await self._database.read(load)

    async def patch(self, scope: Scope, document_id: DocumentId) -> Patch:
        """Return a readable document's whole patch, or raise `NotFound`."""
        return await self._database.read(lambda c: _patch(c, scope, document_id))

    async def embedded(self, scope: Scope, document_id: DocumentId) -> EmbeddedDocument:
        """Return what of a readable document has vectors, or raise `NotFound`."""
        return await self._database.read(lambda c: _embedded(c, scope, document_id))

    async def export(self, scope: Scope) -> AsyncIterator[str]:
        """Yield canonical JSON lines of all that the caller may read."""

        lines = await self._database.read(lambda c: _lines(c, scope))
        for line in lines:
            yield line

    async def settings(self, scope: Scope) -> dict[str, str]:
        """Return what the index was made with; nothing for another tenant."""
        return await self._database.read(lambda c: _settings(c, scope))

    async def clear(self, scope: Scope, *, settings: Mapping[str, str], dimensions: int) -> None:
        """Take every document out in one transaction; the arrays beside are another base's now."""
        kept = {**settings, "dimensions": str(dimensions), "identity": uuid.uuid4().hex}
        rows: list[dict[str, object]] = [{"key": k, "value": v} for k, v in kept.items()]

        def empty(connection: Connection) -> None:
            if not connection.run("settings", scoped(scope)).fetchone():
                raise no_base()
            v = next_version(connection)
            gone = [str(row[0]) for row in connection.run("all_documents")]
            connection.run("put_untidy_all")
            for name in _CLEARED:
                connection.run(f"clear_{name}")
            connection.each("replace_setting", rows)
            # Another process may hold a snapshot with these in it.
            connection.each("mark_deleted", [{"hash": digest(key), "v": v} for key in gone])

        await self._database.write(empty)

    async def drop(self, scope: Scope) -> None:
        """Remove the file and the arrays beside it."""
        if not await self.settings(scope):
            return
        await self._database.close()
        await asyncio.to_thread(remove_files, self._database.path, self._folder)


def remove_files(path: Path, folder: Path) -> None:
    """Remove a knowledge base's file with its log, and the folder of its arrays."""
    remove_folder(folder)
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _patch(connection: Connection, scope: Scope, document_id: DocumentId) -> Patch:
    one = scoped(scope, id=document_id)
    row = connection.run("patch_document", one).fetchone()
    if row is None:
        raise no_document()
    dimensions = _dimensions(connection, scope)
    return Patch(
        document=to_document(row[:10]),
        text=str(row[10]),
        passages=tuple(
            unpacked(to_passage(row), dimensions) for row in connection.run("patch_chunks", one)
        ),
        mentions=tuple(to_mention(row) for row in connection.run("patch_mentions", one)),
        claims=tuple(to_claim(row).claim for row in connection.run("patch_claims", one)),
        references=tuple(to_reference(row) for row in connection.run("patch_references", one)),
        handles=tuple(str(row[0]) for row in connection.run("patch_handles", one)),
    )


def _embedded(connection: Connection, scope: Scope, document_id: DocumentId) -> EmbeddedDocument:
    one = scoped(scope, id=document_id)
    row = connection.run("title", one).fetchone()
    if row is None:
        raise no_document()
    dimensions = _dimensions(connection, scope)
    passages = []
    for held in connection.run("embedded_chunks", one):
        vectors = unpacked_vectors(held[10], held[11], dimensions=dimensions)
        if vectors is not None:
            passages.append((to_chunk(held[:10]), vectors))
    return EmbeddedDocument(title=str(row[0]), passages=tuple(passages))


def _dimensions(connection: Connection, scope: Scope) -> int:
    made_with = dict(connection.run("settings", scoped(scope)).fetchall())
    return int(made_with.get("dimensions", "0"))


def _lines(connection: Connection, scope: Scope) -> list[str]:
    export = Export(_settings(connection, scope))
    parameters = scoped(scope)
    for row in connection.run("export_documents", parameters):
        export.add_document(to_document(row[:10]), str(row[10]))
    for row in connection.run("export_chunks", parameters):
        export.add_chunk(row)
    for row in connection.run("export_mentions", parameters):
        export.add_mention(DocumentId(row[0]), to_mention(row[1:]))
    for row in connection.run("export_claims", parameters):
        export.add_claim(to_claim(row))
    for row in connection.run("export_references", parameters):
        export.add_reference(DocumentId(row[0]), to_reference(row[1:]))
    for document_id, handle in connection.run("export_handles", parameters):
        export.add_handle(DocumentId(document_id), handle)
    return list(export.lines(readable_links(connection, scope)))


def _settings(connection: Connection, scope: Scope) -> dict[str, str]:
    rows = connection.run("settings", scoped(scope)).fetchall()
    return {key: value for key, value in rows if key not in _HIDDEN}
