"""Rights that are taken away end what is under way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from weft.domain.errors import Forbidden, WeftError

T = TypeVar("T")

# What is taken away holds within a second, the look itself included.
LOOK_SECONDS = 0.5
_GRACE_SECONDS = 2.0


def _taken() -> WeftError:
    return Forbidden("The right to this was taken away.", reason="a right was taken away")


async def while_allowed(
    allowed: Callable[[], Awaitable[bool]],
    work: Coroutine[Any, Any, T],
    *,
    refusal: Callable[[], WeftError] = _taken,
) -> T:
    """Return what the work gives; it is cancelled, and `refusal` raised, once it is not allowed.

    That is `Forbidden` where nothing else is given. Work that ends before the first look is not
    looked at: who begins it has just been let in.
    """
    running = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({running}, timeout=LOOK_SECONDS))[0]:
            if not await _is_allowed(allowed):
                raise refusal()
        return running.result()
    finally:
        if not running.done():
            running.cancel()
            # Shielded by `wait`: whoever is cancelled here does not hold up the work's own end.
            await asyncio.wait({running}, timeout=_GRACE_SECONDS)


async def _is_allowed(allowed: Callable[[], Awaitable[bool]]) -> bool:
    """Tell whether work may go on; while the records do not answer nothing has changed in them."""
    try:
        return await allowed()
    except WeftError:
        return True
