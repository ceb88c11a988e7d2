"""One heap for all threads of a process."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress

# `M_ARENA_MAX` of glibc's `malloc.h`.
_ARENA_MAX = -8


def share_heap() -> None:
    """Let all threads take memory from one heap, where the C library can be told so.

    Else each thread has a heap of its own, and what one of them has given back no other takes:
    after some changes of a large knowledge base that is a third of all memory, and new memory is
    slow to get. To be called before threads are begun.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)
