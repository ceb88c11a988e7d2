"""The ledger's rows."""

from __future__ import annotations

from collections.abc import Sequence

from weft.adapters.sqlite.database import Connection, SqliteDatabase
from weft.adapters.sqlite.publishing import drop_unused_classes, own_tenant, put_class
from weft.adapters.sqlite.rows import encoded, scoped
from weft.domain.acl import acl_class
from weft.domain.ledger import FileEntry, KnownSource
from weft.domain.scope import Scope
from weft.stores.ledger import file_columns, source_at, source_columns, to_file, to_source
from weft.stores.values import whole

# Some 600 bytes each.
_MOST_ROWS = 200_000


class SqliteLedger:
    """Implements `ports/ledger.py` on one file."""

    def __init__(self, database: SqliteDatabase) -> None:
        """Keep the rows in the knowledge base's own file."""
        self._database = database
        # What was last read of a source, by its columns: of a large one most rows stay as they are.
        self._standing: dict[tuple[object, ...], FileEntry] = {}
        # What was last asked for, by which connection and at what state of the file.
        self._last: tuple[object, list[FileEntry]] = (None, [])

    async def source(
        self, scope: Scope, root: str, *, wanted: str, acl: frozenset[str] | None
    ) -> KnownSource:
        """Return the source at `root`, giving it a name if it has none; see the port."""

        def keep(connection: Connection) -> KnownSource:
            own_tenant(connection, scope)
            chosen = source_at(root, _sources(connection, scope), wanted=wanted, acl=acl)
            connection.run("put_source", encoded(source_columns(chosen)))
            return chosen

        return await self._database.write(keep)

    async def sources(self, scope: Scope) -> list[KnownSource]:
        """Return every source, ordered by name."""
        return await self._database.read(lambda c: _sources(c, scope))

    async def standing(self, scope: Scope, source: str) -> list[FileEntry]:
        """Return every row of a source, for writers."""

        def load(connection: Connection) -> list[FileEntry]:
            asked = (connection.seen(), scope, source)
            last = self._last
            if last[0] == asked:
                return list(last[1])
            rows = connection.run("standing", scoped(scope, source=source)).fetchall()
            former = self._standing
            read = {row: former.get(row) or to_file(row) for row in rows}
            # Replaced as a whole: another thread may be reading the former one.
            entries = list(read.values())
            is_kept = len(read) <= _MOST_ROWS
            self._standing = read if is_kept else {}
            self._last = (asked, entries) if is_kept else (None, [])
            return list(entries)

        return await self._database.read(load)

    async def record(self, scope: Scope, entry: FileEntry) -> None:
        """Write a file's row in place of its former one."""
        chosen = acl_class(entry.acl)
        row = file_columns(entry, chosen)

        def write(connection: Connection) -> None:
            own_tenant(connection, scope)
            put_class(connection, chosen)
            connection.run("put_file", row)

        await self._database.write(write)

    async def forget(self, scope: Scope, source: str, paths: Sequence[str]) -> None:
        """Remove the rows of files that are gone."""
        rows: list[dict[str, object]] = [{"source": source, "path": path} for path in paths]

        def write(connection: Connection) -> None:
            own_tenant(connection, scope)
            connection.each("drop_file", rows)
            drop_unused_classes(connection)

        await self._database.write(write)

    async def files(
        self, scope: Scope, source: str | None, *, paths: Sequence[str] | None = None
    ) -> list[FileEntry]:
        """Return the readable rows, ordered by source and path."""
        wanted = None if paths is None else dict.fromkeys(paths)
        query, given = "files", scoped(scope, source=source)
        if wanted is not None and source is not None:
            query, given = "files_at", scoped(scope, source=source, paths=list(wanted))

        def load(connection: Connection) -> list[FileEntry]:
            found = map(to_file, connection.run(query, given))
            return [each for each in found if wanted is None or each.path in wanted]

        return await self._database.read(load)

    async def outcomes(self, scope: Scope) -> dict[str, int]:
        """Return how many readable chunks ended in each outcome."""

        def load(connection: Connection) -> dict[str, int]:
            return {row[0]: whole(row[1]) for row in connection.run("outcomes", scoped(scope))}

        return await self._database.read(load)


def _sources(connection: Connection, scope: Scope) -> list[KnownSource]:
    return [to_source(row) for row in connection.run("sources", scoped(scope))]
