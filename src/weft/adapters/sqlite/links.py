"""Links by people and models."""

from __future__ import annotations

from weft.adapters.sqlite.database import Connection, SqliteDatabase
from weft.adapters.sqlite.rows import scoped
from weft.domain.claim import Link, LocalEntity
from weft.domain.scope import Scope
from weft.stores.links import link_columns, to_link, touching
from weft.stores.missing import no_end


class SqliteLinks:
    """Implements `ports/links.py` on one file."""

    def __init__(self, database: SqliteDatabase) -> None:
        """Keep the links in the knowledge base's own file."""
        self._database = database

    async def add(self, scope: Scope, link: Link) -> None:
        """Keep a link whose ends the caller may read; else `NotFound`, and nothing is kept."""
        row = link_columns(link)

        def write(connection: Connection) -> None:
            connection.run("put_link", row)
            if link.key not in readable_links(connection, scope):
                raise no_end()

        await self._database.write(write)

    async def retract(self, scope: Scope, key: str) -> bool:
        """Remove a link that the caller may read."""

        def write(connection: Connection) -> bool:
            if key not in readable_links(connection, scope):
                return False
            connection.run("drop_link", {"id": key})
            return True

        return await self._database.write(write)

    async def touching(self, scope: Scope, entities: frozenset[LocalEntity]) -> list[Link]:
        """Return the readable links with an end among `entities`; all of them if it is empty."""
        found = await self._database.read(lambda c: readable_links(c, scope))
        return touching(found, entities)


def readable_links(connection: Connection, scope: Scope) -> dict[str, Link]:
    """Return the links with both ends readable, by key."""
    return {row[0]: to_link(row[1:]) for row in connection.run("links", scoped(scope))}
