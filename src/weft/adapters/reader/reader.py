"""The reader: hands files to parser processes and puts together what they say."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from pathlib import Path
from typing import TYPE_CHECKING

from weft.adapters.reader.installed import version_of
from weft.adapters.reader.limits import ReaderLimits
from weft.adapters.reader.parsed import NO_TEXT_LAYER
from weft.domain.ledger import FileStatus
from weft.domain.record import Record
from weft.ports.reader import FileReading

if TYPE_CHECKING:
    from weft.adapters.reader.frames import FileRequest
    from weft.adapters.reader.process import Child, FileOutcome

CHILD = "weft.adapters.reader.child"
# Raised whenever a change here reads any file differently.
_OWN_VERSION = "8"
_PARSERS = (
    "pypdf",
    "trafilatura",
    "lxml",
    "charset-normalizer",
    "pyyaml",
    "olefile",
    "pyarrow",
    "pyoxigraph",
)
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
        # Of processes that have loaded all parsers, and of those that have most.
        self._idle: dict[bool, list[Child]] = {True: [], False: []}
        self._module = module

    @cached_property
    def version(self) -> str:
        """Return the version of this code and of each parser it uses."""
        own = f"weft-reader={_OWN_VERSION} columns={self._limits.columns}"
        return " ".join([own, *map(_versioned, _PARSERS)])

    async def read(
        self,
        path: Path,
        inside: Sequence[str] = (),
        *,
        columns: Mapping[str, str] | None = None,
    ) -> FileReading:
        """Return the records of a file; whatever the file does, this is an outcome."""
        # Here and below, because most calls find no file that has changed.
        from weft.adapters.reader.frames import FileRequest

        wanted = FileRequest(path=path, inside=tuple(inside), columns=columns or {})
        async with self._turns:
            outcome = await self._outcome(wanted)
            batches = [outcome]
            while outcome.next_page and len(batches) < _MOST_BATCHES:
                outcome = await self._outcome(replace(wanted, first_page=outcome.next_page))
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
            child = await self._free(heavy=False)
            self._idle[False].append(child)
            return child.breaches

    async def close(self) -> None:
        """End the processes; a later `read` starts a new one."""
        for idle in self._idle.values():
            while idle:
                await idle.pop().end()

    async def _outcome(self, wanted: FileRequest) -> FileOutcome:
        """Ask a process; one that broke may have been worn by earlier files, so ask a fresh one."""
        from weft.adapters.reader.kinds import is_heavy

        heavy = is_heavy(wanted.inside[-1] if wanted.inside else wanted.path.name)
        child = await self._free(heavy=heavy)
        outcome = await self._asked(child, wanted, heavy=heavy)
        broke = outcome.status is FileStatus.HOSTILE and not outcome.timed_out
        if broke and child.served > 1:
            return await self._asked(await self._started(heavy=heavy), wanted, heavy=heavy)
        return outcome

    async def _free(self, *, heavy: bool) -> Child:
        idle = self._idle[heavy]
        return idle.pop() if idle else await self._started(heavy=heavy)

    async def _started(self, *, heavy: bool) -> Child:
        # Here, because where no file has changed no process is needed, nor what it says understood.
        from weft.adapters.reader.process import Child

        return await Child.start(self._limits, self._module, heavy=heavy)

    async def _asked(self, child: Child, wanted: FileRequest, *, heavy: bool) -> FileOutcome:
        outcome = await child.ask(wanted)
        sound = outcome.by_child and outcome.status is not FileStatus.HOSTILE
        if sound and child.served < _FILES_A_PROCESS:
            self._idle[heavy].append(child)
        elif outcome.by_child:
            await child.end()
        return outcome


def _reading(batches: list[FileOutcome]) -> FileReading:
    """Put the batches together; the last one's status is the file's."""
    last = batches[-1]
    skipped = tuple(name for batch in batches for name in batch.skipped)
    if last.status is not FileStatus.READ:
        return FileReading(status=last.status, reason=last.reason, in_use=last.in_use)
    records = [record for batch in batches for record in batch.records]
    if len(batches) > 1:
        from weft.adapters.reader.reply import joined

        records = [reduce(joined, records)]
    is_empty = not any(record.content.strip() for record in records)
    if not last.members and (is_empty or _is_scanned(records, skipped)):
        return _without_text(records, skipped)
    return FileReading(
        status=FileStatus.READ,
        records=tuple(records),
        skipped=skipped,
        members=tuple(last.members),
    )


def _is_scanned(records: list[Record], skipped: tuple[str, ...]) -> bool:
    """Tell whether each page is a picture: what is noted on them is not what they say."""
    pictures = sum(name.endswith(NO_TEXT_LAYER) for name in skipped)
    return pictures > 0 and [record.metadata.get("pages") for record in records] == [pictures]


def _without_text(records: list[Record], skipped: tuple[str, ...]) -> FileReading:
    failed = [name for name in skipped if not name.endswith(NO_TEXT_LAYER)]
    if failed:
        reason = f"no page can be read; {failed[0]}"
        return FileReading(status=FileStatus.CORRUPT, reason=reason, skipped=skipped)
    found = records[0].metadata.get("pages", 0) if records else 0
    pages = found if isinstance(found, int) else 0
    reason = f"no text layer on any of the {pages} pages; they may be scanned images"
    return FileReading(status=FileStatus.NO_TEXT, reason=reason, pages=pages)


def _versioned(package: str) -> str:
    return f"{package}={version_of(package) or 'absent'}"
