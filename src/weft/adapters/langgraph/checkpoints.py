"""Where LangGraph's checkpoints are kept: beside the records, in a technology of theirs."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from pathlib import Path

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver

from weft.domain.errors import StoreUnavailable

MEMORY = "memory:"
_SQLITE = "sqlite:///"
_CONNECTIONS = 4
_WAIT_S = 10.0


def _make_file(path: Path) -> None:
    """Make a file that its owner alone reads; one that is there is not opened."""
    with suppress(FileExistsError):
        path.touch(mode=0o600, exist_ok=False)


class Checkpoints:
    """Opens the saver that fits a database's address, when it is first needed.

    `errors` are those that the database raises once it is opened.
    """

    def __init__(self, url: str) -> None:
        """Take `sqlite:///PATH`, `postgresql://…` or `memory:`; nothing is opened yet."""
        self._url = url
        self.errors: tuple[type[Exception], ...] = ()
        self._stack = AsyncExitStack()
        self._saver: BaseCheckpointSaver[str] | None = None
        self._opening = asyncio.Lock()

    async def saver(self) -> BaseCheckpointSaver[str]:
        """Return the saver; its tables are made where there are none."""
        async with self._opening:
            if self._saver is None:
                with self.translated():
                    self._saver = await self._opened()
        return self._saver

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raise what the database raises inside as `StoreUnavailable`."""
        try:
            yield
        except self.errors as error:
            said = "The checkpoints of runs cannot be kept now."
            raise StoreUnavailable(said) from error

    async def close(self) -> None:
        """Let go of the database; again does nothing."""
        await self._stack.aclose()
        self._saver = None

    async def _opened(self) -> BaseCheckpointSaver[str]:
        if self._url == MEMORY:
            return InMemorySaver()
        if self._url.startswith(_SQLITE):
            return await self._in_file(self._url.removeprefix(_SQLITE))
        return await self._on_server()

    async def _in_file(self, path: str) -> BaseCheckpointSaver[str]:
        # Here, because a process needs one of the two.
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

        self.errors = (sqlite3.Error,)
        await asyncio.to_thread(_make_file, Path(path))
        opened = AsyncSqliteSaver.from_conn_string(path)
        saver = await self._stack.enter_async_context(opened)
        await saver.setup()
        return saver

    async def _on_server(self) -> BaseCheckpointSaver[str]:
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
        from psycopg import AsyncConnection, Error
        from psycopg.rows import DictRow, dict_row
        from psycopg_pool import AsyncConnectionPool

        self.errors = (Error,)
        # As the saver asks for them.
        asked = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        pool = AsyncConnectionPool[AsyncConnection[DictRow]](
            self._url, min_size=0, max_size=_CONNECTIONS, timeout=_WAIT_S, kwargs=asked, open=False
        )
        saver = AsyncPostgresSaver(await self._stack.enter_async_context(pool))
        await saver.setup()
        return saver
