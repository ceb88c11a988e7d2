"""Where LangGraph's checkpoints are kept: beside the records, in a technology of theirs."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from langgraph.checkpoint.base import BaseCheckpointSaver

MEMORY = "memory:"
_SQLITE = "sqlite:///"


def _make_file(path: Path) -> None:
    """Make a file that its owner alone reads; one that is there is not opened."""
    with suppress(FileExistsError):
        path.touch(mode=0o600, exist_ok=False)


class Checkpoints:
    """Opens the saver that fits a database's address, when it is first needed."""

    def __init__(self, url: str) -> None:
        """Take `sqlite:///PATH`, `postgresql://…` or `memory:`; nothing is opened yet."""
        self._url = url
        self._stack = AsyncExitStack()
        self._saver: BaseCheckpointSaver[str] | None = None
        self._opening = asyncio.Lock()

    async def saver(self) -> BaseCheckpointSaver[str]:
        """Return the saver; its tables are made where there are none."""
        async with self._opening:
            if self._saver is None:
                self._saver = await self._opened()
        return self._saver

    async def close(self) -> None:
        """Let go of the database; again does nothing."""
        await self._stack.aclose()
        self._saver = None

    async def _opened(self) -> BaseCheckpointSaver[str]:
        # Here, because a process needs one of these.
        if self._url == MEMORY:
            from langgraph.checkpoint.memory import InMemorySaver

            return InMemorySaver()
        if self._url.startswith(_SQLITE):
            from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

            path = self._url.removeprefix(_SQLITE)
            await asyncio.to_thread(_make_file, Path(path))
            sqlite = AsyncSqliteSaver.from_conn_string(path)
            found = await self._stack.enter_async_context(sqlite)
            await found.setup()
            return found
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

        postgres = AsyncPostgresSaver.from_conn_string(self._url)
        kept = await self._stack.enter_async_context(postgres)
        await kept.setup()
        return kept
