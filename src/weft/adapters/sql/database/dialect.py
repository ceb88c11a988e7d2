"""What SQLite and PostgreSQL do differently; nothing above this file knows which one it is."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, Insert, Table, create_engine, event, func, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.pool import ConnectionPoolEntry, StaticPool

from weft.domain.errors import ConfigurationError, StoreUnavailable
from weft.domain.ids import number

BUSY_MS = 10_000
_SQLITE = "sqlite:///"
# Tables that live as long as the process, for what is not to be stored.
MEMORY = "memory:"
_PRAGMAS = (
    f"PRAGMA busy_timeout = {BUSY_MS}",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
    # What is deleted is overwritten with zeros: a forgotten answer must not stay in the file.
    "PRAGMA secure_delete = ON",
)
# An option of a connection: its transaction is going to write.
WRITES = "weft_writes"


# Ten seconds in all: as long as any writer is waited for.
_TRIES = 500
_PAUSE_SECONDS = 0.02


def open_engine(url: str, connections: int) -> Engine:
    """Return an engine for `sqlite:///PATH`, `postgresql://…` or `MEMORY`.

    It connects when it is used. A SQLite file is made, readable by its owner alone, where there is
    none.
    """
    if url == MEMORY:
        return _listened(
            create_engine(
                "sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False}
            )
        )
    if url.startswith(_SQLITE):
        return _open_sqlite(url.removeprefix(_SQLITE), connections)
    if url.startswith("postgresql"):
        address = make_url(url).set(drivername="postgresql+psycopg")
        return create_engine(address, pool_size=connections, max_overflow=0, pool_pre_ping=True)
    raise ConfigurationError("A database is sqlite:///PATH or postgresql://HOST/NAME.")


def _open_sqlite(path: str, connections: int) -> Engine:
    if not path or path.startswith(":memory:"):
        raise ConfigurationError("Records need a file: sqlite:///PATH.")
    _make_file(Path(path))
    # The path goes in as it is: it may hold what means something else in a URL.
    engine = create_engine(
        URL.create("sqlite", database=path),
        pool_size=connections,
        max_overflow=0,
        connect_args={"check_same_thread": False},
    )
    return _listened(engine)


def _listened(engine: Engine) -> Engine:
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _check_writable(path: Path) -> None:
    """Raise `OSError` saying why a file cannot be written, without opening it."""
    if os.access(path, os.W_OK):
        return
    is_frozen = hasattr(os, "statvfs") and os.statvfs(path).f_flag & os.ST_RDONLY
    kind = errno.EROFS if is_frozen else errno.EACCES
    raise OSError(kind, os.strerror(kind))


def _make_file(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Only a new file is opened here: to close one that is there would let go of every lock that
        # this process has on it, and another process could then remove the log under an open one.
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        _check_writable(path)
    except OSError as error:
        raise StoreUnavailable(
            f"The records cannot be opened: {error.strerror}.", path=str(path)
        ) from error


def _set_up(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # the driver would begin too late, and never before a read
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _begin(connection: Connection) -> None:
    # A transaction that reads first and writes later would fail, not wait, behind another writer.
    writes = connection.get_execution_options().get(WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def use_write_ahead_log(engine: Engine) -> None:
    """Let readers and one writer work at the same time; the file remembers it."""
    if engine.dialect.name != "sqlite":
        return
    driver = engine.raw_connection()
    try:
        _use_log(driver.cursor())
    finally:
        driver.close()


def _use_log(cursor: DBAPICursor) -> None:
    """Switch a file to its write-ahead log, again where another process was in the way."""
    for left in reversed(range(_TRIES)):
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or not left:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return


def lock(connection: Connection, name: str) -> None:
    """Wait until no other writer holds `name`, and hold it to the end of the transaction.

    SQLite has one writer at a time anyway.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(number(name))))


def insert_new(connection: Connection, table: Table) -> Insert:
    """Return an INSERT that leaves rows alone whose key is there already."""
    if connection.dialect.name == "postgresql":
        # Only here: the embedded product never needs this dialect, and it is slow to load.
        from sqlalchemy.dialects.postgresql import insert

        return insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def scrub(engine: Engine) -> None:
    """Write what was deleted out of the write-ahead log too, unless a reader still needs it."""
    if engine.dialect.name != "sqlite":
        return
    driver = engine.raw_connection()
    try:
        cursor = driver.cursor()
        cursor.execute("PRAGMA busy_timeout = 100")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    finally:
        driver.close()
