"""Few system calls: a filter that lets through what parsing needs and refuses all else.

A parser takes memory, reads what is open, writes its answer and asks for the time. So the list
below holds no call that opens, makes or removes anything by name, starts a program or a thread,
makes a socket, or looks into another process.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from weft.adapters.reader.confinement import kernel

# The name, its number on x86_64 and on aarch64; None where the processor's kernel has no such call.
_ALLOWED: tuple[tuple[str, int | None, int | None], ...] = (
    # What is open already.
    ("read", 0, 63),
    ("write", 1, 64),
    ("close", 3, 57),
    ("fstat", 5, 80),
    ("lseek", 8, 62),
    ("ioctl", 16, 29),
    ("pread64", 17, 67),
    ("readv", 19, 65),
    ("writev", 20, 66),
    ("dup", 32, 23),
    ("recvmsg", 47, 212),
    ("fcntl", 72, 25),
    ("close_range", 436, 436),
    # Waiting for it.
    ("poll", 7, None),
    ("select", 23, None),
    ("pselect6", 270, 72),
    ("ppoll", 271, 73),
    # Memory.
    ("mmap", 9, 222),
    ("mprotect", 10, 226),
    ("munmap", 11, 215),
    ("brk", 12, 214),
    ("mremap", 25, 216),
    ("madvise", 28, 233),
    # Its own signals and clocks.
    ("rt_sigaction", 13, 134),
    ("rt_sigprocmask", 14, 135),
    ("rt_sigreturn", 15, 139),
    ("sigaltstack", 131, 132),
    ("restart_syscall", 219, 128),
    ("nanosleep", 35, 101),
    ("setitimer", 38, 103),
    ("clock_gettime", 228, 113),
    ("clock_getres", 229, 114),
    ("clock_nanosleep", 230, 115),
    ("getrusage", 98, 165),
    ("times", 100, 153),
    # Who and where it is, and chance.
    ("getpid", 39, 172),
    ("getppid", 110, 173),
    ("gettid", 186, 178),
    ("getuid", 102, 174),
    ("geteuid", 107, 175),
    ("getgid", 104, 176),
    ("getegid", 108, 177),
    ("sysinfo", 99, 179),
    ("sched_getaffinity", 204, 123),
    ("sched_yield", 24, 124),
    ("getrandom", 318, 278),
    # Locks of its one thread, and the end.
    ("futex", 202, 98),
    ("rseq", 334, 293),
    ("membarrier", 324, 283),
    ("exit", 60, 93),
    ("exit_group", 231, 94),
)
# Allowed for this process alone: their first argument must be its own number, or nought.
_ON_ITSELF: tuple[tuple[str, int, int], ...] = (
    ("kill", 62, 129),
    ("tgkill", 234, 131),
    ("prlimit64", 302, 261),
)
# Refused to a program that is not ours and needs many others: processes and threads, the network,
# looking into others, new rooms of the kernel.
_REFUSED: tuple[tuple[str, int | None, int | None], ...] = (
    ("clone", 56, 220),
    ("fork", 57, None),
    ("vfork", 58, None),
    ("clone3", 435, 435),
    ("socket", 41, 198),
    ("socketpair", 53, 199),
    ("connect", 42, 203),
    ("bind", 49, 200),
    ("kill", 62, 129),
    ("tkill", 200, 130),
    ("tgkill", 234, 131),
    ("ptrace", 101, 117),
    ("process_vm_readv", 310, 270),
    ("process_vm_writev", 311, 271),
    ("pidfd_open", 434, 434),
    ("pidfd_getfd", 438, 438),
    ("unshare", 272, 97),
    ("setns", 308, 268),
    ("mount", 165, 40),
    ("bpf", 321, 280),
    ("keyctl", 250, 219),
    ("add_key", 248, 217),
    ("perf_event_open", 298, 241),
    ("userfaultfd", 323, 282),
    ("io_uring_setup", 425, 425),
    ("open_by_handle_at", 304, 265),
    ("memfd_create", 319, 279),
    ("shmget", 29, 194),
    ("msgget", 68, 186),
)
_COLUMN = {"x86_64": 1, "aarch64": 2}
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# On x86_64 a second set of numbers reaches the same calls; none of it is let through.
_SECOND_SET = 0x4000_0000

# The filter's own language: load a word, jump if equal or not less, return.
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_AT_NUMBER, _AT_ARCHITECTURE, _AT_FIRST_ARGUMENT = 0, 4, 16
_LET_THROUGH, _END_PROCESS = 0x7FFF_0000, 0x8000_0000
_REFUSE = 0x0005_0000 | errno.EPERM
_MODE_FILTER = 2
_STEP = struct.Struct("=HBBI")


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def leave_calls() -> None:
    """Let the kernel refuse, for good, every system call that parsing does not need.

    Does nothing on a processor that the list has no numbers for. Needs `PR_SET_NO_NEW_PRIVS`.
    """
    if kernel.machine() in _COLUMN:
        _hold_to(program(kernel.machine(), own=os.getpid()))


def refuse_calls() -> None:
    """Let the kernel refuse, for good, what no program that only reads and writes needs.

    For programs of others, of which nobody knows all that they call. It holds across `execve`.
    """
    if kernel.machine() in _COLUMN:
        _hold_to(refusals(kernel.machine()))


def _hold_to(steps: bytes) -> None:
    made = _Program(len(steps) // _STEP.size, steps)
    address = ctypes.cast(ctypes.byref(made), ctypes.c_void_p)
    kernel.prctl(kernel.PR_SET_SECCOMP, _MODE_FILTER, extra=address)


def program(machine: str, *, own: int) -> bytes:
    """Return the filter's steps for a processor; `own` is the number of this process."""
    column = _COLUMN[machine]
    steps = [*_beginning(machine), *_answered(_ALLOWED, machine, _LET_THROUGH)]
    for each in _ON_ITSELF:
        number = each[column]
        assert isinstance(number, int)
        steps += [
            _STEP.pack(_EQUAL, 0, 5, number),
            _STEP.pack(_LOAD, 0, 0, _AT_FIRST_ARGUMENT),
            _STEP.pack(_EQUAL, 1, 0, own),
            _STEP.pack(_EQUAL, 0, 1, 0),
            _STEP.pack(_RETURN, 0, 0, _LET_THROUGH),
            _STEP.pack(_RETURN, 0, 0, _REFUSE),
        ]
    return b"".join([*steps, _STEP.pack(_RETURN, 0, 0, _REFUSE)])


def refusals(machine: str) -> bytes:
    """Return the steps of a filter that refuses some calls and lets all others through."""
    steps = [*_beginning(machine), *_answered(_REFUSED, machine, _REFUSE)]
    return b"".join([*steps, _STEP.pack(_RETURN, 0, 0, _LET_THROUGH)])


def _beginning(machine: str) -> list[bytes]:
    """Return the steps that load a call's number, once it is known how to read it."""
    return [
        _STEP.pack(_LOAD, 0, 0, _AT_ARCHITECTURE),
        _STEP.pack(_EQUAL, 1, 0, _ARCHITECTURE[machine]),
        _STEP.pack(_RETURN, 0, 0, _END_PROCESS),
        _STEP.pack(_LOAD, 0, 0, _AT_NUMBER),
        _STEP.pack(_AT_LEAST, 0, 1, _SECOND_SET),
        _STEP.pack(_RETURN, 0, 0, _REFUSE),
    ]


def _answered(
    calls: tuple[tuple[str, int | None, int | None], ...], machine: str, answer: int
) -> list[bytes]:
    """Return the steps that answer some calls, each by its number on a processor."""
    numbers = (row[_COLUMN[machine]] for row in calls)
    found = [number for number in numbers if isinstance(number, int)]
    pairs = (
        (_STEP.pack(_EQUAL, 0, 1, number), _STEP.pack(_RETURN, 0, 0, answer)) for number in found
    )
    return [step for pair in pairs for step in pair]
