"""What a parser process may take, and how it is held to it."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import time

from weft.domain.frozen import dataclass

# For systems whose kernel refuses less: what Python itself is asked for.
_REFUSED = (
    *("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system", "pty."),
    *("os.listdir", "os.scandir", "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link"),
    *("os.symlink", "os.truncate", "os.chmod", "os.chown", "os.kill", "os.walk", "shutil."),
)
_FIRST_OWN_HANDLE = 3
_MOST_HANDLES = 64
# The parent's clock ends a file first; this one is for a child whose parent is gone or stuck.
_ALARM_MARGIN = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLimits:
    """Bytes and seconds: of the file, of memory, of the answer, of each file's parsing.

    `columns` is how many named values of one record are taken.
    """

    file_bytes: int = 64 * 2**20
    memory_bytes: int = 2**30
    reply_bytes: int = 256 * 2**20
    processor_seconds: int = 60
    wall_seconds: float = 90.0
    columns: int = 1_000


def bind(limits: ReaderLimits) -> None:
    """Hold this process for good to its memory, to no file that it writes and to no other process.

    Of what is open, only input, output and errors stay.
    """
    # The standard output was copied to the first handle of its own: see `child.main`.
    os.closerange(_FIRST_OWN_HANDLE + 1, _MOST_HANDLES * 16)
    _cap(resource.RLIMIT_AS, limits.memory_bytes)
    _cap(resource.RLIMIT_FSIZE, 0)
    _cap(resource.RLIMIT_NOFILE, _MOST_HANDLES)
    _cap(resource.RLIMIT_NPROC, 0)
    _cap(resource.RLIMIT_CORE, 0)


def refuse_in_python() -> None:
    """Let Python refuse what parsing does not need, for systems whose kernel does not."""
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


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    opens_by_name = event == "open" and not isinstance(arguments[0], int)
    if opens_by_name or event.startswith(_REFUSED):
        raise PermissionError(f"a parser may not do this: {event}")
