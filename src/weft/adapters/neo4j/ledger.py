"""The ledger's rows."""

from __future__ import annotations

from collections.abc import Sequence

from weft.adapters.neo4j.consistency import settled
from weft.adapters.neo4j.database import Neo4jDatabase, Transaction
from weft.adapters.neo4j.rows import collected, file_of, listed, texts
from weft.domain.acl import EVERYONE, acl_class
from weft.domain.errors import NotFound
from weft.domain.ledger import FileEntry, KnownSource, free_name
from weft.domain.scope import Scope
from weft.stores.rows import whole

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
            known = next((source for source in held if source.root == root), None)
            taken = {source.name for source in held}
            name = free_name(wanted, taken) if known is None else known.name
            standing = frozenset({EVERYONE}) if known is None else known.acl
            chosen = standing if acl is None else acl
            row: dict[str, object] = {"name": name, "root": root, "acl": sorted(chosen)}
            await transaction.run("put_source", row)
            return KnownSource(name=name, root=root, acl=chosen)

        return await self._database.write(keep)

    async def sources(self, scope: Scope) -> list[KnownSource]:
        """Return every source, ordered by name."""
        return await self._database.reading(lambda t: _sources(t, scope))

    async def standing(self, scope: Scope, source: str) -> list[FileEntry]:
        """Return every row of a source, for writers."""
        return await self._files("standing", scope, source)

    async def record(self, scope: Scope, entry: FileEntry) -> None:
        """Write a file's row in place of its former one."""
        chosen = acl_class(entry.acl)
        principals = sorted(chosen.principals)
        row: dict[str, object] = {
            "source": entry.source,
            "path": entry.path,
            "status": entry.status.value,
            "version": entry.version,
            "acl_class": chosen.number,
            "acl": principals,
            "reason": entry.reason,
            "documents": entry.documents,
            "chunks": entry.chunks,
            "characters": entry.characters,
            "skipped": entry.skipped,
        }

        async def write(transaction: Transaction) -> None:
            await _lock(transaction, scope)
            tabled: dict[str, object] = {"number": chosen.number, "principals": principals}
            await transaction.run("put_class", tabled)
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

    async def files(self, scope: Scope, source: str | None) -> list[FileEntry]:
        """Return the readable rows, ordered by source and path."""
        return await self._files("files", scope, source)

    async def outcomes(self, scope: Scope) -> dict[str, int]:
        """Return how many readable chunks ended in each outcome."""
        rows = await settled(
            self._database,
            scope,
            lambda t, under: collected(t, "outcomes", given=under),
            seconds=_LONG_SECONDS,
        )
        return {str(outcome): whole(count) for outcome, count in rows}

    async def _files(self, name: str, scope: Scope, source: str | None) -> list[FileEntry]:
        rows = await settled(
            self._database,
            scope,
            lambda t, under: collected(t, name, given={**under, "source": source}),
            seconds=_LONG_SECONDS,
        )
        return [file_of(row) for row in rows]


async def _lock(transaction: Transaction, scope: Scope) -> None:
    """Take the knowledge base's lock, as publishing does; refuse another tenant."""
    if not await transaction.run("lock", {"tenant": scope.tenant}):
        raise NotFound("There is no such knowledge base.")


async def _sources(transaction: Transaction, scope: Scope) -> list[KnownSource]:
    rows = await collected(transaction, "sources", given={"tenant": scope.tenant})
    return [
        KnownSource(name=str(name), root=str(root), acl=frozenset(texts(acl)))
        for name, root, acl in rows
    ]
