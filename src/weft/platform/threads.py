"""Work in a thread that ends, or leaves nothing open, when its caller is cancelled."""

from __future__ import annotations

import asyncio
import ctypes
import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import BinaryIO, TypeVar

T = TypeVar("T")
# One call of the interpreter's own, such as a search in a long text, ends by itself.
_PATIENCE_SECONDS = 5.0
# What is raised while an object is finalised is dropped by Python, so it is raised again.
_AGAIN_SECONDS = 0.5


async def in_thread(work: Callable[[], T]) -> T:
    """Run work in a thread; when the caller is cancelled, the work ends before this raises.

    Python ends no thread from outside, so an exception is raised inside it, between two of its
    steps: only for work that changes nothing it shares with others.
    """
    turn = _Turn()
    context = copy_context()
    running = asyncio.get_running_loop().run_in_executor(
        None, lambda: turn.run(lambda: context.run(work))
    )
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        running.add_done_callback(_heard)
        for _ in range(round(_PATIENCE_SECONDS / _AGAIN_SECONDS)):
            turn.end()
            if (await asyncio.wait([running], timeout=_AGAIN_SECONDS))[0]:
                break
        raise


async def opened_in_thread(opening: Callable[[], T], closing: Callable[[T], object]) -> T:
    """Return what a thread opens; what it opens for a caller cancelled meanwhile is closed.

    The caller is cancelled at once: an opening lasts as long as the disk does.
    """
    running = asyncio.get_running_loop().run_in_executor(None, opening)

    def close(ended: asyncio.Future[T]) -> None:
        if not ended.cancelled() and ended.exception() is None:
            closing(ended.result())

    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        running.add_done_callback(close)
        raise


async def opened_file(opening: Callable[[], BinaryIO]) -> BinaryIO:
    """Return a file that a thread opens; see `opened_in_thread`."""
    return await opened_in_thread(opening, lambda file: file.close())


def _heard(ended: asyncio.Future[T]) -> None:
    """Take note of how work ended that nobody waits for any more."""
    if not ended.cancelled():
        ended.exception()


class _Ended(BaseException):
    """The work ends here, for nobody waits for it."""


class _Turn:
    """One piece of work, and the thread that is at it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._is_over = False

    def run(self, work: Callable[[], T]) -> T:
        """Do the work unless it is over before it began."""
        with self._lock:
            if self._is_over:
                raise _Ended
            self._thread = threading.get_ident()
        try:
            return work()
        finally:
            with self._lock:
                self._thread = None
                # What was raised and has not arrived must not reach this thread's next work.
                _raise_in(threading.get_ident(), None)

    def end(self) -> None:
        """Raise an exception in the thread that is at work, if one is."""
        with self._lock:
            self._is_over = True
            if self._thread is not None:
                _raise_in(self._thread, _Ended)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    wanted = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), wanted)
