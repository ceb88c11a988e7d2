"""The database and its threads: one that writes, a few that read, none of them the event loop's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, IntegrityError

from weft.adapters.sql.database.dialect import MEMORY, WRITES, open_engine, scrub
from weft.domain.errors import StoreCorrupt, StoreUnavailable, WeftError

T = TypeVar("T")

__all__ = ["MEMORY", "SqlDatabase", "translated"]

_READERS = 2
_DAMAGED = ("not a database", "malformed")


class SqlDatabase:
    """Runs functions of a connection, each in one transaction and one hop to a thread."""

    def __init__(self, url: str) -> None:
        """Take the database's address; nothing is connected yet.

        What is in memory has one connection, so all of it is done by the writer's thread.
        """
        self.engine = open_engine(url, connections=_READERS + 1)
        self._for_writing = self.engine.execution_options(**{WRITES: True})
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="records-write")
        self._readers = (
            self._writer
            if url == MEMORY
            else ThreadPoolExecutor(_READERS, thread_name_prefix="records-read")
        )

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Return what `work` reads, all of it from one state of the database."""
        return await self._hop(self._readers, lambda: self.read_now(work))

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Return what `work` returns once all it wrote is kept; an error undoes all of it."""
        return await self._hop(self._writer, lambda: self.write_now(work))

    async def in_writer(self, work: Callable[[], T]) -> T:
        """Run something in the writer's thread, outside of any transaction."""
        return await self._hop(self._writer, work)

    async def scrub(self) -> None:
        """Take what was deleted out of the files, as far as readers allow."""
        await self._hop(self._writer, lambda: scrub(self.engine))

    def read_now(self, work: Callable[[Connection], T]) -> T:
        """Do as `read` does, in the caller's thread."""
        try:
            with self.engine.begin() as connection:
                return work(connection)
        except DBAPIError as error:
            raise translated(error) from error

    def write_now(self, work: Callable[[Connection], T]) -> T:
        """Do as `write` does, in the caller's thread."""
        try:
            with self._for_writing.begin() as connection:
                return work(connection)
        except DBAPIError as error:
            raise translated(error) from error

    async def close(self) -> None:
        """Wait for what is under way and let go of the database; again does nothing."""
        await asyncio.to_thread(self.close_now)

    def close_now(self) -> None:
        """Do as `close` does, in the caller's thread."""
        self._writer.shutdown()
        self._readers.shutdown()
        self.engine.dispose()

    async def _hop(self, executor: Executor, work: Callable[[], T]) -> T:
        try:
            future = executor.submit(work)
        except RuntimeError as error:  # only a closed executor refuses work
            raise StoreUnavailable("The records are closed.") from error
        return await asyncio.wrap_future(future)


def translated(error: DBAPIError) -> WeftError:
    """Return a driver's error in Weft's words."""
    said = str(error.orig)
    if any(word in said for word in _DAMAGED):
        return StoreCorrupt(f"The records are damaged: {said}.")
    if isinstance(error, IntegrityError):
        return StoreUnavailable(f"The records refuse this: {said}.")
    return StoreUnavailable(f"The records do not answer: {said}.")
