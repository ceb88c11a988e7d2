"""What a confined program is started by: it gives up all rights, then becomes the program."""

from __future__ import annotations

import json
import os
import resource
import sys

from weft.adapters.reader.confinement.breaches import breaches
from weft.adapters.reader.confinement.calls import refuse_calls
from weft.adapters.reader.confinement.files import leave_files
from weft.adapters.reader.confinement.rights import leave_rights
from weft.domain.frozen import dataclass

_FIRST_OWN_HANDLE = 3
_MOST_HANDLES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramLimits:
    """What one run of a program may take: bytes of memory, seconds of the processor."""

    memory_bytes: int = 2**30
    processor_seconds: int = 60


def main(arguments: list[str]) -> None:
    """Take limits as JSON, the parent's number, the readable paths as JSON and the program's call.

    Without a call, print as JSON what such a program could do although it should not.
    """
    limits = ProgramLimits(**json.loads(arguments[0]))
    readable, call = json.loads(arguments[2]), arguments[3:]
    leave_rights(int(arguments[1]))
    os.closerange(_FIRST_OWN_HANDLE, _MOST_HANDLES * 16)
    for which, most in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, limits.processor_seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _MOST_HANDLES),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _cap(which, most)
    leave_files(readable)
    refuse_calls()
    if call:
        os.execv(call[0], call)  # noqa: S606  # no shell is what is wanted
    sys.stdout.write(json.dumps(breaches(limits.memory_bytes)))


def _cap(which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    try:
        resource.setrlimit(which, (most, most))
    except (ValueError, OSError):
        return  # macOS refuses some of these; there the parent's clock remains
