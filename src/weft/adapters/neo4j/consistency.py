"""Reading one state under a scope, from a server that shows what others commit meanwhile.

Such a server shows a change part by part, and the knowledge base's version may come before the rest
or after it. But each reading of a `SessionReader` begins only when all that was being committed at
the end of the one before is there in full. So what was read is one state if the readings before, of
and after it all saw the same version.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Generic, TypeVar

from weft.adapters.neo4j.database import (
    READ_SECONDS,
    Neo4jDatabase,
    SeenVersion,
    SessionReader,
    Transaction,
)
from weft.adapters.neo4j.rows import Collected, Properties, collected
from weft.domain.errors import NotFound, StoreUnavailable
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.stores.asking import scoped
from weft.stores.values import listed

T = TypeVar("T")
_TRIES = 16
# After so many of them the writers of this process wait: one that changes without a pause would
# else overtake every reading.
_FREE_TRIES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read(Generic[T]):
    """What one transaction saw: the version, and what was read or why it could not be."""

    version: object
    found: tuple[T, ...] = ()
    failure: NotFound | ValueError | None = None

    @property
    def is_ended(self) -> bool:
        """Tell whether it was read, be it in vain."""
        return bool(self.found) or self.failure is not None


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
    database: Neo4jDatabase,
    scope: Scope,
    work: Callable[[Transaction, Properties], Awaitable[T]],
    *,
    seconds: float = READ_SECONDS,
) -> T:
    """Return what `work` reads of one state of the knowledge base, within so many seconds.

    It is read again where the version moved meanwhile; `work` may be run more than once, and is
    given the scope's parameters. What it raises is raised only if it read one state. Raises
    `StoreUnavailable` where other processes move the version too often.
    """
    last = database.seen

    async def of_one_state(reader: SessionReader) -> T:
        async with AsyncExitStack() as stack:
            return await tried(reader, stack)

    async def tried(reader: SessionReader, stack: AsyncExitStack) -> T:
        version = last.version if last else None
        for attempt in range(_TRIES):
            if attempt == _FREE_TRIES:
                await stack.enter_async_context(database.writers_waiting())
            expected = version
            read = await reader.read(lambda t: _read(t, scope, work, version=expected))  # noqa: B023  # run before the next turn
            version = read.version
            if not read.is_ended:
                continue
            version = await reader.read(_version)
            if version == read.version:
                database.seen = SeenVersion(version=version, bookmarks=await reader.bookmarks())
                if read.failure is not None:
                    raise read.failure
                return read.found[0]
        raise StoreUnavailable(
            f"Neo4j at {database.address.uri} is changed faster than it can be read; try again",
            reason="busy",
            target=database.address.uri,
        )

    return await database.in_turn(of_one_state, after=last, seconds=seconds)


async def settled_rows(
    database: Neo4jDatabase,
    scope: Scope,
    *,
    query: str,
    given: Properties,
    seconds: float = READ_SECONDS,
) -> Collected:
    """Return the rows that a query collects of one state, given the scope's parameters as well.

    Raises what `settled` does.
    """
    return await settled(
        database,
        scope,
        lambda t, under: collected(t, query, given={**under, **given}),
        seconds=seconds,
    )


async def _read(
    transaction: Transaction,
    scope: Scope,
    work: Callable[[Transaction, Properties], Awaitable[T]],
    *,
    version: object,
) -> _Read[T]:
    """Read if the version is still the one that is expected, else only tell what it is."""
    seen, under = await readable(transaction, scope)
    if seen != version:
        return _Read(version=seen)
    try:
        return _Read(version=seen, found=(await work(transaction, under),))
    except (NotFound, ValueError) as error:  # what is going at this moment has lost its properties
        return _Read(version=seen, failure=error)


async def _version(transaction: Transaction) -> object:
    rows = await transaction.run("version")
    return rows[0][0] if rows else None
