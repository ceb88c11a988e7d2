"""Links by people and models."""

from __future__ import annotations

from collections.abc import Sequence

from weft.adapters.neo4j.consistency import readable, settled
from weft.adapters.neo4j.database import Neo4jDatabase, Transaction
from weft.adapters.neo4j.rows import Properties, collected, entity_key
from weft.domain.claim import Link, LocalEntity
from weft.domain.scope import Scope
from weft.stores.links import link_columns, to_link, touching
from weft.stores.missing import no_end
from weft.stores.rows import to_entity


class Neo4jLinks:
    """Implements `ports/links.py` on one database."""

    def __init__(self, database: Neo4jDatabase) -> None:
        """Keep the links in the knowledge base's own database."""
        self._database = database

    async def add(self, scope: Scope, link: Link) -> None:
        """Keep a link whose ends the caller may read; else `NotFound`, and nothing is kept."""
        row = link_columns(link)

        async def write(transaction: Transaction) -> None:
            await transaction.run("lock", {"tenant": scope.tenant})
            await transaction.run("put_link", {"row": row})
            _, under = await readable(transaction, scope)
            if link.key not in await readable_links(transaction, under, key=link.key):
                raise no_end()

        await self._database.write(write)

    async def retract(self, scope: Scope, key: str) -> bool:
        """Remove a link that the caller may read."""
        done = False  # by an attempt whose end is not known, when the next finds nothing

        async def write(transaction: Transaction) -> bool:
            nonlocal done
            await transaction.run("lock", {"tenant": scope.tenant})
            _, under = await readable(transaction, scope)
            if key not in await readable_links(transaction, under, key=key):
                return done
            await transaction.run("drop_link", {"id": key})
            done = True
            return True

        return await self._database.write(write)

    async def touching(self, scope: Scope, entities: frozenset[LocalEntity]) -> list[Link]:
        """Return the readable links with an end among `entities`; all of them if it is empty."""
        docs = sorted({entity.document_id for entity in entities}) or None
        found = await settled(
            self._database, scope, lambda t, under: readable_links(t, under, documents=docs)
        )
        return touching(found, entities)


async def readable_links(
    transaction: Transaction,
    under: Properties,
    *,
    documents: Sequence[str] | None = None,
    key: str | None = None,
) -> dict[str, Link]:
    """Return the links with both ends readable, by key; of some documents or of one key.

    `under` is what `readable` gives.
    """
    rows = await collected(transaction, "links", given={**under, "docs": documents, "id": key})
    found = {str(row[0]): to_link(row[1:]) for row in rows}
    ends = {end for link in found.values() for end in (link.left, link.right)}
    if not ends:
        return {}
    asked = {
        **under,
        "keys": sorted({entity_key(end.entity_class, end.name) for end in ends}),
        "docs": sorted({end.document_id for end in ends}),
    }
    seen = {to_entity(row) for row in await collected(transaction, "seen_ends", given=asked)}
    return {key: link for key, link in found.items() if {link.left, link.right} <= seen}
