"""The reader: hands files to parser processes and puts together what they say."""

from __future__ import annotations

import asyncio
from functools import cached_property, reduce
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from weft.adapters.reader.limits import ReaderLimits
from weft.domain.ledger import FileStatus
from weft.domain.record import Record
from weft.ports.reader import FileReading

if TYPE_CHECKING:
    from weft.adapters.reader.process import Child, FileOutcome

CHILD = "weft.adapters.reader.child"
# Raised whenever a change here reads any file differently.
_OWN_VERSION = "2"
_PARSERS = ("pypdf", "trafilatura", "lxml", "charset-normalizer", "pyyaml")
# A process that has read this many files gives way to a fresh one, whatever it may have gathered.
_FILES_A_PROCESS = 500
_MOST_BATCHES = 60


class ChildReader:
    """A `Reader` whose parsers run in limited processes, reused from file to file."""

    def __init__(
        self, limits: ReaderLimits | None = None, *, processes: int = 1, module: str = CHILD
    ) -> None:
        """Read at most `processes` files at a time; `module` is what a process runs."""
        self._limits = limits or ReaderLimits()
        self._turns = asyncio.Semaphore(processes)
        self._idle: list[Child] = []
        self._module = module

    @cached_property
    def version(self) -> str:
        """Return the version of this code and of each parser it uses."""
        own = f"weft-reader={_OWN_VERSION} columns={self._limits.columns}"
        return " ".join([own, *map(_versioned, _PARSERS)])

    async def read(self, path: Path) -> FileReading:
        """Return the records of a file; whatever the file does, this is an outcome."""
        async with self._turns:
            outcome = await self._outcome(path, 0)
            batches = [outcome]
            while outcome.next_page and len(batches) < _MOST_BATCHES:
                outcome = await self._outcome(path, outcome.next_page)
                batches.append(outcome)
        if outcome.next_page:
            return FileReading(
                status=FileStatus.HOSTILE, reason="takes too long to read to its end"
            )
        return _reading(batches)

    async def breaches(self) -> tuple[str, ...]:
        """Return the names of what a parser could do on this machine although it should not.

        Raises `UnreadableFile` where no process can be started.
        """
        async with self._turns:
            child = self._idle.pop() if self._idle else await self._started()
            self._idle.append(child)
            return child.breaches

    async def close(self) -> None:
        """End the processes; a later `read` starts a new one."""
        while self._idle:
            await self._idle.pop().end()

    async def _outcome(self, path: Path, first_page: int) -> FileOutcome:
        """Ask a process; one that broke may have been worn by earlier files, so ask a fresh one."""
        child = self._idle.pop() if self._idle else await self._started()
        outcome = await self._asked(child, path, first_page=first_page)
        broke = outcome.status is FileStatus.HOSTILE and not outcome.timed_out
        if broke and child.served > 1:
            return await self._asked(await self._started(), path, first_page=first_page)
        return outcome

    async def _started(self) -> Child:
        # Here, because where no file has changed no process is needed, nor what it says understood.
        from weft.adapters.reader.process import Child

        return await Child.start(self._limits, self._module)

    async def _asked(self, child: Child, path: Path, *, first_page: int) -> FileOutcome:
        outcome = await child.ask(path, first_page)
        sound = outcome.by_child and outcome.status is not FileStatus.HOSTILE
        if sound and child.served < _FILES_A_PROCESS:
            self._idle.append(child)
        elif outcome.by_child:
            await child.end()
        return outcome


def _reading(batches: list[FileOutcome]) -> FileReading:
    """Put the batches together; the last one's status is the file's."""
    last = batches[-1]
    skipped = tuple(name for batch in batches for name in batch.skipped)
    if last.status is not FileStatus.READ:
        return FileReading(status=last.status, reason=last.reason)
    records = [record for batch in batches for record in batch.records]
    if len(batches) > 1:
        from weft.adapters.reader.reply import joined

        records = [reduce(joined, records)]
    if not any(record.content.strip() for record in records):
        return _without_text(records, skipped)
    return FileReading(status=FileStatus.READ, records=tuple(records), skipped=skipped)


def _without_text(records: list[Record], skipped: tuple[str, ...]) -> FileReading:
    if skipped:
        reason = f"no page can be read; {skipped[0]}"
        return FileReading(status=FileStatus.CORRUPT, reason=reason, skipped=skipped)
    pages = records[0].metadata.get("pages", 0) if records else 0
    reason = f"no text layer on any of the {pages} pages; they may be scanned images"
    return FileReading(status=FileStatus.NO_TEXT, reason=reason)


def _versioned(package: str) -> str:
    try:
        return f"{package}={version(package)}"
    except PackageNotFoundError:
        return f"{package}=absent"
