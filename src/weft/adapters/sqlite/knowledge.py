"""Reading: the view, texts, documents by their fields, references and names, all under a scope."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from weft.adapters.sqlite import text_parts
from weft.adapters.sqlite.database import Connection, SqliteDatabase
from weft.adapters.sqlite.rows import scoped
from weft.adapters.sqlite.snapshots import SqliteSnapshots
from weft.adapters.sqlite.upkeep import noted
from weft.domain.claim import LocalEntity
from weft.domain.document import Document
from weft.domain.entity import Sighting
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
from weft.stores.asking import alternatives, conditions
from weft.stores.canonical import canonical
from weft.stores.missing import no_document
from weft.stores.places import as_seen, tells_places
from weft.stores.rows import to_claim, to_document, to_entity, to_sighting, to_stored
from weft.stores.walk import Walk

# The names of 1,200 new passages of a small base are counted in 0.4 s, those of 3,000 in a base of
# 111,000 in ten: so long nobody waits.
_PATIENCE_SECONDS = 2.0
_TRIGRAM = 3
_WILD = re.compile("[%_]")


class SqliteKnowledge:
    """Implements `ports/knowledge.py` on one file."""

    def __init__(self, database: SqliteDatabase, snapshots: SqliteSnapshots) -> None:
        """Read through the database's readers; rank by the snapshots."""
        self._database = database
        self._snapshots = snapshots
        self._next: asyncio.Task[None] | None = None

    async def view(self, scope: Scope) -> View:
        """Return the current arrays masked to the scope.

        Where much that is new waits, it is the last complete view, and the next one is begun. Once
        nothing more comes in, that is waited for a little: what came in is asked about next.
        """
        found = await self._database.read(lambda c: self._snapshots.view(c, scope))
        if not found.lags:
            return found
        if self._next is None or self._next.done():
            begun = self._database.read(lambda c: self._snapshots.catch_up(c, scope))
            self._next = asyncio.create_task(begun)
            self._next.add_done_callback(noted)
        if await self._database.read(self._snapshots.has_all):
            await asyncio.wait([self._next], timeout=_PATIENCE_SECONDS)
            found = await self._database.read(lambda c: self._snapshots.view(c, scope))
        return found

    async def settle(self) -> None:
        """Wait until no view is being built."""
        if self._next is not None:
            await asyncio.wait([self._next])

    async def chunks(self, scope: Scope, ids: Sequence[ChunkId]) -> list[StoredChunk]:
        """Return the readable chunks among `ids`, in that order."""

        def load(connection: Connection) -> list[StoredChunk]:
            found = to_stored(connection.run("chunks", scoped(scope, ids=list(ids))), scope)
            return [found[key] for key in ids if key in found]

        return await self._database.read(load)

    async def text(self, scope: Scope, document_id: DocumentId) -> str:
        """Return a document's text, or raise `NotFound`."""

        def load(connection: Connection) -> str:
            row = connection.run("text", scoped(scope, id=document_id)).fetchone()
            if row is None:
                raise no_document()
            return str(row[0])

        return await self._database.read(load)

    async def find(self, scope: Scope, wanted: DocumentFilter, limit: int) -> list[Document]:
        """Return the readable documents that match; an empty filter matches nothing."""
        if wanted.is_empty:
            return []
        parameters = scoped(
            scope,
            **conditions(wanted),
            exact=canonical(dict(wanted.exact)),
            contains=canonical(dict(wanted.contains)),
            limit=limit,
            places=tells_places(scope),
        )

        def load(connection: Connection) -> list[Document]:
            rows = connection.run("documents", parameters)
            return [as_seen(to_document(row), scope) for row in rows]

        return await self._database.read(load)

    async def neighbours(
        self, scope: Scope, ids: Sequence[DocumentId], depth: int
    ) -> list[Reference]:
        """Return the REFERENCES edges within `depth` hops."""

        def load(connection: Connection) -> list[Reference]:
            walk = Walk(ids, depth)
            while walk.frontier:
                rows = connection.run("edges", scoped(scope, ids=walk.frontier))
                walk.add((source, target, [kind]) for source, target, kind in rows)
            return walk.references()

        return await self._database.read(load)

    async def entities(self, scope: Scope, name: str, limit: int) -> list[LocalEntity]:
        """Return readable local entities by a part of their name."""

        def load(connection: Connection) -> list[LocalEntity]:
            rows = connection.run("entities", scoped(scope, name=name, limit=limit))
            return [to_entity(row) for row in rows]

        return await self._database.read(load)

    async def containing(self, scope: Scope, phrase: str, limit: int) -> list[ChunkId]:
        """Return the readable chunks that have the phrase in their text."""
        pattern = _pattern(phrase)
        parameters = scoped(scope, pattern=pattern, phrase=phrase.lower(), limit=limit)

        def load(connection: Connection) -> list[ChunkId]:
            if _is_indexed(pattern):
                found = text_parts.containing(connection, parameters, limit=limit)
            else:
                found = [row[2] for row in connection.run("containing_short", parameters)]
            return [ChunkId(one) for one in found]

        return await self._database.read(load) if phrase else []

    async def sightings(self, scope: Scope, wanted: EntityFilter, limit: int) -> list[Sighting]:
        """Return readable local entities under each of their surfaces."""
        if not (wanted.names or wanted.classes):
            return []
        parameters = scoped(
            scope,
            names=alternatives(wanted.names),
            classes=alternatives(wanted.classes),
            limit=limit,
        )

        def load(connection: Connection) -> list[Sighting]:
            return [to_sighting(row) for row in connection.run("sightings", parameters)]

        return await self._database.read(load)

    async def claims(self, scope: Scope, wanted: ClaimFilter, limit: int) -> list[LocalClaim]:
        """Return the readable claims that are wanted."""
        ends = wanted.ends
        rows = [[end.document_id, end.name, end.entity_class] for end in sorted(ends or ())]
        parameters = scoped(
            scope,
            relations=alternatives(wanted.relations),
            ends=rows,
            toward=wanted.toward.value,
            limit=limit,
        )

        def load(connection: Connection) -> list[LocalClaim]:
            found = connection.run("claims" if ends is None else "claims_of", parameters)
            return [to_claim(row) for row in found]

        return await self._database.read(load)


def _pattern(phrase: str) -> str:
    """Return a pattern of LIKE that all texts with the phrase fit, and perhaps others.

    LIKE knows the case of ASCII letters alone: any character may stand where another has one, and
    for what is a sign to LIKE.
    """
    fixed = (c != "%" and (c.isascii() or c.lower() == c.upper()) for c in phrase)
    said = "".join(c if kept else "_" for c, kept in zip(phrase, fixed, strict=True))
    return f"%{said}%"


def _is_indexed(pattern: str) -> bool:
    """Tell whether the index for substrings has what a pattern fixes."""
    return any(len(run) >= _TRIGRAM for run in _WILD.split(pattern))
