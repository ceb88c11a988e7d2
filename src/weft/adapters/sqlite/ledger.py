"""The ledger's rows."""

from __future__ import annotations

import json
from collections.abc import Sequence

from weft.adapters.sqlite.database import Connection, Database
from weft.adapters.sqlite.publishing import drop_unused_classes, put_class
from weft.adapters.sqlite.rows import scoped, whole
from weft.domain.acl import acl_class
from weft.domain.ledger import FileEntry, FileStatus
from weft.domain.scope import Scope


class SqliteLedger:
    """Implements `ports/ledger.py` on one file."""

    def __init__(self, database: Database) -> None:
        """Keep the rows in the knowledge base's own file."""
        self._database = database

    async def source(self, scope: Scope, root: str, wanted: str) -> str:
        """Return the name of the source at `root`, giving it one if it has none."""

        def name(connection: Connection) -> str:
            held = _roots(connection, scope)
            for known, path in held.items():
                if path == root:
                    return known
            chosen, number = wanted, 1
            while chosen in held:
                number += 1
                chosen = f"{wanted}-{number}"
            connection.run("put_source", {"name": chosen, "root": root})
            return chosen

        return await self._database.write(name)

    async def sources(self, scope: Scope) -> dict[str, str]:
        """Return the root of each source by its name."""
        return await self._database.read(lambda c: _roots(c, scope))

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
            return [_entry(row) for row in connection.run("files", scoped(scope, source=source))]

        return await self._database.read(load)

    async def outcomes(self, scope: Scope) -> dict[str, int]:
        """Return how many readable chunks ended in each outcome."""

        def load(connection: Connection) -> dict[str, int]:
            return {row[0]: whole(row[1]) for row in connection.run("outcomes", scoped(scope))}

        return await self._database.read(load)


def _roots(connection: Connection, scope: Scope) -> dict[str, str]:
    return dict(connection.run("sources", scoped(scope)).fetchall())


def _entry(row: tuple[object, ...]) -> FileEntry:
    source, path, status, version, principals, reason, documents, chunks, characters, skipped = row
    return FileEntry(
        source=str(source),
        path=str(path),
        status=FileStatus(str(status)),
        version=str(version),
        acl=frozenset(json.loads(str(principals))),
        reason=str(reason),
        documents=whole(documents),
        chunks=whole(chunks),
        characters=whole(characters),
        skipped=whole(skipped),
    )
