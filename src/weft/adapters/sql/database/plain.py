"""Statements with names, run on the driver of a SQLite file: no framework is loaded for them.

Another database runs the same statements through its engine (`plain_engine.py`).
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from weft.adapters.sql.database.file import set_up
from weft.adapters.sql.database.statements import statement
from weft.domain.errors import StoreCorrupt, StoreUnavailable, WeftError

_DAMAGED = ("not a database", "malformed")
# Of a server's words, where it is and who opened it: that is for its operator alone, who set it.
_WHERE = re.compile(
    r"^(connection failed: )?connection to server .*? failed: |^FATAL: +| for user \"[^\"]*\""
)
Values = Mapping[str, object]


class Plain(Protocol):
    """A transaction that statements with names are run in."""

    def rows(self, name: str, values: Values) -> list[dict[str, Any]]:
        """Return what a query finds, each row by the names of its columns."""
        ...

    def run(self, name: str, values: Values) -> int:
        """Run a statement and return how many rows it changed."""
        ...

    def run_each(self, name: str, rows: Sequence[Values]) -> None:
        """Run a statement once for each row."""
        ...

    def lock(self, name: str) -> None:
        """Wait until no other writer holds `name`, and hold it to the end of the transaction."""
        ...


class PlainFile:
    """A transaction of one connection to a SQLite file."""

    def __init__(self, driver: sqlite3.Connection) -> None:
        """Take the connection."""
        self._driver = driver

    def rows(self, name: str, values: Values) -> list[dict[str, Any]]:
        """Return what a query finds."""
        cursor = self._driver.execute(statement(name, is_file=True), dict(values))
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def run(self, name: str, values: Values) -> int:
        """Run a statement and return how many rows it changed."""
        return self._driver.execute(statement(name, is_file=True), dict(values)).rowcount

    def run_each(self, name: str, rows: Sequence[Values]) -> None:
        """Run a statement once for each row."""
        self._driver.executemany(statement(name, is_file=True), [dict(row) for row in rows])

    def lock(self, name: str) -> None:
        """Do nothing: a file has one writer at a time anyway."""


class FileConnections:
    """The open connections to a file, each used by one thread at a time."""

    def __init__(self, path: str) -> None:
        """Take the file's path; nothing is connected yet."""
        self._path = path
        self._idle: list[sqlite3.Connection] = []

    @contextmanager
    def transaction(self, *, writes: bool) -> Iterator[Plain]:
        """Keep what is done inside, all of it or, after an error, nothing."""
        try:
            driver = self._taken()
            try:
                # One that reads first and writes later would fail, not wait, behind another writer.
                driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
                yield PlainFile(driver)
                driver.execute("COMMIT")
            finally:
                self._give_back(driver)
        except sqlite3.Error as error:
            raise translated(error, refuses=isinstance(error, sqlite3.IntegrityError)) from error

    def close(self) -> None:
        """Close what is open; a transaction after it connects anew."""
        while self._idle:
            self._idle.pop().close()

    def _taken(self) -> sqlite3.Connection:
        try:
            return self._idle.pop()
        except IndexError:
            driver = sqlite3.connect(self._path, check_same_thread=False)
        try:
            set_up(driver)
        except sqlite3.Error:
            driver.close()
            raise
        return driver

    def _give_back(self, driver: sqlite3.Connection) -> None:
        try:
            if driver.in_transaction:
                driver.execute("ROLLBACK")
        except sqlite3.Error:
            driver.close()
            raise
        self._idle.append(driver)


def translated(error: BaseException | None, *, refuses: bool) -> WeftError:
    """Return a driver's error in Weft's words; `refuses` says that the tables hold against it."""
    said = _said(error)
    if any(word in said for word in _DAMAGED):
        return StoreCorrupt(f"The records are damaged: {said}. weft doctor says what can be done.")
    what = "refuse this" if refuses else "do not answer"
    return StoreUnavailable(f"The records {what}: {said}.")


def _said(error: BaseException | None) -> str:
    """Return a driver's error on one line; what follows is advice, or the values of a row."""
    first = str(error).partition("\n")[0]
    while (shorter := _WHERE.sub("", first)) != first:
        first = shorter
    return first.rstrip(".")
