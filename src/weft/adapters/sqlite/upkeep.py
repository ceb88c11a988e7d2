"""Upkeep of a base after changes and beside other work: segments merged, names counted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from weft.adapters.sqlite.snapshots import SqliteSnapshots

# Of changes that follow each other within so many seconds, only what the last one left is counted.
_REST_SECONDS = 1.0


class Upkeep:
    """Merges small segments, and completes the views that questions go by; none need wait."""

    def __init__(
        self, snapshots: SqliteSnapshots, *, persist: Callable[[], Awaitable[None]]
    ) -> None:
        """Do nothing yet; `persist` writes the arrays beside the file if others lie there."""
        self._snapshots = snapshots
        self._persist = persist
        self._is_due = False
        self._waited_for = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Begin when nothing has changed for a moment; a question before that counts itself."""
        self._is_due = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._keep_up())
            self._task.add_done_callback(noted)

    def put_off(self) -> None:
        """Tell that something changes: what waits to be done waits for that, too."""
        if self._task is not None and not self._task.done():
            self._is_due = True

    async def settle(self) -> None:
        """Wait until all is done, which begins at once."""
        if self._task is not None:
            self._waited_for.set()
            await asyncio.wait([self._task])
            self._waited_for.clear()

    async def _keep_up(self) -> None:
        while self._is_due:
            self._is_due = False
            with suppress(TimeoutError):
                await asyncio.wait_for(self._waited_for.wait(), _REST_SECONDS)
            if not self._is_due:
                await asyncio.to_thread(self._snapshots.compact)
                await asyncio.to_thread(self._snapshots.count_names)
                await self._persist()


def noted(task: asyncio.Task[None]) -> None:
    """Take note of an error: the next question that needs what is missing meets it again."""
    if not task.cancelled():
        task.exception()
