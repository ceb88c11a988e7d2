"""What a parser process may take, and how it is held to it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
import time
from dataclasses import dataclass

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWUSER = 0x1000_0000
_CLONE_NEWNET = 0x4000_0000
_REFUSED = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system", "pty.")
# The parent's clock ends a file first; this one is for a child whose parent is gone or stuck.
_ALARM_MARGIN = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLimits:
    """Bytes and seconds: of the file, of memory, of what it may write, of each file's parsing."""

    file_bytes: int = 64 * 2**20
    memory_bytes: int = 2**30
    written_bytes: int = 50 * 2**20
    reply_bytes: int = 256 * 2**20
    processor_seconds: int = 60
    wall_seconds: float = 90.0


def confine(limits: ReaderLimits, parent: int) -> None:
    """Bind this process for good: memory, files, no network, no children, its parent's end."""
    _end_with(parent)
    _cap(resource.RLIMIT_AS, limits.memory_bytes)
    _cap(resource.RLIMIT_FSIZE, limits.written_bytes)
    _cap(resource.RLIMIT_NOFILE, 64)
    _cap(resource.RLIMIT_CORE, 0)
    _leave_network()
    sys.addaudithook(_refuse)


def renew(limits: ReaderLimits) -> None:
    """Give the next file its own share of the processor and of the clock."""
    used = time.process_time()
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used) + 1 + limits.processor_seconds, hard))
    signal.setitimer(signal.ITIMER_REAL, limits.wall_seconds + _ALARM_MARGIN)


def rest() -> None:
    """Stop the clock while there is no file to parse."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def _cap(which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    # macOS refuses some of these; there the parent's clock and the reply's size remain.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(which, (most, most))


def _end_with(parent: int) -> None:
    if sys.platform == "linux":
        library = ctypes.CDLL(None)
        library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if os.getppid() != parent:  # it ended before the line above
        os._exit(0)


def _leave_network() -> None:
    """Move to a network of its own, with nothing in it, where the kernel allows."""
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None)
    # A user namespace would take root's right to read every file, and root does not need one.
    flags = _CLONE_NEWNET if os.geteuid() == 0 else _CLONE_NEWUSER | _CLONE_NEWNET
    library.unshare(flags)


def _refuse(event: str, _arguments: tuple[object, ...]) -> None:
    if event.startswith(_REFUSED):
        raise PermissionError(f"a parser may not do this: {event}")
