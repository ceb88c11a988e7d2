"""What SQLite and PostgreSQL do differently; nothing above this file knows which one it is."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL, Connection, Engine, Insert, Table, create_engine, event, func, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.pool import ConnectionPoolEntry, StaticPool

from weft.adapters.sql.database.file import BUSY_MS, MEMORY, file_of, set_up
from weft.adapters.sql.database.plain import translated
from weft.domain.errors import ConfigurationError
from weft.domain.ids import number

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
    path = file_of(url)
    if path is not None:
        return _open_file(path, connections)
    if url.startswith("postgresql"):
        # Only here: the embedded product never needs this driver, and may not have it.
        from weft.adapters.sql.database.server import watch

        address = make_url(url).set(drivername="postgresql+psycopg")
        return watch(
            create_engine(address, pool_size=connections, max_overflow=0, pool_pre_ping=True)
        )
    raise ConfigurationError("A database is sqlite:///PATH or postgresql://HOST/NAME.")


def _open_file(path: str, connections: int) -> Engine:
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


def _set_up(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    set_up(connection)


@contextmanager
def transaction(engine: Engine, *, writes: bool) -> Iterator[Connection]:
    """Keep what is done inside, all of it or, after an error, nothing; errors are Weft's."""
    try:
        with engine.execution_options(**{WRITES: writes}).begin() as connection:
            yield connection
    except DBAPIError as error:
        raise translated(error.orig, refuses=isinstance(error, IntegrityError)) from error


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


def lock(connection: Connection, name: str, *, patient: bool = False) -> None:
    """Wait until no other writer holds `name`, and hold it to the end of the transaction.

    Raises `StoreUnavailable` where that takes longer than any writer does, unless it is `patient`.
    SQLite has one writer at a time anyway.
    """
    if connection.dialect.name == "postgresql":
        if patient:
            connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
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
