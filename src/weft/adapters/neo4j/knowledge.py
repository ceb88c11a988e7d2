"""Reading: the view, texts, documents by their fields, references, names and claims, all scoped."""

from __future__ import annotations

from collections.abc import Sequence

from weft.adapters.neo4j.consistency import settled, settled_rows
from weft.adapters.neo4j.database import Neo4jDatabase, Transaction
from weft.adapters.neo4j.rows import (
    Collected,
    Properties,
    claim_of,
    collected,
    entity_key,
    gathered,
)
from weft.adapters.neo4j.snapshots import Neo4jSnapshots
from weft.domain.claim import LocalEntity
from weft.domain.document import Document
from weft.domain.entity import Sighting
from weft.domain.ids import ChunkId, DocumentId
from weft.domain.pattern import LocalClaim, Toward
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
from weft.stores.places import as_seen
from weft.stores.rows import to_document, to_entity, to_sighting, to_stored
from weft.stores.values import texts
from weft.stores.walk import Walk

_PAGE = 1000


class Neo4jKnowledge:
    """Implements `ports/knowledge.py` on one database."""

    def __init__(self, database: Neo4jDatabase, snapshots: Neo4jSnapshots) -> None:
        """Read from the database; rank by the snapshots."""
        self._database = database
        self._snapshots = snapshots

    async def view(self, scope: Scope) -> View:
        """Return the current arrays masked to the scope."""
        return await self._snapshots.view(scope)

    async def chunks(self, scope: Scope, ids: Sequence[ChunkId]) -> list[StoredChunk]:
        """Return the readable chunks among `ids`, in that order."""
        rows = await self._rows("chunks", scope, ids=sorted(set(ids)))
        found = to_stored(rows, scope)
        return [found[key] for key in ids if key in found]

    async def text(self, scope: Scope, document_id: DocumentId) -> str:
        """Return a document's text, or raise `NotFound`."""
        found = await self._gathered("text", scope, id=document_id)
        if not found:
            raise no_document()
        return found[0]

    async def find(self, scope: Scope, wanted: DocumentFilter, limit: int) -> list[Document]:
        """Return the readable documents that match; an empty filter matches nothing."""
        if wanted.is_empty:
            return []
        asked: Properties = {
            **conditions(wanted),
            "parts": [f"{canonical(key)}:" for key in sorted(wanted.exact)],
        }
        return await settled(
            self._database,
            scope,
            lambda t, under: _find(t, wanted, {**under, **asked}, limit, scope=scope),
        )

    async def neighbours(
        self, scope: Scope, ids: Sequence[DocumentId], depth: int
    ) -> list[Reference]:
        """Return the REFERENCES edges within `depth` hops."""
        return await settled(
            self._database, scope, lambda t, under: _walk(t, under, Walk(ids, depth))
        )

    async def entities(self, scope: Scope, name: str, limit: int) -> list[LocalEntity]:
        """Return readable local entities by a part of their name."""
        rows = await self._rows("entities", scope, name=name, limit=limit)
        return [to_entity(row) for row in rows]

    async def containing(self, scope: Scope, phrase: str, limit: int) -> list[ChunkId]:
        """Return the readable chunks that have the phrase in their text."""
        if not phrase:
            return []
        found = await self._gathered("containing", scope, phrase=phrase.lower(), limit=limit)
        return [ChunkId(key) for key in found]

    async def sightings(self, scope: Scope, wanted: EntityFilter, limit: int) -> list[Sighting]:
        """Return readable local entities under each of their surfaces."""
        if not (wanted.names or wanted.classes):
            return []
        rows = await self._rows(
            "sightings",
            scope,
            names=alternatives(wanted.names),
            kinds=alternatives(wanted.classes),
            limit=limit,
        )
        return [to_sighting(row) for row in rows]

    async def claims(self, scope: Scope, wanted: ClaimFilter, limit: int) -> list[LocalClaim]:
        """Return the readable claims that are wanted."""
        relations = alternatives(wanted.relations)
        if wanted.ends is None:
            rows = await self._rows("claims", scope, relations=relations, limit=limit)
            return [claim_of(row) for row in rows]
        ends = wanted.ends
        asked: Properties = {
            "relations": relations,
            "keys": sorted({entity_key(end.entity_class, end.name) for end in ends}),
            "docs": sorted({end.document_id for end in ends}),
        }
        rows = await settled(
            self._database, scope, lambda t, under: _of_ends(t, wanted.toward, {**under, **asked})
        )
        # Keys and documents were asked for apart: their pairs are told here.
        fitting = {
            (found.document_id, found.claim.id): found
            for found in map(claim_of, rows)
            if _leads(found, ends, wanted.toward)
        }
        return [fitting[key] for key in sorted(fitting)][:limit]

    async def _rows(self, query: str, scope: Scope, **given: object) -> Collected:
        return await settled_rows(self._database, scope, query=query, given=given)

    async def _gathered(self, query: str, scope: Scope, **parameters: object) -> list[str]:
        return await settled(
            self._database,
            scope,
            lambda t, under: gathered(t, query, given={**under, **parameters}),
        )


async def _find(
    transaction: Transaction, wanted: DocumentFilter, asked: Properties, limit: int, *, scope: Scope
) -> list[Document]:
    """Read on until there are as many as are wanted, or no more."""
    found: list[Document] = []
    # Without conditions on metadata, the query decides alone.
    page = _PAGE if wanted.exact or wanted.contains else limit
    after = ""
    while len(found) < limit:
        rows = await collected(
            transaction, "documents", given={**asked, "after": after, "limit": page}
        )
        documents = [as_seen(to_document(row), scope) for row in rows]
        found += [each for each in documents if wanted.fields_fit(each)]
        if len(rows) < page:
            break
        after = documents[-1].id
    return found[:limit]


async def _walk(transaction: Transaction, under: Properties, walk: Walk) -> list[Reference]:
    while walk.frontier:
        rows = await collected(transaction, "edges", given={**under, "ids": walk.frontier})
        walk.add((str(source), str(target), texts(kinds)) for source, target, kinds in rows)
    return walk.references()


async def _of_ends(transaction: Transaction, toward: Toward, asked: Properties) -> Collected:
    rows: Collected = []
    if toward is not Toward.SUBJECT:
        rows += await collected(transaction, "claims_of_subjects", given=asked)
    if toward is not Toward.OBJECT:
        rows += await collected(transaction, "claims_of_objects", given=asked)
    return rows


def _leads(found: LocalClaim, ends: frozenset[LocalEntity], toward: Toward) -> bool:
    """Tell whether a claim has one of the ends on the side that is asked for."""
    as_subject = toward is not Toward.SUBJECT and found.subject in ends
    return as_subject or (toward is not Toward.OBJECT and found.object in ends)
