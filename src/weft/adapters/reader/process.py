"""One parser process as its parent holds it: asked over pipes, ended as a group."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydantic import ValidationError

import weft
from weft.adapters.reader.frames import LENGTH, FileRequest
from weft.adapters.reader.limits import ReaderLimits
from weft.adapters.reader.reply import ReaderMessage
from weft.domain.errors import UnreadableFile
from weft.domain.ledger import FileStatus
from weft.domain.record import Record
from weft.ports.reader import Member

# Isolated mode ignores the environment and the working folder, so the child is told where Weft is.
_START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from {0} import main; main(sys.argv[1:])"
_BUFFER = 4 * 2**20
# Longer messages are checked in a thread, so that the event loop goes on.
_LARGE = 256 * 1024
_START_SECONDS = 30.0
_END_SECONDS = 2.0


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


class Child:
    """A running parser process. After an outcome that is not `by_child` it is of no more use."""

    def __init__(self, process: asyncio.subprocess.Process, limits: ReaderLimits) -> None:
        """Take a process that has just been started."""
        self._process = process
        self._limits = limits
        self.served = 0

    @classmethod
    async def start(cls, limits: ReaderLimits, module: str) -> Child:
        """Return a process that is ready; raise `UnreadableFile` if none can be started."""
        process = await asyncio.create_subprocess_exec(
            *_command(limits, module),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
            limit=_BUFFER,
        )
        child = cls(process, limits)
        try:
            async with asyncio.timeout(_START_SECONDS):
                await child._message(_LARGE)
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
        try:
            async with asyncio.timeout(self._limits.wall_seconds):
                return await self._answer(wanted.packed())
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

    async def kill(self) -> None:
        """End the process and all of its group at once."""
        self._signal()
        await self._process.wait()

    async def end(self) -> None:
        """Let the process end by closing its input; kill it if it does not."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_END_SECONDS):
                await self._process.wait()
                return
        await self.kill()

    def _signal(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    async def _answer(self, request: bytes) -> FileOutcome:
        requests = self._process.stdin
        assert requests is not None
        requests.write(request)
        await requests.drain()
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


def _command(limits: ReaderLimits, module: str) -> Sequence[str]:
    home = str(Path(weft.__file__).resolve().parents[1])
    options = json.dumps(asdict(limits))
    return [sys.executable, "-I", "-c", _START.format(module), home, options, str(os.getpid())]


def _checked(body: bytes) -> tuple[ReaderMessage, list[Record]]:
    message = ReaderMessage.model_validate_json(body)
    return message, [record.record() for record in message.records]


def _lost(status: FileStatus, reason: str, *, timed_out: bool = False) -> FileOutcome:
    return FileOutcome(status=status, reason=reason, by_child=False, timed_out=timed_out)
