"""The kernel as the confinement speaks to it: Linux alone, by plain system calls."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38


@cache
def library() -> ctypes.CDLL | None:
    """Return the C library of a 64-bit Linux process, None anywhere else."""
    if sys.platform != "linux" or sys.maxsize <= 2**32:
        return None
    return ctypes.CDLL(None, use_errno=True)


@cache
def machine() -> str:
    """Return the processor's family as the kernel calls it: `x86_64`, `aarch64` …"""
    return os.uname().machine


def prctl(option: int, value: int, *, extra: ctypes.c_void_p | None = None) -> bool:
    """Set an attribute of this process and tell whether the kernel took it."""
    found = library()
    return found is not None and found.prctl(option, value, extra, 0, 0) == 0


def call(number: int, *arguments: object) -> int:
    """Make a system call by its number; below zero it was refused."""
    found = library()
    return -1 if found is None else int(found.syscall(number, *arguments))
