"""The standard streams of a call: any of them may be closed, full, or lose its reader."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import Any

# As a shell shows that a process was ended by SIGPIPE.
_NO_READER = 141


class Watched(io.RawIOBase):
    """A stream that keeps the error with which writing to it failed first.

    What nothing depends on `may_be_lost`: it goes on as if that had been written.
    """

    def __init__(self, raw: io.RawIOBase, *, may_be_lost: bool) -> None:
        """Write to `raw`."""
        super().__init__()
        self._raw = raw
        self._may_be_lost = may_be_lost
        self.failure: OSError | None = None

    def writable(self) -> bool:
        """Return that it may be written to."""
        return True

    def fileno(self) -> int:
        """Return the number that the system knows the stream by."""
        return self._raw.fileno()

    def isatty(self) -> bool:
        """Tell whether somebody looks at it in a terminal."""
        return self._raw.isatty()

    def write(self, data: Any, /) -> int | None:
        """Write bytes, and return how many were."""
        try:
            return self._raw.write(data)
        except OSError as error:
            self.failure = self.failure or error
            if self._may_be_lost:
                return memoryview(data).nbytes
            raise


def watch_streams() -> Watched | None:
    """Watch what is written, closed streams included, and return the standard output.

    What standard error does not take is lost. Returns None where somebody else has put streams of
    theirs in the place of the process's own.
    """
    if sys.stdout is not sys.__stdout__ or sys.stderr is not sys.__stderr__:
        return None
    # In the order of their numbers: each takes its own, which else the next file would be given.
    if sys.stdin is None:
        sys.stdin = open(_nowhere(os.O_RDONLY), encoding="utf-8")  # noqa: SIM115
    # Of nothing that is written there it may seem that it arrived.
    output = _watched(sys.stdout, closed=os.O_RDONLY, may_be_lost=False)
    errors = _watched(sys.stderr, closed=os.O_WRONLY, may_be_lost=True)
    sys.stdout, sys.stderr = _text(output, sys.stdout), _text(errors, sys.stderr)
    return output


def _watched(stream: io.TextIOWrapper | None, *, closed: int, may_be_lost: bool) -> Watched:
    if stream is None:
        return Watched(io.FileIO(_nowhere(closed), "w"), may_be_lost=may_be_lost)
    raw = getattr(stream, "buffer", None)
    raw = getattr(raw, "raw", raw)  # with Python's -u nothing is buffered
    assert isinstance(raw, io.RawIOBase)
    return Watched(raw, may_be_lost=may_be_lost)


def _nowhere(flags: int) -> int:
    number = os.open(os.devnull, flags)
    os.set_inheritable(number, True)
    return number


def _text(watched: Watched, stream: io.TextIOWrapper | None) -> io.TextIOWrapper:
    """Return a stream of text that is written as the one before it was."""
    buffer = io.BufferedWriter(watched)
    if stream is None:
        return io.TextIOWrapper(buffer, encoding="utf-8", errors="backslashreplace")
    return io.TextIOWrapper(
        buffer,
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering or stream.write_through,
    )


def failed_output(output: Watched | None) -> int:
    """Return with what a call ends whose output did not all arrive, having said why; 0 if it did.

    Who ended the reading knows it.
    """
    with suppress(OSError):
        sys.stdout.flush()
    if output is None or output.failure is None:
        return 0
    if output.failure.errno == errno.EPIPE:
        return _NO_READER
    # Here, because nearly all output arrives.
    from weft.cli.invocation import tell
    from weft.domain.errors import WeftError

    tell(f"Standard output cannot be written to: {output.failure.strerror}.")
    return WeftError.exit_code
