"""Ending asyncio tasks, and work that must be done whatever is cancelled meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import Any, TypeVar

Result = TypeVar("Result")

# Seconds that what was cancelled has to stop, and then the sink to take the last event: the two
# together stay below the 2 s within which a cancelled run is over.
GRACE_S = 0.9


async def stop(tasks: Sequence[asyncio.Task[Result]]) -> None:
    """Cancel the tasks that are not done and give them `GRACE_S` to end; then leave them."""
    for task in tasks:
        task.add_done_callback(forget)
    pending = [task for task in tasks if not task.done()]
    for task in pending:
        task.cancel()
    if pending:
        await asyncio.wait(pending, timeout=GRACE_S)


def forget(task: asyncio.Task[Result]) -> None:
    """Look at how a task ended, which keeps asyncio from reporting an error as lost."""
    if not task.cancelled():
        task.exception()


async def insist(work: Coroutine[Any, Any, None]) -> None:
    """Await work that ends by itself soon, whatever is cancelled meanwhile."""
    task = asyncio.create_task(work)
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait({task})
    task.result()


async def whole(work: Coroutine[Any, Any, Result]) -> Result:
    """Return what work gives that ends by itself soon.

    Whoever is cancelled meanwhile is so once the work has ended, and never in the middle of it.
    """
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task})
        forget(task)
        raise
