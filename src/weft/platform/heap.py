"""The heap of a process: one for all threads, looked through for garbage seldom."""

from __future__ import annotations

import ctypes
import gc
import sys
from contextlib import suppress

# `M_ARENA_MAX` of glibc's `malloc.h`.
_ARENA_MAX = -8
# Loading and answering make some 150,000 objects that stay: to look them all through for garbage,
# again and again, would take a tenth of a short call.
_YOUNG_OBJECTS = 200_000


def share_heap() -> None:
    """Let all threads take memory from one heap, where the C library can be told so.

    Else each thread has a heap of its own, and what one of them has given back no other takes:
    after some changes of a large knowledge base that is a third of all memory, and new memory is
    slow to get. To be called before threads are begun.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


def collect_rarely() -> None:
    """Let many objects come up before any are looked through for garbage."""
    gc.set_threshold(_YOUNG_OBJECTS, *gc.get_threshold()[1:])
