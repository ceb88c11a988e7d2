"""Opening one knowledge base file: its tables, its settings, and the parts that work on it."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from weft.adapters.sqlite import text_parts
from weft.adapters.sqlite.database import Connection, SqliteDatabase
from weft.adapters.sqlite.documents import SqliteDocuments
from weft.adapters.sqlite.holdings import SqliteHoldings
from weft.adapters.sqlite.knowledge import SqliteKnowledge
from weft.adapters.sqlite.ledger import SqliteLedger
from weft.adapters.sqlite.links import SqliteLinks
from weft.adapters.sqlite.names_files import NamesFiles
from weft.adapters.sqlite.publishing import SqlitePublishing
from weft.adapters.sqlite.segment_files import SegmentFiles
from weft.adapters.sqlite.snapshots import SqliteSnapshots
from weft.adapters.sqlite.statements import schema
from weft.adapters.sqlite.upkeep import Upkeep
from weft.domain.errors import IndexMismatch, StoreUnavailable
from weft.domain.frozen import dataclass
from weft.stores.missing import no_content

_SCHEMA_VERSION = "2"
_WITHOUT_PARTS = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteStore:
    """All ports of one knowledge base, on one file."""

    knowledge: SqliteKnowledge
    publishing: SqlitePublishing
    holdings: SqliteHoldings
    ledger: SqliteLedger
    links: SqliteLinks
    documents: SqliteDocuments
    database: SqliteDatabase
    snapshots: SqliteSnapshots
    upkeep: Upkeep

    async def save(self) -> None:
        """Write the arrays beside the file, so that the next start need not build them.

        No trace of what was removed stays, neither in them nor in the file. What the passages name
        is counted afterwards, while others work.
        """
        if not await self.publishing.is_tidy():
            await self.publishing.tidy()
        await self.database.read(self.snapshots.refresh)
        await self.database.prepare(self.snapshots.persist)
        self.upkeep.begin()

    async def close(self) -> None:
        """Save what was looked at or has traces of what was removed, then close the file."""
        await self.knowledge.settle()
        await self.upkeep.settle()
        try:
            # What was acknowledged is stored, and the next start makes up for the rest.
            with suppress(StoreUnavailable):
                if self.snapshots.is_loaded or not await self.publishing.is_tidy():
                    await self.save()
                    await self.upkeep.settle()
                    await self.database.prepare(lambda _: self.snapshots.keep_names())
        finally:
            await self.database.close()


async def open_store(
    path: Path, *, tenant: str, settings: Mapping[str, str] | None, dimensions: int
) -> SqliteStore:
    """Open or make the file at `path`; `settings` is kept when it is made, and checked by others.

    Without settings nothing is made: raises `NotFound` instead. Raises `IndexMismatch` where the
    file was made by another schema of Weft.
    """
    database = SqliteDatabase(path)
    made = None
    if settings is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        made = {**settings, "schema": _SCHEMA_VERSION, "dimensions": str(dimensions)}
    async with AsyncExitStack() as given_up:
        # Nobody has it yet who could close it, a caller that is cancelled neither.
        given_up.push_async_callback(
            lambda: asyncio.shield(asyncio.ensure_future(database.close()))
        )
        found = await database.prepare(lambda c: _prepare(c, tenant, made))
        if found["schema"] != _SCHEMA_VERSION:
            said = f"'{path.name}' has schema {found['schema']}, not {_SCHEMA_VERSION}."
            raise IndexMismatch(said)
        given_up.pop_all()
    folder = arrays_of(path)
    files = SegmentFiles(folder, found["identity"], dimensions=int(found["dimensions"]))
    names = NamesFiles(folder, found["identity"])
    snapshots = SqliteSnapshots(files, names, dimensions=int(found["dimensions"]))
    upkeep = Upkeep(snapshots, persist=lambda: database.prepare(snapshots.persist))
    return SqliteStore(
        knowledge=SqliteKnowledge(database, snapshots),
        publishing=SqlitePublishing(database, changing=upkeep.put_off),
        holdings=SqliteHoldings(database, folder),
        ledger=SqliteLedger(database),
        links=SqliteLinks(database),
        documents=SqliteDocuments(database),
        database=database,
        snapshots=snapshots,
        upkeep=upkeep,
    )


def arrays_of(path: Path) -> Path:
    """Return the folder of the arrays that lie beside a knowledge base's file."""
    return path.with_suffix(".index")


def _prepare(
    connection: Connection, tenant: str, settings: Mapping[str, str] | None
) -> dict[str, str]:
    """Make the tables where they are missing, and return what the file was made with.

    Tables and settings come in one transaction: a file has all of them or none.
    """
    if not connection.has_table("setting"):
        if settings is None:
            raise no_content()
        with connection.transaction("IMMEDIATE"):
            connection.script(schema())
            kept = {"version": "0", "identity": uuid.uuid4().hex, "tenant": tenant, **settings}
            connection.each("put_setting", [{"key": k, "value": v} for k, v in kept.items()])
    found = dict(connection.run("all_settings").fetchall())
    if found["schema"] == _WITHOUT_PARTS:
        with connection.transaction("IMMEDIATE"):
            # Another process may have been here first.
            found = dict(connection.run("all_settings").fetchall())
            if found["schema"] == _WITHOUT_PARTS:
                _divide(connection)
        found = dict(connection.run("all_settings").fetchall())
    return found


def _divide(connection: Connection) -> None:
    """Give a file of the first schema an index for substrings in parts."""
    for name in ("drop_text_whole", "drop_text_whole_added", "drop_text_whole_removed"):
        connection.run(name)
    connection.script(schema())
    text_parts.make_all(connection)
    if connection.run("was_untidy").fetchone() is not None:
        connection.run("put_untidy_all")
        connection.run("drop_was_untidy")
    connection.each("replace_setting", [{"key": "schema", "value": _SCHEMA_VERSION}])
