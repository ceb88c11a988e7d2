"""The ledger's rows."""

from __future__ import annotations

from collections.abc import Sequence

from weft.adapters.neo4j.consistency import settled_rows
from weft.adapters.neo4j.database import Neo4jDatabase, Transaction
from weft.adapters.neo4j.rows import collected
from weft.domain.acl import acl_class
from weft.domain.ledger import FileEntry, KnownSource
from weft.domain.scope import Scope
from weft.stores.changes import class_columns
from weft.stores.ledger import file_columns, source_at, source_columns, to_file, to_source
from weft.stores.missing import no_base
from weft.stores.values import listed, whole

# A ledger of a hundred thousand files is read as one.
_LONG_SECONDS = 15.0


class Neo4jLedger:
    """Implements `ports/ledger.py` on one database."""

    def __init__(self, database: Neo4jDatabase) -> None:
        """Keep the rows in the knowledge base's own database."""
        self._database = database

    async def source(
        self, scope: Scope, root: str, *, wanted: str, acl: frozenset[str] | None
    ) -> KnownSource:
        """Return the source at `root`, giving it a name if it has none; see the port."""

        async def keep(transaction: Transaction) -> KnownSource:
            await _lock(transaction, scope)
            held = await _sources(transaction, scope)
            chosen = source_at(root, held, wanted=wanted, acl=acl)
            await transaction.run("put_source", source_columns(chosen))
            return chosen

        return await self._database.write(keep)

    async def sources(self, scope: Scope) -> list[KnownSource]:
        """Return every source, ordered by name."""
        return await self._database.reading(lambda t: _sources(t, scope))

    async def standing(self, scope: Scope, source: str) -> list[FileEntry]:
        """Return every row of a source, for writers."""
        return await self._files("standing", scope, source=source)

    async def record(self, scope: Scope, entry: FileEntry) -> None:
        """Write a file's row in place of its former one."""
        chosen = acl_class(entry.acl)
        row = {**file_columns(entry, chosen), "acl": sorted(chosen.principals)}

        async def write(transaction: Transaction) -> None:
            await _lock(transaction, scope)
            await transaction.run("put_class", class_columns(chosen))
            rows = await transaction.run("put_file", {"row": row})
            former = rows[0][0]
            if former not in (None, chosen.number):
                await transaction.run("drop_class", {"number": former})

        await self._database.write(write)

    async def forget(self, scope: Scope, source: str, paths: Sequence[str]) -> None:
        """Remove the rows of files that are gone."""
        gone: dict[str, object] = {"source": source, "paths": list(paths)}

        async def write(transaction: Transaction) -> None:
            await _lock(transaction, scope)
            rows = await transaction.run("drop_files", gone)
            for former in listed(rows[0][0]):
                await transaction.run("drop_class", {"number": former})

        await self._database.write(write)

    async def files(
        self, scope: Scope, source: str | None, *, paths: Sequence[str] | None = None
    ) -> list[FileEntry]:
        """Return the readable rows, ordered by source and path."""
        given = None if paths is None else list(paths)
        return await self._files("files", scope, source=source, paths=given)

    async def outcomes(self, scope: Scope) -> dict[str, int]:
        """Return how many readable chunks ended in each outcome."""
        rows = await settled_rows(
            self._database, scope, query="outcomes", given={}, seconds=_LONG_SECONDS
        )
        return {str(outcome): whole(count) for outcome, count in rows}

    async def _files(self, name: str, scope: Scope, **given: object) -> list[FileEntry]:
        rows = await settled_rows(
            self._database,
            scope,
            query=name,
            given=given,
            seconds=_LONG_SECONDS,
        )
        return [to_file(row) for row in rows]


async def _lock(transaction: Transaction, scope: Scope) -> None:
    """Take the knowledge base's lock, as publishing does; refuse another tenant."""
    if not await transaction.run("lock", {"tenant": scope.tenant}):
        raise no_base()


async def _sources(transaction: Transaction, scope: Scope) -> list[KnownSource]:
    rows = await collected(transaction, "sources", given={"tenant": scope.tenant})
    return [to_source(row) for row in rows]
