"""Servers and their databases: how one is reached, what it holds, room for a knowledge base."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace

from weft.adapters.neo4j.database import OLDEST, Address, Neo4jDatabase, Row
from weft.domain.errors import BadInput, StoreUnavailable
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.domain.target import HIDDEN, SOLE, ServerTarget, database_name
from weft.ports.servers import ServerDatabases
from weft.stores.values import texts

_SYSTEM = "system"
_KERNEL = "Neo4j Kernel"
_ENTERPRISE = "enterprise"
# A server that has just started takes its time over the first of these questions.
_ASK_SECONDS = 10.0
# A database that was just made is not online at once.
_LOOKS = 100
_LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Who opens a server where a target does not say; `secret` finds what a reference names."""

    user: str
    password: str
    secret: Callable[[str], str]

    def address(self, target: ServerTarget) -> Address:
        """Return how a target is reached; raises `ConfigurationError` for a missing secret."""
        password = self.secret(target.password) if target.password else self.password
        return Address(
            uri=target.address,
            user=target.user or self.user,
            password=password,
            name=target.database or None,
        )


class Neo4jServers:
    """Implements `ports/servers.py: Servers`, and finds room for new knowledge bases."""

    def __init__(self, credentials: Credentials) -> None:
        """Connect to nothing yet."""
        self._credentials = credentials

    async def databases(self, scope: Scope, target: str) -> ServerDatabases:
        """Return what a server holds; raises `StoreUnavailable` where it does not answer."""
        parsed = ServerTarget.parse(target)
        database = self._system(parsed)
        try:
            return await _look(database, parsed.address)
        finally:
            await database.close()

    async def place(self, scope: Scope, name: str, *, target: str) -> str:
        """Return the whole target of a new knowledge base, with a database that is there.

        Where the server can make databases, one is made; elsewhere it must be there already.
        Raises `BadInput` where it cannot be, saying what can be done.
        """
        parsed = ServerTarget.parse(target)
        database = self._system(parsed)
        try:
            found = await _look(database, parsed.address)
            _refuse_old(found)
            if found.can_make:
                wanted = parsed.database or database_name(name)
                await _make(database, found, wanted)
            else:
                wanted = _sole(found, parsed.database)
        finally:
            await database.close()
        return str(replace(parsed, database=wanted))

    def _system(self, target: ServerTarget) -> Neo4jDatabase:
        # Old servers refuse whoever wants no notifications, and could not say how old they are.
        address = self._credentials.address(replace(target, database=_SYSTEM))
        return Neo4jDatabase(address, noticed=_unheard)


def _unheard(name: str, status: object) -> None:
    """Let a notification pass: what the server thinks of these few queries changes nothing."""


async def _ask(database: Neo4jDatabase, name: str) -> list[Row]:
    return await database.reading(lambda t: t.run(name), seconds=_ASK_SECONDS)


async def _look(database: Neo4jDatabase, address: str) -> ServerDatabases:
    parts = {
        str(name): (versions, edition)
        for name, versions, edition in await _ask(database, "components")
    }
    versions, edition = parts[_KERNEL]
    held = await _ask(database, "databases")
    return ServerDatabases(
        address=address,
        version=texts(versions)[0],
        can_make=edition == _ENTERPRISE,
        databases=tuple(sorted({str(row[0]) for row in held} - HIDDEN)),
    )


def _refuse_old(found: ServerDatabases) -> None:
    """Raise `BadInput` for a server older than `OLDEST`; those named by a year are newer."""
    parts = re.match(r"(\d+)\.(\d+)", found.version)
    if parts and tuple(map(int, parts.groups())) < OLDEST:
        raise BadInput(
            f"Neo4j {found.version} at {found.address} is too old: Weft needs "
            f"{'.'.join(map(str, OLDEST))} or newer.",
            target=found.address,
            version=found.version,
        )


async def _make(database: Neo4jDatabase, found: ServerDatabases, name: str) -> None:
    if name == SOLE:
        raise BadInput(
            f"'{SOLE}' is what {found.address} made for itself; it can make others, so name one: "
            f"{found.address}/NAME",
            target=found.address,
        )
    if name not in found.databases:
        await database.write(lambda t: t.run("make_database", {"name": name}))
    for _ in range(_LOOKS):
        if await _is_online(database, name):
            return
        await asyncio.sleep(_LOOK_SECONDS)
    raise StoreUnavailable(
        f"The database '{name}' was made, but does not come online.", target=found.address
    )


async def _is_online(database: Neo4jDatabase, name: str) -> bool:
    rows = await _ask(database, "databases")
    return any(row[0] == name and row[1] == "online" for row in rows)


def _sole(found: ServerDatabases, wanted: str) -> str:
    """Return the database of a server that can make no other."""
    if not found.databases:
        raise StoreUnavailable(f"{found.address} has no database.", target=found.address)
    if wanted in {"", *found.databases} and (wanted or len(found.databases) == 1):
        return wanted or found.databases[0]
    there = ", ".join(found.databases)
    raise BadInput(
        f"{found.address} holds the database {there} and can make no other: start a server for "
        "each knowledge base, or use one that can make databases (DozerDB, Neo4j Enterprise).",
        target=found.address,
    )
