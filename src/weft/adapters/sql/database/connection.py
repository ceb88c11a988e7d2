"""The database and its threads: one that writes, a few that read, none of them the event loop's."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from weft.adapters.sql.database.file import MEMORY, file_of
from weft.adapters.sql.database.plain import FileConnections, Plain
from weft.domain.errors import StoreUnavailable

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

T = TypeVar("T")

__all__ = ["MEMORY", "SqlDatabase"]

_READERS = 2


class SqlDatabase:
    """Runs functions of a connection, each in one transaction and one hop to a thread.

    Most take a connection of SQLAlchemy's. What an answer needs is plain: statements with names
    (`plain`), for which a SQLite file needs no more than its driver.
    """

    def __init__(self, url: str) -> None:
        """Take the database's address; nothing is connected yet.

        What is in memory has one connection, so all of it is done by the writer's thread.
        """
        self._url = url
        self._engine: Engine | None = None
        self._opening = threading.Lock()
        path = file_of(url)
        self._file = None if path is None else FileConnections(path)
        self.is_file = path is not None
        if self._file is None:
            self._engine = self.engine
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="records-write")
        self._readers = (
            self._writer
            if url == MEMORY
            else ThreadPoolExecutor(_READERS, thread_name_prefix="records-read")
        )

    @property
    def engine(self) -> Engine:
        """Return SQLAlchemy's engine; a file's is loaded when it is first asked for."""
        # Here, because a question to a file needs none of it, and it is slow to load.
        from weft.adapters.sql.database.dialect import open_engine

        with self._opening:
            if self._engine is None:
                self._engine = open_engine(self._url, connections=_READERS + 1)
            return self._engine

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Return what `work` reads, all of it from one state of the database."""
        return await self._hop(self._readers, lambda: self.read_now(work))

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Return what `work` returns once all it wrote is kept; an error undoes all of it."""
        return await self._hop(self._writer, lambda: self.write_now(work))

    async def plain(self, work: Callable[[Plain], T], *, writes: bool) -> T:
        """Do as `read` or `write` does, by statements with names."""
        executor = self._writer if writes else self._readers
        return await self._hop(executor, lambda: self.plain_now(work, writes=writes))

    async def in_writer(self, work: Callable[[], T]) -> T:
        """Run something in the writer's thread, outside of any transaction."""
        return await self._hop(self._writer, work)

    def read_now(self, work: Callable[[Connection], T]) -> T:
        """Do as `read` does, in the caller's thread."""
        return self._now(work, writes=False)

    def write_now(self, work: Callable[[Connection], T]) -> T:
        """Do as `write` does, in the caller's thread."""
        return self._now(work, writes=True)

    def plain_now(self, work: Callable[[Plain], T], *, writes: bool) -> T:
        """Run a function of statements with names in one transaction, in the caller's thread."""
        with self._plain(writes=writes) as plain:
            return work(plain)

    async def close(self) -> None:
        """Wait for what is under way and let go of the database; again does nothing."""
        await asyncio.to_thread(self.close_now)

    def close_now(self) -> None:
        """Do as `close` does, in the caller's thread."""
        self._writer.shutdown()
        self._readers.shutdown()
        if self._file is not None:
            self._file.close()
        if self._engine is not None:
            self._engine.dispose()

    def _now(self, work: Callable[[Connection], T], *, writes: bool) -> T:
        from weft.adapters.sql.database.dialect import transaction

        with transaction(self.engine, writes=writes) as connection:
            return work(connection)

    @contextmanager
    def _plain(self, *, writes: bool) -> Iterator[Plain]:
        if self._file is not None:
            with self._file.transaction(writes=writes) as plain:
                yield plain
            return
        from weft.adapters.sql.database.dialect import transaction
        from weft.adapters.sql.database.plain_engine import PlainEngine

        with transaction(self.engine, writes=writes) as connection:
            yield PlainEngine(connection)

    async def _hop(self, executor: Executor, work: Callable[[], T]) -> T:
        try:
            future = executor.submit(work)
        except RuntimeError as error:  # only a closed executor refuses work
            raise StoreUnavailable("The records are closed.") from error
        return await asyncio.wrap_future(future)
