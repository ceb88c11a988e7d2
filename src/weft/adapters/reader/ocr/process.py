"""One run of a program over bytes that nobody vouches for: confined, timed, its output counted."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO

import weft
from weft.adapters.reader.ocr.launch import ProgramLimits
from weft.adapters.reader.ocr.programs import ProgramFailed, environment

_START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1));"
    " from weft.adapters.reader.ocr.launch import main; main(sys.argv[1:])"
)
_BLOCK = 1 << 18


class ConfinedPrograms:
    """Starts programs that read the given paths and what they are handed, and nothing else."""

    def __init__(
        self, readable: Sequence[str], limits: ProgramLimits | None = None, *, seconds: float = 90.0
    ) -> None:
        """Let each run take these limits, and so many seconds by the clock."""
        self._readable = json.dumps(list(readable))
        self._limits = limits or ProgramLimits()
        self._seconds = seconds

    async def run(self, call: Sequence[str], *, given: IO[bytes], most_bytes: int) -> bytes:
        """Return what a program writes when an open file is its input.

        Raises `ProgramFailed`, saying why: it failed, took too long, or wrote more than allowed.
        """
        process = await asyncio.create_subprocess_exec(
            *self._command(call),
            stdin=given.fileno(),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
            env=environment(),
        )
        name = Path(call[0]).name if call else "the launcher"
        try:
            async with asyncio.timeout(self._seconds):
                written = await _written(process, most_bytes, name)
                code = await process.wait()
        except TimeoutError as late:
            raise ProgramFailed(f"{name} took longer than {self._seconds:g} s") from late
        finally:
            await _ended(process)
        if code == -signal.SIGXCPU:
            seconds = self._limits.processor_seconds
            raise ProgramFailed(f"{name} took more than {seconds} s of the processor")
        if code:
            raise ProgramFailed(f"{name} failed ({_told(code)})")
        return written

    async def breaches(self) -> tuple[str, ...]:
        """Return the names of what a program could do on this machine although it should not."""
        with Path(os.devnull).open("rb") as nothing:  # noqa: ASYNC230  # no disk is behind it
            return tuple(json.loads(await self.run((), given=nothing, most_bytes=_BLOCK)))

    def _command(self, call: Sequence[str]) -> list[str]:
        home = str(Path(weft.__file__).resolve().parents[1])
        limits = json.dumps(asdict(self._limits))
        start = [sys.executable, "-I", "-c", _START, home, limits, str(os.getpid())]
        return [*start, self._readable, *call]


async def _written(process: asyncio.subprocess.Process, most_bytes: int, name: str) -> bytes:
    assert process.stdout is not None
    parts, size = list[bytes](), 0
    while part := await process.stdout.read(_BLOCK):
        parts.append(part)
        size += len(part)
        if size > most_bytes:
            raise ProgramFailed(f"{name} writes more than {most_bytes} bytes")
    return b"".join(parts)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """End the process and all of its group, whatever it is at."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _told(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit {code}"
