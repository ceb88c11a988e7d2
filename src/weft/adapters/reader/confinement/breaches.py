"""What a confined process could do all the same: each is tried, past Python's own refusals."""

from __future__ import annotations

import ctypes
import os
import resource
from collections.abc import Callable

from weft.adapters.reader.confinement import kernel

_INTERNET, _STREAM = 2, 1
_SPAN = 1 << 12


def breaches(memory_bytes: int) -> list[str]:
    """Return the names of what this process should not be able to do and can.

    `files`, `writing`, `programs`, `network`, `memory`, `root`; all but the last two where there
    is no way to try.
    """
    tried: dict[str, Callable[[], bool]] = {
        "files": _can_open,
        "writing": _can_write,
        "programs": _can_start,
        "network": _can_connect,
        "memory": lambda: _has_memory(memory_bytes),
        "root": lambda: os.geteuid() == 0,
    }
    return [name for name, succeeds in tried.items() if succeeds()]


def _can_open() -> bool:
    return _handle("open", b"/", os.O_RDONLY)


def _can_write() -> bool:
    return resource.getrlimit(resource.RLIMIT_FSIZE)[1] != 0


def _can_connect() -> bool:
    return _handle("socket", _INTERNET, _STREAM, 0)


def _can_start() -> bool:
    library = kernel.library()
    if library is None:
        return True
    started = library.fork()
    if started == 0:
        os._exit(0)
    if started > 0:
        os.waitpid(started, 0)
    return bool(started > 0)


def _has_memory(allowed: int) -> bool:
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return soft == resource.RLIM_INFINITY or soft > max(allowed, _SPAN)


def _handle(name: str, *arguments: object) -> bool:
    """Tell whether a call of the C library gives a handle, and close it again."""
    library = kernel.library()
    if library is None:
        return True
    handle = getattr(library, name)(*arguments)
    if handle >= 0:
        os.close(handle)
    ctypes.set_errno(0)
    return bool(handle >= 0)
