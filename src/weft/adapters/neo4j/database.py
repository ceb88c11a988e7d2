"""One database of a server: named queries in managed transactions, each within a time limit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

import neo4j
from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    TransientError,
)

from weft.adapters.neo4j.statements import statement
from weft.domain.errors import StoreUnavailable
from weft.domain.frozen import dataclass
from weft.runtime.tasks import forget

# What the driver warns of is raised too, and told in Weft's words; without a handler of whoever
# wants it, Python would write it to the terminal.
logging.getLogger("neo4j").addHandler(logging.NullHandler())

T = TypeVar("T")
Row = Sequence[object]
Parameters = dict[str, object]
Noticed = Callable[[str, neo4j.GqlStatusObject], None]

# A server that hangs is noticed by nothing else: calls answer or fail within two seconds.
READ_SECONDS = 1.5
# Writing waits for the knowledge base's lock, and the first after a restart is slow.
WRITE_SECONDS = 15.0
# An index over what is there already takes its time.
SCHEMA_SECONDS = 60.0
# What the queries and the schema are written for, and were tested with.
OLDEST = (5, 26)
# More than the driver takes to see that nobody is there: a second, the last attempt of which may
# take 1.5 more. After that it waits for an answer.
_CONNECT_SECONDS = 4.0
_ATTEMPTS = 3
_UNREACHABLE = "unreachable"
_SLOW = "timeout"
_SLOW_CODES = ("TransactionTimedOut", "TransactionTimedOutClientConfiguration", "LockClient")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a database is, and who opens it; `name` None is the server's own default.

    `patience` lengthens every limit, where a machine is slower than a server's is.
    """

    uri: str
    user: str
    password: str
    name: str | None = None
    patience: float = 1.0


class Transaction:
    """A managed transaction that runs the named queries."""

    def __init__(self, raw: neo4j.AsyncManagedTransaction, noticed: Noticed | None) -> None:
        """Tell `noticed` of every notification that the server sends."""
        self._raw = raw
        self._noticed = noticed

    async def run(
        self, name: str, parameters: Parameters | None = None, *, identifier: str | None = None
    ) -> list[Row]:
        """Run one query by its name and return its rows; `identifier` is a known label or type."""
        return await self.run_text(statement(name, identifier), parameters, name=name)

    async def run_text(self, text: str, parameters: Parameters | None, *, name: str) -> list[Row]:
        """Run a query whose text was composed from named ones, and return its rows."""
        # The text is the product's own: statements and identifiers of its vocabulary.
        result = await self._raw.run(text, parameters or {})
        rows: list[Row] = [record.values() async for record in result]
        if self._noticed is not None:
            summary = await result.consume()
            for status in summary.gql_status_objects:
                if status.is_notification:
                    self._noticed(name, status)
        return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenVersion:
    """A version that a transaction saw, and what later ones wait for to see all of it."""

    version: object
    bookmarks: neo4j.Bookmarks


class _Call:
    """One call of the driver: what its transactions keep to, and whether one has begun.

    Until then the driver connects, and may not be cancelled: it (6.4) would leave the socket that
    it connects to the collector. `given_up` says that nobody waits for it any more.
    """

    def __init__(self, seconds: float, noticed: Noticed | None) -> None:
        """Give every transaction at most so many seconds."""
        self.begun = False
        self.given_up = False
        self._seconds = seconds
        self._noticed = noticed

    def limited(
        self, work: Callable[[Transaction], Awaitable[T]]
    ) -> Callable[[neo4j.AsyncManagedTransaction], Awaitable[T]]:
        """Return the work of a transaction as the driver wants it."""

        @neo4j.unit_of_work(timeout=self._seconds)
        async def act(raw: neo4j.AsyncManagedTransaction) -> T:
            if self.given_up:
                raise asyncio.CancelledError
            self.begun = True
            try:
                return await work(Transaction(raw, self._noticed))
            except (Neo4jError, DriverError):
                self.begun = False  # the driver may run it again, and connect for that
                raise

        return act


class SessionReader:
    """Reading transactions of one session, each after all that the one before saw a part of."""

    def __init__(self, session: neo4j.AsyncSession, call: _Call) -> None:
        """Read with a session of a call."""
        self._session = session
        self._call = call

    async def read(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run queries in one transaction; `work` may be run more than once."""
        return await self._session.execute_read(self._call.limited(work))

    async def bookmarks(self) -> neo4j.Bookmarks:
        """Return what a later session waits for to be after this one's last transaction."""
        return await self._session.last_bookmarks()


class Neo4jDatabase:
    """The driver's pool for one database; every call ends within its seconds."""

    def __init__(self, address: Address, *, noticed: Noticed | None = None) -> None:
        """Connect to nothing yet; without `noticed` the server is asked for no notifications.

        `seen` is the version that the last reader saw, for the next one.
        """
        self.address = address
        self.seen: SeenVersion | None = None
        self._noticed = noticed
        self._turn = asyncio.Lock()
        self._connecting: set[asyncio.Task[object]] = set()
        severity = neo4j.NotificationMinimumSeverity
        try:
            self._driver = neo4j.AsyncGraphDatabase.driver(
                address.uri,
                auth=(address.user, address.password),
                connection_timeout=1.0 * address.patience,
                connection_acquisition_timeout=1.5 * address.patience,
                max_transaction_retry_time=1.0,
                liveness_check_timeout=5.0,
                max_connection_lifetime=300.0,
                notifications_min_severity=severity.OFF if noticed is None else None,
                user_agent="weft",
            )
        except (ConfigurationError, ValueError) as error:
            raise _unavailable(address, "address", str(error)) from error

    async def read(self, name: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one named query in a reading transaction and return its rows."""
        return await self.reading(lambda t: t.run(name, parameters))

    async def reading(
        self, work: Callable[[Transaction], Awaitable[T]], *, seconds: float = READ_SECONDS
    ) -> T:
        """Run several queries in one reading transaction; `work` may be run more than once.

        A reading transaction sees what others commit meanwhile: see `in_turn`.
        """
        return await self.in_turn(lambda reader: reader.read(work), seconds=seconds)

    async def in_turn(
        self,
        work: Callable[[SessionReader], Awaitable[T]],
        *,
        after: SeenVersion | None = None,
        seconds: float = READ_SECONDS,
    ) -> T:
        """Run reading transactions one after another, the first after what was seen before.

        Each begins only when all that was being committed at the end of the one before is there
        in full. `work` may be run more than once.
        """
        try:
            async with self._within(seconds) as limit:
                call = _Call(limit, self._noticed)
                return await self._connected(
                    call,
                    self._attempt(lambda session: work(SessionReader(session, call)), after),
                )
        except StoreUnavailable:
            # The server may have come back without it, and then would be waited for.
            self.seen = None
            raise

    async def write(
        self, work: Callable[[Transaction], Awaitable[T]], *, seconds: float = WRITE_SECONDS
    ) -> T:
        """Run queries in one writing transaction; when it returns, all of it is stored.

        `work` is run again where it is not known whether it was stored: it must then find out.
        """
        # Writers of one process take turns here: at the server each one that waits for the
        # knowledge base's lock takes a core from the one that has it.
        async with self._within(seconds) as limit, self._turn:
            call = _Call(limit, self._noticed)
            return await self._connected(
                call, self._attempt(lambda session: session.execute_write(call.limited(work)))
            )

    @asynccontextmanager
    async def writers_waiting(self) -> AsyncIterator[None]:
        """Let the writers of this process wait until it is left: for a read that they overtake."""
        async with self._turn:
            yield

    async def change_schema(self, texts: Iterable[str]) -> None:
        """Run statements that make constraints and indexes, and wait until these are there."""
        for text in texts:
            await self.write(partial(_change, text))
        await self.write(lambda t: t.run("await_indexes"), seconds=SCHEMA_SECONDS)

    async def close(self) -> None:
        """Let go of every connection."""
        try:
            await self._stop_connecting()
            async with asyncio.timeout(READ_SECONDS):
                await self._driver.close()
        except (TimeoutError, OSError, DriverError):
            return  # whatever hangs there holds nothing of ours

    async def _stop_connecting(self) -> None:
        if not self._connecting:
            return
        _, late = await asyncio.wait(self._connecting, timeout=_CONNECT_SECONDS)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    @asynccontextmanager
    async def _within(self, seconds: float) -> AsyncIterator[float]:
        """Yield the limit that a call has here; what fails meanwhile is the server's."""
        address, seconds = self.address, seconds * self.address.patience
        try:
            async with asyncio.timeout(seconds):
                yield seconds
        except TimeoutError as error:
            said = f"it did not answer within {seconds:g} s"
            raise _unavailable(address, _SLOW, said) from error
        except ConfigurationError as error:  # it cannot do what every call here asks of it
            raise _too_old(address) from error
        except (Neo4jError, DriverError) as error:
            raise _unavailable(address, _reason(error), _said(error)) from error
        except OSError as error:
            raise _unavailable(address, _UNREACHABLE, str(error)) from error

    async def _connected(self, call: _Call, attempt: Coroutine[object, object, T]) -> T:
        """Wait for what a call makes; whoever stops waiting does not stop it from connecting."""
        task = asyncio.create_task(attempt)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(forget)
            if call.begun:
                task.cancel()
                await asyncio.wait((task,))
            else:
                call.given_up = True
                self._connecting.add(task)
                task.add_done_callback(self._connecting.discard)
            raise

    async def _attempt(
        self, use: Callable[[neo4j.AsyncSession], Awaitable[T]], after: SeenVersion | None = None
    ) -> T:
        """Use a session; again where it is not known whether it did what it was to do."""
        for attempt in range(_ATTEMPTS):
            async with self._driver.session(
                database=self.address.name,
                fetch_size=-1,
                initial_retry_delay=0.05,
                # So that what failed until then is told before the time is up.
                retry_delay_multiplier=1.5,
                bookmarks=after.bookmarks if after else None,
            ) as session:
                try:
                    return await use(session)
                except IncompleteCommit:
                    if attempt == _ATTEMPTS - 1:
                        raise
        raise AssertionError("the last attempt returns or raises")


async def _change(text: str, transaction: Transaction) -> list[Row]:
    return await transaction.run_text(text, None, name="schema")


def _unavailable(address: Address, reason: str, said: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"Neo4j at {address.uri} does not answer: {said}", reason=reason, target=address.uri
    )


def _too_old(address: Address) -> StoreUnavailable:
    oldest = ".".join(map(str, OLDEST))
    return StoreUnavailable(
        f"The server at {address.uri} is too old, or no Neo4j: Weft needs Neo4j {oldest} or newer.",
        reason="too_old",
        target=address.uri,
    )


def _reason(error: Neo4jError | DriverError) -> str:
    """Return in a word why a call failed."""
    if isinstance(error, AuthError):
        return "credentials"
    if isinstance(error, DriverError):
        return _UNREACHABLE
    code = error.code or ""
    if any(part in code for part in _SLOW_CODES):
        return _SLOW
    if "DatabaseNotFound" in code or "DatabaseUnavailable" in code:
        return "database"
    return "busy" if isinstance(error, TransientError) else "refused"


def _said(error: Neo4jError | DriverError) -> str:
    if isinstance(error, AuthError):
        return "it does not take this user and password"
    if isinstance(error, Neo4jError):
        return error.message or error.code or "it gave no reason"
    return str(error)
