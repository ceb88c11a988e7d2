"""One SQLite file: one thread that writes, a few that read, and every call one hop away."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from weft.adapters.sqlite.statements import of_part, statements
from weft.domain.errors import StoreCorrupt, StoreUnavailable, StoreUnwritable
from weft.stores.values import whole

T = TypeVar("T")
Parameters = dict[str, object]
_BUSY_MS = 10_000
_PAUSE_SECONDS = 0.02
_PRAGMAS = (
    "PRAGMA synchronous = NORMAL",
    f"PRAGMA busy_timeout = {_BUSY_MS}",
    "PRAGMA secure_delete = ON",
    "PRAGMA cache_size = -16000",
)
_READERS = 3
# The low byte of SQLite's codes: waiting changes nothing of these.
_UNWRITABLE = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_CANTOPEN,
}


def _use_log(raw: sqlite3.Connection) -> None:
    """Switch a file to its write-ahead log.

    Where two do so at once each may be in the other's way, and SQLite then waits for neither.
    """
    latest = time.monotonic() + _BUSY_MS / 1000
    while True:
        try:
            raw.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > latest:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return


def _folded(value: str | float | None) -> str | None:
    """Return a value as text in lower case, in any script."""
    return None if value is None else str(value).lower()


class Connection:
    """A connection that runs the named queries."""

    def __init__(self, path: Path, *, make: bool) -> None:
        """Open the file, which is made where it is not there if the caller says so."""
        mode = "rwc" if make else "rw"
        uri = f"{path.absolute().as_uri()}?mode={mode}"
        self._raw = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        for pragma in _PRAGMAS:
            self._raw.execute(pragma)
        # SQLite's own lower() knows ASCII alone.
        self._raw.create_function("fold", 1, _folded, deterministic=True)
        _use_log(self._raw)

    def run(
        self, name: str, parameters: Parameters | None = None, *, part: int | None = None
    ) -> sqlite3.Cursor:
        """Run one query by its name, of one part where it has parts."""
        query = statements()[name] if part is None else of_part(name, part)
        return self._raw.execute(query, parameters or {})

    def each(self, name: str, rows: list[Parameters]) -> None:
        """Run one query for each row."""
        self._raw.executemany(statements()[name], rows)

    def has_table(self, name: str) -> bool:
        """Tell whether the file has a table of that name."""
        return self.run("has_table", {"name": name}).fetchone() is not None

    def seen(self) -> tuple[int, int]:
        """Return what stays the same as long as this connection sees the same rows."""
        return id(self), whole(self._raw.execute("PRAGMA data_version").fetchone()[0])

    def script(self, text: str) -> None:
        """Run a script, a statement at a time, within the transaction that is open."""
        statement = ""
        for line in text.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                self._raw.execute(statement)
                statement = ""

    @contextmanager
    def transaction(self, kind: str) -> Iterator[None]:
        """Hold one transaction; an error undoes all of it, one of its last step too."""
        self._raw.execute(f"BEGIN {kind}")
        try:
            yield
            self._raw.execute("COMMIT")
        finally:
            if self._raw.in_transaction:  # SQLite itself undoes some, as when the disk is full
                self._raw.execute("ROLLBACK")

    def empty_log(self) -> None:
        """Move the write-ahead log into the file and empty it, unless a reader still needs it."""
        self._raw.execute("PRAGMA busy_timeout = 100")
        self._raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._raw.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")

    def close(self) -> None:
        """Close the connection."""
        self._raw.close()


class SqliteDatabase:
    """The threads and connections of one file."""

    def __init__(self, path: Path) -> None:
        """Start nothing yet: connections are made on the threads that first need them."""
        self.path = path
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="weft-write")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="weft-read")
        self._local = threading.local()
        self._open: list[Connection] = []

    async def write(self, action: Callable[[Connection], T]) -> T:
        """Run an action in one writing transaction; when it returns, all of it is stored."""
        return await self._hop(self._writer, action, "IMMEDIATE")

    async def read(self, action: Callable[[Connection], T]) -> T:
        """Run an action that sees one state of the file throughout."""
        return await self._hop(self._readers, action, "DEFERRED")

    async def prepare(self, action: Callable[[Connection], T]) -> T:
        """Run an action on the writing thread without a transaction around it."""
        return await self._hop(self._writer, action, None)

    async def close(self) -> None:
        """Wait for what is under way and close every connection."""
        await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        self._writer.shutdown(wait=True)
        self._readers.shutdown(wait=True)
        for connection in self._open:
            connection.close()
        self._open.clear()

    async def _hop(
        self, pool: ThreadPoolExecutor, action: Callable[[Connection], T], kind: str | None
    ) -> T:
        try:
            future = pool.submit(self._guarded, action, kind)
        except RuntimeError as error:  # only a closed pool refuses work
            raise StoreUnavailable("The knowledge base is closed.") from error
        return await asyncio.wrap_future(future)

    def _guarded(self, action: Callable[[Connection], T], kind: str | None) -> T:
        try:
            connection = self._connection()
            if kind is None:
                return action(connection)
            with connection.transaction(kind):
                return action(connection)
        except (sqlite3.OperationalError, sqlite3.IntegrityError) as error:
            code = error.sqlite_errorcode & 0xFF
            case = StoreUnwritable if code in _UNWRITABLE else StoreUnavailable
            raise case(f"The knowledge base does not answer: {error}") from error
        except sqlite3.DatabaseError as error:
            raise StoreCorrupt(f"'{self.path.name}' is damaged: {error}") from error

    def _connection(self) -> Connection:
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            # Only who opens the file makes it: were it taken away meanwhile, a reader that came
            # later would put an empty one in its place, and what is gone would seem to be there.
            connection = Connection(self.path, make=not self._open)
            self._local.connection = connection
            self._open.append(connection)
        return connection
