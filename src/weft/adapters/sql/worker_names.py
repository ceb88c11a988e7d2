"""Names of worker processes, from which another one on the same machine sees that they ended."""

from __future__ import annotations

import os
import socket
from pathlib import Path

_START_TIME = 19  # the field `starttime` of /proc/PID/stat, counted behind the command's name


def this_host() -> str:
    """Return this machine's name and its table of processes: containers have their own."""
    try:
        table = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        table = ""
    return f"{socket.gethostname()}/{table}".replace(":", "-")


def this_process() -> str:
    """Return `host:pid:start`; a process number that was given out again has another start."""
    return f"{this_host()}:{os.getpid()}:{_started(os.getpid())}"


def is_dead(worker: str) -> bool:
    """Tell whether a worker of this machine has ended; of any other machine it is not known."""
    parts = worker.rsplit(":", 2)
    if len(parts) != 3 or parts[0] != this_host() or not parts[1].isdecimal():
        return False
    pid = int(parts[1])
    if not _exists(pid):
        return True
    return _started(pid) not in ("", parts[2])


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    return _fields(pid)[:1] == ["Z"]


def _started(pid: int) -> str:
    fields = _fields(pid)
    return fields[_START_TIME] if len(fields) > _START_TIME else ""


def _fields(pid: int) -> list[str]:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    # The command's name stands in brackets and may hold anything, brackets and spaces too.
    return stat.rpartition(")")[2].split()
