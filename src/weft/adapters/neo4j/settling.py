"""Reading one state under a scope, from a server that shows what others commit meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from weft.adapters.neo4j.database import READ_SECONDS, Database, Transaction
from weft.adapters.neo4j.rows import Properties, listed, scoped
from weft.domain.errors import StoreUnavailable
from weft.domain.scope import Scope
from weft.index.stored import Misshapen

T = TypeVar("T")
_TRIES = 8


async def readable(transaction: Transaction, scope: Scope) -> tuple[object, Properties]:
    """Return the number of the last change, and what every query under the scope needs.

    That is `tenant`, `sources` and `classes`, the numbers of the classes that the caller may read:
    none for another tenant.
    """
    own = scoped(scope)
    rows = await transaction.run("state", own)
    version, classes = rows[0] if rows else (None, [])
    return version, {**own, "classes": listed(classes)}


async def settled(
    database: Database,
    scope: Scope,
    work: Callable[[Transaction, Properties], Awaitable[T]],
    *,
    seconds: float = READ_SECONDS,
) -> T:
    """Return what `work` reads of one state of the knowledge base, within so many seconds.

    It is read again where the version moved meanwhile; `work` may be run more than once, and is
    given the scope's parameters. Raises `StoreUnavailable` where the version moves too often.
    """

    async def between(transaction: Transaction) -> list[T]:
        before, under = await readable(transaction, scope)
        try:
            found = [await work(transaction, under)]
        except Misshapen:  # what is going at this moment has lost its properties
            found = []
        rows = await transaction.run("version")
        after = rows[0][0] if rows else None
        return found if before == after else []

    clock = asyncio.get_running_loop()
    latest = clock.time() + seconds
    for _ in range(_TRIES):
        left = max(latest - clock.time(), 0.001)
        for found in await database.reading(between, seconds=left):
            return found
    raise StoreUnavailable(
        f"Neo4j at {database.address.uri} is changed faster than it can be read; try again",
        reason="busy",
        target=database.address.uri,
    )
