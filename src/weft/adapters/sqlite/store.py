"""Opening one knowledge base file: its tables, its settings, and the parts that work on it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from weft.adapters.sqlite.database import Connection, Database
from weft.adapters.sqlite.holdings import SqliteHoldings
from weft.adapters.sqlite.knowledge import SqliteKnowledge
from weft.adapters.sqlite.ledger import SqliteLedger
from weft.adapters.sqlite.links import SqliteLinks
from weft.adapters.sqlite.publishing import SqlitePublishing
from weft.adapters.sqlite.snapshots import Snapshots
from weft.adapters.sqlite.statements import schema
from weft.domain.errors import IndexMismatch

_SCHEMA_VERSION = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteStore:
    """All ports of one knowledge base, on one file."""

    knowledge: SqliteKnowledge
    publishing: SqlitePublishing
    holdings: SqliteHoldings
    ledger: SqliteLedger
    links: SqliteLinks
    database: Database
    snapshots: Snapshots

    async def save(self) -> None:
        """Write the arrays beside the file, so that the next start need not build them."""

        def bring(connection: Connection) -> None:
            self.snapshots.refresh(connection)

        await self.database.read(bring)
        await self.database.prepare(lambda _: self.snapshots.persist())

    async def close(self) -> None:
        """Write the arrays if they are newer than the file's, then close it."""
        await self.database.prepare(lambda _: self.snapshots.persist())
        await self.database.close()


async def open_store(
    path: Path, *, tenant: str, settings: Mapping[str, str], dimensions: int
) -> SqliteStore:
    """Open or make the file at `path`; `settings` is kept when it is made, and checked by others.

    Raises `IndexMismatch` where the file was made by another schema of Weft.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    database = Database(path)
    made = {**settings, "schema": _SCHEMA_VERSION, "dimensions": str(dimensions)}
    found = await database.prepare(lambda c: _prepare(c, tenant, made))
    if found["schema"] != _SCHEMA_VERSION:
        await database.close()
        raise IndexMismatch(f"'{path.name}' has schema {found['schema']}, not {_SCHEMA_VERSION}.")
    folder = path.with_suffix(".index")
    snapshots = Snapshots(folder, found["identity"], int(found["dimensions"]))
    return SqliteStore(
        knowledge=SqliteKnowledge(database, snapshots),
        publishing=SqlitePublishing(database),
        holdings=SqliteHoldings(database, folder),
        ledger=SqliteLedger(database),
        links=SqliteLinks(database),
        database=database,
        snapshots=snapshots,
    )


def _prepare(connection: Connection, tenant: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Make the tables where they are missing, and return what the file was made with."""
    if not connection.has_table("setting"):
        connection.script(schema())
    with connection.transaction("IMMEDIATE"):
        kept = {"version": "0", "identity": uuid.uuid4().hex, "tenant": tenant, **settings}
        connection.each("put_setting", [{"key": k, "value": v} for k, v in kept.items()])
        return dict(connection.run("all_settings").fetchall())
