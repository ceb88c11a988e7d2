"""One parser process as its parent holds it: asked over pipes, ended as a group."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import signal
import socket
import stat
import sys
from collections.abc import Sequence
from dataclasses import asdict, field
from pathlib import Path

from pydantic import ValidationError

import weft
from weft.adapters.reader.frames import LENGTH, FileRequest, sent
from weft.adapters.reader.limits import ReaderLimits
from weft.adapters.reader.reply import ReaderMessage
from weft.domain.errors import UnreadableFile
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus
from weft.domain.record import Record
from weft.platform.threads import opened_in_thread
from weft.ports.reader import Member

# Isolated mode ignores the working folder and there is no environment, so the child is told where
# Weft is.
_START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from {0} import main; main(sys.argv[1:])"
_BUFFER = 4 * 2**20
# Longer messages are checked in a thread, so that the event loop goes on.
_LARGE = 256 * 1024
_START_SECONDS = 30.0
_END_SECONDS = 2.0
# What opening a file fails with while something else holds it, or the machine or a share is busy.
_IN_USE = {
    errno.EAGAIN,
    errno.EBUSY,
    errno.ETXTBSY,
    errno.EDEADLK,
    errno.ENOLCK,
    errno.EINTR,
    errno.EMFILE,
    errno.ENFILE,
    errno.ESTALE,
    errno.ETIMEDOUT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOutcome:
    """How asking for a file ended. `by_child` is false when the process did not live to say so."""

    status: FileStatus
    reason: str = ""
    records: list[Record] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    next_page: int = 0
    members: list[Member] = field(default_factory=list)
    by_child: bool = True
    timed_out: bool = False
    in_use: bool = False


class Child:
    """A running parser process. After an outcome that is not `by_child` it is of no more use."""

    def __init__(
        self, process: asyncio.subprocess.Process, requests: socket.socket, *, limits: ReaderLimits
    ) -> None:
        """Take a process that has just been started, and the socket on which it is asked."""
        self._process = process
        self._requests = requests
        self._limits = limits
        self.served = 0
        self.breaches: tuple[str, ...] = ()

    @classmethod
    async def start(cls, limits: ReaderLimits, module: str, *, heavy: bool = False) -> Child:
        """Return a process that is ready; raise `UnreadableFile` if none can be started.

        One that is `heavy` has loaded the parsers that are seldom needed and slow to load too.
        """
        # A socket, because an open file can be handed over on it: the process learns no path.
        here, there = socket.socketpair()
        with there, contextlib.ExitStack() as undone:
            undone.callback(here.close)
            process = await asyncio.create_subprocess_exec(
                *_command(limits, module, heavy=heavy),
                stdin=there.fileno(),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
                env={},
                limit=_BUFFER,
            )
            undone.pop_all()
        child = cls(process, here, limits=limits)
        try:
            async with asyncio.timeout(_START_SECONDS):
                first, _, _ = await child._message(_LARGE)
                child.breaches = tuple(first.breaches)
        except (TimeoutError, asyncio.IncompleteReadError, ValidationError, _TooMuch) as wrong:
            await child.kill()
            raise UnreadableFile("the parser process does not start") from wrong
        except asyncio.CancelledError:
            await child.kill()
            raise
        return child

    @property
    def pid(self) -> int:
        """Return the number of the process, which is that of its group too."""
        return self._process.pid

    async def ask(self, wanted: FileRequest) -> FileOutcome:
        """Return what came of a file, within the limits; the process is dead if it broke them."""
        self.served += 1
        most = self._limits.file_bytes
        try:
            handle = await opened_in_thread(lambda: _opened(wanted.path, most), _close)
        except asyncio.CancelledError:
            await self.kill()
            raise
        if isinstance(handle, FileOutcome):
            return handle
        try:
            async with asyncio.timeout(self._limits.wall_seconds):
                return await self._answer(wanted, handle)
        except TimeoutError:
            await self.kill()
            reason = f"took longer than {self._limits.wall_seconds:g} s"
            return _lost(FileStatus.HOSTILE, reason, timed_out=True)
        except (asyncio.IncompleteReadError, ConnectionError):
            return await self._died()
        except (ValidationError, _TooMuch) as wrong:
            await self.kill()
            said = str(wrong) if isinstance(wrong, _TooMuch) else "its parser's reply is malformed"
            return _lost(FileStatus.HOSTILE, said)
        except asyncio.CancelledError:
            await self.kill()
            raise
        finally:
            os.close(handle)

    async def kill(self) -> None:
        """End the process and all of its group at once."""
        self._requests.close()
        self._signal()
        await self._process.wait()

    async def end(self) -> None:
        """Let the process end by closing its input; kill it if it does not."""
        self._requests.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_END_SECONDS):
                await self._process.wait()
                return
        await self.kill()

    def _signal(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    async def _answer(self, wanted: FileRequest, handle: int) -> FileOutcome:
        # Little to a process that waits for it: this does not block.
        sent(self._requests, wanted.message(os.fstat(handle)), handle=handle)
        records: list[Record] = []
        left = self._limits.reply_bytes
        while True:
            message, found, size = await self._message(left)
            left -= size
            records += found
            if message.status is not None:
                read = message.status is FileStatus.READ
                return FileOutcome(
                    status=message.status,
                    reason=message.reason,
                    records=records if read else [],
                    skipped=message.skipped,
                    next_page=message.next_page,
                    members=[Member(name=name, size=size) for name, size in message.members],
                )

    async def _message(self, left: int) -> tuple[ReaderMessage, list[Record], int]:
        replies = self._process.stdout
        assert replies is not None
        (size,) = LENGTH.unpack(await replies.readexactly(LENGTH.size))
        if size > left:
            raise _TooMuch("gives more text than a file may hold")
        body = await replies.readexactly(size)
        message, records = (
            _checked(body) if size < _LARGE else await asyncio.to_thread(_checked, body)
        )
        return message, records, size

    async def _died(self) -> FileOutcome:
        with contextlib.suppress(TimeoutError):  # its output is closed, so it is about to end
            async with asyncio.timeout(_END_SECONDS):
                await self._process.wait()
        await self.kill()
        code = await self._process.wait()
        if code == -signal.SIGXCPU:
            reason = f"took more than {self._limits.processor_seconds} s of the processor"
            return _lost(FileStatus.HOSTILE, reason, timed_out=True)
        if code < 0:
            name = signal.Signals(-code).name
            return _lost(FileStatus.HOSTILE, f"its parser was killed or crashed ({name})")
        return _lost(FileStatus.CORRUPT, f"its parser failed (exit {code})")


class _TooMuch(UnreadableFile):
    """The reply is larger than it may be."""


def _command(limits: ReaderLimits, module: str, *, heavy: bool) -> Sequence[str]:
    home = str(Path(weft.__file__).resolve().parents[1])
    options = json.dumps(asdict(limits))
    call = [sys.executable, "-I", "-c", _START.format(module), home, options, str(os.getpid())]
    return [*call, *(["heavy"] if heavy else [])]


def _checked(body: bytes) -> tuple[ReaderMessage, list[Record]]:
    message = ReaderMessage.model_validate_json(body)
    return message, [record.record() for record in message.records]


def _opened(path: Path, most_bytes: int) -> int | FileOutcome:
    """Return an open file to be read, or why there is none; blocks as long as the disk does.

    What is no regular file is not opened, and one that turns into a pipe meanwhile not waited for.
    """
    try:
        status = path.stat()
        if stat.S_ISREG(status.st_mode):
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
            status = os.fstat(handle)
            if stat.S_ISREG(status.st_mode) and status.st_size <= most_bytes:
                return handle
            os.close(handle)
    except (OSError, ValueError) as wrong:
        said = wrong.strerror if isinstance(wrong, OSError) else str(wrong)
        in_use = isinstance(wrong, OSError) and wrong.errno in _IN_USE
        reason = f"cannot be opened: {said}"
        return FileOutcome(status=FileStatus.UNREADABLE, reason=reason, in_use=in_use)
    if stat.S_ISREG(status.st_mode):
        reason = f"{status.st_size} bytes, and at most {most_bytes} are read (WEFT_MAX_FILE_MB)"
        return FileOutcome(status=FileStatus.TOO_LARGE, reason=reason)
    return FileOutcome(status=FileStatus.UNSUPPORTED, reason="not a regular file")


def _close(handle: int | FileOutcome) -> None:
    if isinstance(handle, int):
        os.close(handle)


def _lost(status: FileStatus, reason: str, *, timed_out: bool = False) -> FileOutcome:
    return FileOutcome(status=status, reason=reason, by_child=False, timed_out=timed_out)
