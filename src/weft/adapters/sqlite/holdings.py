"""Counts, settings and the canonical export of one file."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path

from weft.adapters.sqlite.database import Connection, Database
from weft.adapters.sqlite.publishing import next_version
from weft.adapters.sqlite.rows import binary, scoped, text_of, to_document, whole
from weft.domain.errors import NotFound
from weft.domain.evidence import evidence_name
from weft.domain.ids import ChunkId, DocumentId, digest
from weft.domain.scope import Scope
from weft.index.packing import unpack_spans
from weft.ports.holdings import Counts

_HIDDEN = frozenset({"version", "identity", "tenant", "untidy"})
_CLEARED = "document text chunk mention claim reference handle file class principal".split()
Row = tuple[object, ...]


class SqliteHoldings:
    """Implements `ports/holdings.py` on one file."""

    def __init__(self, database: Database, folder: Path) -> None:
        """Keep `folder`, where the cache of arrays lies, to remove it with the file."""
        self._database = database
        self._folder = folder

    async def counts(self, scope: Scope) -> Counts:
        """Return how much the caller may read."""

        def load(connection: Connection) -> Counts:
            row = connection.run("counts", scoped(scope)).fetchone()
            documents, chunks, mentions, claims, references = map(whole, row)
            return Counts(
                documents=documents,
                chunks=chunks,
                mentions=mentions,
                claims=claims,
                references=references,
            )

        return await self._database.read(load)

    async def versions(self, scope: Scope, source: str) -> dict[DocumentId, str]:
        """Return the version of every document of a source, for writers."""

        def load(connection: Connection) -> dict[DocumentId, str]:
            rows = connection.run("source_versions", scoped(scope, source=source))
            return {DocumentId(key): version for key, version in rows}

        return await self._database.read(load)

    async def chunk_counts(self, scope: Scope, source: str) -> dict[DocumentId, int]:
        """Return how many chunks every document of a source has, for writers."""

        def load(connection: Connection) -> dict[DocumentId, int]:
            rows = connection.run("source_chunks", scoped(scope, source=source))
            return {DocumentId(key): whole(count) for key, count in rows}

        return await self._database.read(load)

    async def export(self, scope: Scope) -> AsyncIterator[str]:
        """Yield canonical JSON lines of all that the caller may read."""

        def load(connection: Connection) -> list[str]:
            return list(_lines(connection, scope))

        lines = await self._database.read(load)
        for line in lines:
            yield line

    async def settings(self, scope: Scope) -> dict[str, str]:
        """Return what the index was made with; nothing for another tenant."""

        def load(connection: Connection) -> dict[str, str]:
            rows = connection.run("settings", scoped(scope)).fetchall()
            return {key: value for key, value in rows if key not in _HIDDEN}

        return await self._database.read(load)

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


def _lines(connection: Connection, scope: Scope) -> Iterator[str]:
    parameters = scoped(scope)
    settings = connection.run("settings", parameters).fetchall()
    kept = {key: value for key, value in settings if key not in _HIDDEN}
    yield text_of({"kind": "knowledge_base", "settings": kept})
    for name, to_line in _EXPORTS:
        for row in connection.run(f"export_{name}", parameters):
            yield from (text_of(line) for line in to_line(row))
    for row in connection.run("links", parameters):
        yield text_of(_columns("link", _LINK, row))


_CHUNK = """id doc_id chunk_index start end page section tokens outcome reason text""".split()
_MENTION = """doc_id chunk_id start end surface name class method""".split()
_CLAIM = """doc_id id chunk_id subject_name subject_class predicate object_name object_class value
    start end method confidence""".split()
_LINK = """id link left_doc left_name left_class right_doc right_name right_class method score
    reason author""".split()


def _columns(kind: str, names: list[str], row: Row) -> dict[str, object]:
    return {"kind": kind, **dict(zip(names, row, strict=False))}


def _document(row: Row) -> list[dict[str, object]]:
    document = to_document(row[:10])
    times = {"created": row[8], "updated": row[9]}
    return [
        {
            "kind": "document",
            "id": document.id,
            "source": document.source,
            "type": document.type,
            "title": document.title,
            "uri": document.uri,
            "version": document.version,
            "acl": sorted(document.acl),
            "metadata": dict(document.metadata),
            "text": row[10],
            **times,
        }
    ]


def _chunk(row: Row) -> list[dict[str, object]]:
    line = _columns("chunk", _CHUNK, row)
    sentences, terms, facts, vector, sentence_vectors = row[11:]
    spans = unpack_spans(binary(sentences))
    line["sentences"] = [[span.start, span.end] for span in spans]
    hashed = {
        "terms": terms,
        "facts": facts,
        "vector": vector,
        "sentence_vectors": sentence_vectors,
    }
    line |= {name: _hash(value) for name, value in hashed.items()}
    name = evidence_name(str(row[1]), ChunkId(str(row[0])))
    return [line, {"kind": "evidence", "name": name, "source_id": row[1], "chunk_id": row[0]}]


def _hash(value: object) -> str | None:
    return None if value is None else hashlib.blake2b(binary(value), digest_size=16).hexdigest()


def _claim(row: Row) -> list[dict[str, object]]:
    line = _columns("claim", _CLAIM, row)
    line["value"] = json.loads(str(line["value"]))
    return [line]


def _reference(row: Row) -> list[dict[str, object]]:
    return [_columns("reference", ["doc_id", "type", "handle", "raw"], row)]


def _handle(row: Row) -> list[dict[str, object]]:
    return [_columns("handle", ["doc_id", "handle"], row)]


def _mention(row: Row) -> list[dict[str, object]]:
    return [_columns("mention", _MENTION, row)]


_EXPORTS: tuple[tuple[str, Callable[[Row], list[dict[str, object]]]], ...] = (
    ("documents", _document),
    ("chunks", _chunk),
    ("mentions", _mention),
    ("claims", _claim),
    ("references", _reference),
    ("handles", _handle),
)
