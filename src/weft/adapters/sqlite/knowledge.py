"""Reading: the view, texts, documents by their fields, references and names, all under a scope."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence

from weft.adapters.sqlite.database import Connection, SqliteDatabase
from weft.adapters.sqlite.rows import array, document_of, scoped
from weft.adapters.sqlite.snapshots import SqliteSnapshots
from weft.domain.canonical import canonical, moment
from weft.domain.claim import LocalEntity
from weft.domain.document import Document
from weft.domain.entity import Sighting
from weft.domain.errors import NotFound
from weft.domain.ids import ChunkId, DocumentId
from weft.domain.pattern import LocalClaim
from weft.domain.scope import Scope
from weft.index.view import View
from weft.ports.knowledge import (
    ClaimFilter,
    DocumentFilter,
    EntityFilter,
    Reference,
    StoredChunk,
)
from weft.stores.rows import to_chunk, to_claim, whole

_TRIGRAM = 3
_MAX_DEPTH = 3


class SqliteKnowledge:
    """Implements `ports/knowledge.py` on one file."""

    def __init__(self, database: SqliteDatabase, snapshots: SqliteSnapshots) -> None:
        """Read through the database's readers; rank by the snapshots."""
        self._database = database
        self._snapshots = snapshots
        self._next: asyncio.Task[None] | None = None

    async def view(self, scope: Scope) -> View:
        """Return the current arrays masked to the scope.

        Where much that is new waits, it is the last complete view, and the next one is begun.
        """
        found = await self._database.read(lambda c: self._snapshots.view(c, scope))
        if found.lags and (self._next is None or self._next.done()):
            begun = self._database.read(lambda c: self._snapshots.catch_up(c, scope))
            self._next = asyncio.create_task(begun)
            self._next.add_done_callback(_noted)
        return found

    async def settle(self) -> None:
        """Wait until no view is being built."""
        if self._next is not None:
            await asyncio.wait([self._next])

    async def chunks(self, scope: Scope, ids: Sequence[ChunkId]) -> list[StoredChunk]:
        """Return the readable chunks among `ids`, in that order."""

        def load(connection: Connection) -> list[StoredChunk]:
            rows = connection.run("chunks", scoped(scope, ids=array(ids))).fetchall()
            found = {row[0]: _stored(row) for row in rows}
            return [found[key] for key in ids if key in found]

        return await self._database.read(load)

    async def text(self, scope: Scope, document_id: DocumentId) -> str:
        """Return a document's text, or raise `NotFound`."""

        def load(connection: Connection) -> str:
            row = connection.run("text", scoped(scope, id=document_id)).fetchone()
            if row is None:
                raise NotFound("There is no such document.")
            return str(row[0])

        return await self._database.read(load)

    async def find(self, scope: Scope, wanted: DocumentFilter, limit: int) -> list[Document]:
        """Return the readable documents that match; an empty filter matches nothing."""
        if wanted.is_empty:
            return []
        parameters = scoped(
            scope,
            documents=None if wanted.documents is None else array(sorted(wanted.documents)),
            types=_folded(wanted.types),
            origins=_folded(wanted.sources),
            since=moment(wanted.since),
            until=moment(wanted.until),
            exact=canonical(dict(wanted.exact)),
            contains=canonical(dict(wanted.contains)),
            limit=limit,
        )

        def load(connection: Connection) -> list[Document]:
            return [document_of(row) for row in connection.run("documents", parameters)]

        return await self._database.read(load)

    async def neighbours(
        self, scope: Scope, ids: Sequence[DocumentId], depth: int
    ) -> list[Reference]:
        """Return the REFERENCES edges within `depth` hops."""

        def load(connection: Connection) -> list[Reference]:
            return _walk(connection, scope, set(ids), min(max(depth, 1), _MAX_DEPTH))

        return await self._database.read(load)

    async def entities(self, scope: Scope, name: str, limit: int) -> list[LocalEntity]:
        """Return readable local entities by a part of their name."""

        def load(connection: Connection) -> list[LocalEntity]:
            rows = connection.run("entities", scoped(scope, name=name, limit=limit))
            return [
                LocalEntity(document_id=DocumentId(document), name=said, entity_class=kind)
                for document, said, kind in rows
            ]

        return await self._database.read(load)

    async def containing(self, scope: Scope, phrase: str, limit: int) -> list[ChunkId]:
        """Return the readable chunks that have the phrase in their text."""
        query = "containing" if len(phrase) >= _TRIGRAM else "containing_short"
        parameters = scoped(scope, pattern=_pattern(phrase), phrase=phrase.lower(), limit=limit)

        def load(connection: Connection) -> list[ChunkId]:
            return [ChunkId(row[0]) for row in connection.run(query, parameters)]

        return await self._database.read(load) if phrase else []

    async def sightings(self, scope: Scope, wanted: EntityFilter, limit: int) -> list[Sighting]:
        """Return readable local entities under each of their surfaces."""
        if not (wanted.names or wanted.classes):
            return []
        parameters = scoped(
            scope, names=_any(wanted.names), classes=_any(wanted.classes), limit=limit
        )

        def load(connection: Connection) -> list[Sighting]:
            return [_sighting(row) for row in connection.run("sightings", parameters)]

        return await self._database.read(load)

    async def claims(self, scope: Scope, wanted: ClaimFilter, limit: int) -> list[LocalClaim]:
        """Return the readable claims that are wanted."""
        ends = wanted.ends
        rows = [[end.document_id, end.name, end.entity_class] for end in sorted(ends or ())]
        parameters = scoped(
            scope,
            relations=_any(wanted.relations),
            ends=json.dumps(rows, ensure_ascii=False),
            toward=wanted.toward.value,
            limit=limit,
        )

        def load(connection: Connection) -> list[LocalClaim]:
            found = connection.run("claims" if ends is None else "claims_of", parameters)
            return [to_claim(row) for row in found]

        return await self._database.read(load)


def _any(names: frozenset[str]) -> str | None:
    """Return alternatives as a JSON array; None where anything will do."""
    return array(sorted(names)) if names else None


def _pattern(phrase: str) -> str:
    """Return a pattern of LIKE that all texts with the phrase fit, and perhaps others.

    LIKE knows the case of ASCII letters alone: any character may stand where another has one.
    """
    escaped = phrase.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return "%" + "".join(c if c.isascii() or c.lower() == c.upper() else "_" for c in escaped) + "%"


def _sighting(row: tuple[object, ...]) -> Sighting:
    document, name, kind, surface, count = row
    entity = LocalEntity(
        document_id=DocumentId(str(document)), name=str(name), entity_class=str(kind)
    )
    return Sighting(entity=entity, surface=str(surface), count=whole(count))


def _noted(task: asyncio.Task[None]) -> None:
    """Take note of an error: the next question that finds the view behind begins again."""
    if not task.cancelled():
        task.exception()


def _folded(names: frozenset[str]) -> str | None:
    return array(sorted(name.lower() for name in names)) if names else None


def _stored(row: tuple[object, ...]) -> StoredChunk:
    chunk, document = row[:10], (row[1], *row[10:])
    return StoredChunk(chunk=to_chunk(chunk), document=document_of(document))


def _walk(
    connection: Connection, scope: Scope, start: set[DocumentId], depth: int
) -> list[Reference]:
    """Widen a set of documents hop by hop; an edge is found once, whichever end was first."""
    edges: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    known, frontier = set(start), set(start)
    for _ in range(depth):
        reached: set[DocumentId] = set()
        rows = connection.run("edges", scoped(scope, ids=json.dumps(sorted(frontier))))
        for source, target, kind in rows:
            edges[source, target].add(kind)
            reached |= {source, target}
        frontier = reached - known
        known |= reached
        if not frontier:
            break
    return [
        Reference(source=DocumentId(s), target=DocumentId(t), kinds=tuple(sorted(kinds)))
        for (s, t), kinds in sorted(edges.items())
    ]
