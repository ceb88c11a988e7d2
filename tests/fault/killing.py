"""Killing ingestion over and over, with a reader beside it, and looking at what is left."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

import weft
from fault.watch_process import by_document, state_of
from fault.workshop import OWNER, workshop
from weft.domain.ledger import FileEntry, KnownSource
from weft.index.scoring import bm25
from weft.index.view import View
from weft.language.terms import terms
from weft.ports.records.jobs import JobStatus

# What a reader may take to end on a machine that does much else: its last look waits for a writer.
_PATIENCE = 120
PATHS = (Path(weft.__file__).parents[1], Path(__file__).parents[1])
ENVIRONMENT = {"PYTHONPATH": os.pathsep.join(map(str, PATHS)), "PATH": os.environ["PATH"]}


@dataclass(kw_only=True)
class Range:
    """A folder, the workshop it goes into, and the seconds that each start took to go on."""

    home: Path
    folder: Path
    recovered: list[float] = field(default_factory=list)

    def start(self, *arguments: object) -> subprocess.Popen[bytes]:
        """Start an ingestion; see `ingest_process`."""
        self.log.write_text("")
        return started("ingest_process", self.home, self.folder, self.log, *arguments)

    @property
    def log(self) -> Path:
        """Return the file in which an ingestion notes what it has done."""
        return self.home.parent / "progress.log"

    def run(self, *arguments: object) -> int:
        """Run an ingestion to its end and return how it ended; no child of it stays."""
        began = time.time()
        process = self.start(*arguments)
        code = process.wait()
        self.note(began)
        assert no_parser_of(process.pid), "a parser outlived its parent"
        return code

    def note(self, began: float) -> None:
        """Keep how long it took to the first document published, or to the end."""
        if lines := self.log.read_text().splitlines():
            self.recovered.append(float(lines[0].split()[0]) - began)


@contextlib.contextmanager
def watcher(home: Path) -> Iterator[dict[str, Any]]:
    """Run the reader beside; what it saw is in the dictionary afterwards."""
    process = started("watch_process", home, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    seen: dict[str, Any] = {}
    try:
        yield seen
        out, _ = process.communicate(timeout=_PATIENCE)
        assert process.returncode == 0, f"the reader ended with {process.returncode}"
        seen |= json.loads(out)
    finally:
        process.kill()
        process.communicate()


def started(
    name: str, *arguments: object, stdin: int | None = None, stdout: int | None = None
) -> subprocess.Popen[bytes]:
    """Start one of the processes of this folder; of what it tells nothing is held back."""
    command = [sys.executable, "-m", f"fault.{name}", *map(str, arguments)]
    return subprocess.Popen(command, env=ENVIRONMENT, stdin=stdin, stdout=stdout, bufsize=0)


def kill(process: subprocess.Popen[bytes]) -> int:
    """Kill a process and return how it ended."""
    process.send_signal(signal.SIGKILL)
    return process.wait()


def no_parser_of(pid: int) -> bool:
    """Tell whether all parsers of a process that has ended are gone, waiting up to 10 s.

    One that is just starting sees only then that its parent is gone.
    """
    for _ in range(3000):
        if not parsers_of(pid):
            return True
        time.sleep(0.02)
    return False


def parsers_of(pid: int) -> list[str]:
    """Return the parsers that a process started and that are still there."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = place.read_bytes().decode(errors="replace").split("\0")
            if words[-2:-1] == [str(pid)] and any("weft.adapters.reader" in w for w in words):
                found.append(place.parent.name)
    return found


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a workshop holds in the end."""

    export: list[str]
    files: list[FileEntry]
    sources: list[KnownSource]
    views: dict[str, list[str]]
    unfinished: int


def outcome(home: Path, folder: Path) -> Outcome:
    """Return what a workshop holds of a folder, after one more ingestion without interruption."""

    async def look() -> Outcome:
        async with workshop(home) as shop:
            await shop.bring_in(folder)
            store = await shop.store(folder)
            jobs = await shop.records.jobs.newest(OWNER, limit=1000)
            ended = (JobStatus.FINISHED, JobStatus.FAILED, JobStatus.CANCELLED)
            return Outcome(
                export=await shop.export(folder),
                files=await store.ledger.files(OWNER, None),
                sources=await store.ledger.sources(OWNER),
                views=ranked(await store.knowledge.view(OWNER)),
                unfinished=sum(job.status not in ended for job in jobs),
            )

    return anyio.run(look)


def ranked(view: View) -> dict[str, list[str]]:
    """Return the arrays' own answers to some questions, scores to the bit."""
    found = {}
    for question in ("outage of Apollo", "Payments team in Seoul", "program Ada"):
        scores = bm25(view, terms(question))
        slots = view.readable.nonzero()[0].tolist()
        said = [f"{view.place(slot).chunk_id} {scores[slot].hex()}" for slot in slots]
        found[question] = sorted(said)
    return found


def check(seen: dict[str, Any], final: Outcome) -> None:
    """Check that no reader saw a document half, and each as it is in the end."""
    assert not seen["wrong"], seen["wrong"][:5]
    assert seen["looks"] > 10
    for key, parts in by_document(final.export).items():
        version = f"{key} {parts['document'][0]['version']}"
        assert seen["states"].get(version, state_of(parts)) == state_of(parts)


def check_ledger(final: Outcome) -> None:
    """Check that the ledger's sums are what is there."""
    documents = by_document(final.export)
    chunks = sum(len(parts["chunk"]) for parts in documents.values())
    assert sum(entry.documents for entry in final.files) == len(documents)
    assert sum(entry.chunks for entry in final.files) == chunks
