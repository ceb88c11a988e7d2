"""The ledger's rows."""

from __future__ import annotations

import json
from collections.abc import Sequence

from weft.adapters.sqlite.database import Connection, SqliteDatabase
from weft.adapters.sqlite.publishing import drop_unused_classes, put_class
from weft.adapters.sqlite.rows import array, file_of, scoped
from weft.domain.acl import EVERYONE, acl_class
from weft.domain.ledger import FileEntry, KnownSource, free_name
from weft.domain.scope import Scope
from weft.stores.rows import whole


class SqliteLedger:
    """Implements `ports/ledger.py` on one file."""

    def __init__(self, database: SqliteDatabase) -> None:
        """Keep the rows in the knowledge base's own file."""
        self._database = database

    async def source(
        self, scope: Scope, root: str, *, wanted: str, acl: frozenset[str] | None
    ) -> KnownSource:
        """Return the source at `root`, giving it a name if it has none; see the port."""

        def keep(connection: Connection) -> KnownSource:
            held = _sources(connection, scope)
            known = next((source for source in held if source.root == root), None)
            name = free_name(wanted, {each.name for each in held}) if known is None else known.name
            standing = frozenset({EVERYONE}) if known is None else known.acl
            chosen = standing if acl is None else acl
            row: dict[str, object] = {"name": name, "root": root, "acl": array(sorted(chosen))}
            connection.run("put_source", row)
            return KnownSource(name=name, root=root, acl=chosen)

        return await self._database.write(keep)

    async def sources(self, scope: Scope) -> list[KnownSource]:
        """Return every source, ordered by name."""
        return await self._database.read(lambda c: _sources(c, scope))

    async def standing(self, scope: Scope, source: str) -> list[FileEntry]:
        """Return every row of a source, for writers."""

        def load(connection: Connection) -> list[FileEntry]:
            return [
                file_of(row) for row in connection.run("standing", scoped(scope, source=source))
            ]

        return await self._database.read(load)

    async def record(self, scope: Scope, entry: FileEntry) -> None:
        """Write a file's row in place of its former one."""
        chosen = acl_class(entry.acl)
        row: dict[str, object] = {
            "source": entry.source,
            "path": entry.path,
            "status": entry.status.value,
            "version": entry.version,
            "acl_class": chosen.number,
            "reason": entry.reason,
            "documents": entry.documents,
            "chunks": entry.chunks,
            "characters": entry.characters,
            "skipped": entry.skipped,
        }

        def write(connection: Connection) -> None:
            put_class(connection, chosen)
            connection.run("put_file", row)

        await self._database.write(write)

    async def forget(self, scope: Scope, source: str, paths: Sequence[str]) -> None:
        """Remove the rows of files that are gone."""
        rows: list[dict[str, object]] = [{"source": source, "path": path} for path in paths]

        def write(connection: Connection) -> None:
            connection.each("drop_file", rows)
            drop_unused_classes(connection)

        await self._database.write(write)

    async def files(self, scope: Scope, source: str | None) -> list[FileEntry]:
        """Return the readable rows, ordered by source and path."""

        def load(connection: Connection) -> list[FileEntry]:
            return [file_of(row) for row in connection.run("files", scoped(scope, source=source))]

        return await self._database.read(load)

    async def outcomes(self, scope: Scope) -> dict[str, int]:
        """Return how many readable chunks ended in each outcome."""

        def load(connection: Connection) -> dict[str, int]:
            return {row[0]: whole(row[1]) for row in connection.run("outcomes", scoped(scope))}

        return await self._database.read(load)


def _sources(connection: Connection, scope: Scope) -> list[KnownSource]:
    return [
        KnownSource(name=name, root=root, acl=frozenset(json.loads(acl)))
        for name, root, acl in connection.run("sources", scoped(scope))
    ]
