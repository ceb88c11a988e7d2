"""Counts, settings and the canonical export of one file."""

from __future__ import annotations

import asyncio
import shutil
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path

from weft.adapters.sqlite.database import Connection, SqliteDatabase
from weft.adapters.sqlite.links import readable_links
from weft.adapters.sqlite.publishing import next_version
from weft.adapters.sqlite.rows import document_of, scoped, to_reference
from weft.domain.canonical import (
    chunk_line,
    claim_line,
    document_line,
    evidence_line,
    handle_line,
    link_line,
    mention_line,
    reference_line,
    settings_line,
)
from weft.domain.errors import NotFound
from weft.domain.ids import DocumentId, digest
from weft.domain.patch import Patch
from weft.domain.scope import Scope
from weft.ports.holdings import BaseCounts
from weft.stores.packing import unpacked
from weft.stores.rows import to_claim, to_mention, to_passage, whole

# The schema is how this file is laid out, which is not what it holds.
_HIDDEN = frozenset({"version", "identity", "tenant", "untidy", "schema"})
_CLEARED = "document text chunk mention claim reference handle file class principal".split()
Row = tuple[object, ...]


class SqliteHoldings:
    """Implements `ports/holdings.py` on one file."""

    def __init__(self, database: SqliteDatabase, folder: Path) -> None:
        """Keep `folder`, where the cache of arrays lies, to remove it with the file."""
        self._database = database
        self._folder = folder

    async def counts(self, scope: Scope) -> BaseCounts:
        """Return how much the caller may read."""

        def load(connection: Connection) -> BaseCounts:
            row = connection.run("counts", scoped(scope)).fetchone()
            documents, chunks, mentions, claims, references = map(whole, row)
            return BaseCounts(
                documents=documents,
                chunks=chunks,
                mentions=mentions,
                claims=claims,
                references=references,
            )

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

    async def export(self, scope: Scope) -> AsyncIterator[str]:
        """Yield canonical JSON lines of all that the caller may read."""

        def load(connection: Connection) -> list[str]:
            return list(_lines(connection, scope))

        lines = await self._database.read(load)
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
                raise NotFound("There is no such knowledge base.")
            v = next_version(connection)
            gone = [str(row[0]) for row in connection.run("all_documents")]
            for name in _CLEARED:
                connection.run(f"clear_{name}")
            connection.each("replace_setting", rows)
            connection.run("put_untidy")
            # Another process may hold a snapshot with these in it.
            connection.each("mark_deleted", [{"hash": digest(key), "v": v} for key in gone])

        await self._database.write(empty)

    async def drop(self, scope: Scope) -> None:
        """Remove the file and the arrays beside it."""
        if not await self.settings(scope):
            return
        await self._database.close()
        await asyncio.to_thread(_remove, self._database.path, self._folder)


def _remove(path: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _patch(connection: Connection, scope: Scope, document_id: DocumentId) -> Patch:
    one = scoped(scope, id=document_id)
    row = connection.run("patch_document", one).fetchone()
    if row is None:
        raise NotFound("There is no such document.")
    dimensions = int(dict(connection.run("settings", one).fetchall()).get("dimensions", "0"))
    return Patch(
        document=document_of(row[:10]),
        text=str(row[10]),
        passages=tuple(
            unpacked(to_passage(row), dimensions) for row in connection.run("patch_chunks", one)
        ),
        mentions=tuple(to_mention(row) for row in connection.run("patch_mentions", one)),
        claims=tuple(to_claim(row).claim for row in connection.run("patch_claims", one)),
        references=tuple(to_reference(row) for row in connection.run("patch_references", one)),
        handles=tuple(str(row[0]) for row in connection.run("patch_handles", one)),
    )


def _lines(connection: Connection, scope: Scope) -> Iterator[str]:
    parameters = scoped(scope)
    yield settings_line(_settings(connection, scope))
    for name, to_lines in _EXPORTS:
        for row in connection.run(f"export_{name}", parameters):
            yield from to_lines(row)
    for _, link in sorted(readable_links(connection, scope).items()):
        yield link_line(link)


def _settings(connection: Connection, scope: Scope) -> dict[str, str]:
    rows = connection.run("settings", scoped(scope)).fetchall()
    return {key: value for key, value in rows if key not in _HIDDEN}


def _document(row: Row) -> list[str]:
    return [document_line(document_of(row[:10]), str(row[10]))]


def _chunk(row: Row) -> list[str]:
    passage = to_passage(row)
    return [chunk_line(passage), evidence_line(passage.chunk)]


def _mention(row: Row) -> list[str]:
    return [mention_line(_id(row), to_mention(row[1:]))]


def _claim(row: Row) -> list[str]:
    return [claim_line(to_claim(row))]


def _reference(row: Row) -> list[str]:
    return [reference_line(_id(row), to_reference(row[1:]))]


def _handle(row: Row) -> list[str]:
    return [handle_line(_id(row), str(row[1]))]


def _id(row: Row) -> DocumentId:
    return DocumentId(str(row[0]))


_EXPORTS: tuple[tuple[str, Callable[[Row], list[str]]], ...] = (
    ("documents", _document),
    ("chunks", _chunk),
    ("mentions", _mention),
    ("claims", _claim),
    ("references", _reference),
    ("handles", _handle),
)
