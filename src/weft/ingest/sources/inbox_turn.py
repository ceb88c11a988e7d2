"""The turn at an inbox: one writer at a time, of all processes of this machine."""

from __future__ import annotations

import asyncio
import fcntl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO

from weft.domain.errors import StoreUnavailable
from weft.ingest.sources.inbox import Inbox
from weft.platform.threads import opened_file

PATIENCE_SECONDS = 60.0
_LOOK_SECONDS = 0.01


@asynccontextmanager
async def turn_at(inbox: Inbox, *, patience_s: float = PATIENCE_SECONDS) -> AsyncIterator[None]:
    """Hold the only turn at an inbox as long as the block lasts; others wait for theirs.

    A process that dies gives its turn back. Raises `StoreUnavailable` where the turn does not come
    within `patience_s` seconds.
    """
    file = await opened_file(lambda: _lock_of(inbox))
    try:
        await _taken(file, patience_s)
        yield
    finally:
        file.close()


def lock_path(inbox: Inbox) -> Path:
    """Return the file of an inbox's lock: beside it, where nothing is read in."""
    return inbox.path.with_name("lock")


async def _taken(file: BinaryIO, patience_s: float) -> None:
    # Looked at again and again: waiters asleep in threads would leave none to whose turn it is.
    until = time.monotonic() + patience_s
    while not _is_taken(file):
        if time.monotonic() > until:
            raise StoreUnavailable("Others are at these documents; try again later.")
        await asyncio.sleep(_LOOK_SECONDS)


def _is_taken(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_of(inbox: Inbox) -> BinaryIO:
    path = lock_path(inbox)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path.open("wb")
