"""What ingestion costs beside the embedding it cannot do without, on real documents.

The same chunks go through the embedder alone and through the whole of ingestion, in one process
and in turns; then the unchanged folder is brought in again; then each stage is taken alone.

Usage: python bench/bench_ingest.py [--files 100] [--rounds 2] [--folder DIR]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from documents import gather

from weft.bootstrap.app import App, load_settings, open_app
from weft.domain.acl import EVERYONE
from weft.domain.document import Chunk, Document
from weft.domain.record import Record
from weft.domain.scope import Scope
from weft.extraction.ladder.ladder import DocumentDraft, Extracted, Ladder
from weft.ingest.jobs.ingestion import IngestRequest
from weft.ingest.pipeline import (
    Memory,
    _Parts,
    document_of,
    facts_of,
    join,
    split_into,
)
from weft.ingest.progress import IngestProgress
from weft.ingest.sources.folder import walk
from weft.ingest.sources.plan import FileFacts, FileNeed, FileTask, Source, plan
from weft.ingest.splitting.settings import SplitSettings
from weft.ingest.tools import Tools
from weft.ontology.catalog import load_baseline
from weft.platform.identity import local_owner
from weft.ports.embedder import PassageText

GOAL_RATIO, GOAL_AGAIN = 1.3, 20.0
OWNER = local_owner()
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds by the clock, and seconds of work of all of the process's threads."""

    wall: float
    work: float


@dataclass(slots=True)
class Times:
    """What each measurement took, one a round."""

    bare: list[Took] = field(default_factory=list)
    ingest: list[Took] = field(default_factory=list)
    again: list[Took] = field(default_factory=list)


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = wanted.folder or Path(scratch) / "documents"
        if wanted.folder is None:
            gather(folder, wanted.files)
        asyncio.run(measure(folder, Path(scratch), rounds=wanted.rounds))


async def measure(folder: Path, scratch: Path, *, rounds: int) -> None:
    """Take turns: the embedder alone, the whole, the whole again."""
    homes = [scratch / f"home{turn}" for turn in range(rounds)]
    # The network is built from the weights once a workspace, which is no part of any ingestion.
    cache = scratch / "cache"
    times, progress = Times(), IngestProgress(files=0)
    stages = Stages()
    for turn, home in enumerate(homes):
        home.mkdir()
        cache.mkdir(exist_ok=True)
        (home / "cache").symlink_to(cache)
        app = await open_app(load_settings(home))
        try:
            if turn == 0:
                await stages.take(app, folder)
            assert app.embedder is not None
            _, took = await timed(app.embedder.passages(stages.texts))
            times.bare.append(took)
            progress, took = await timed(bring_in(app, folder))
            times.ingest.append(took)
            _, took = await timed(bring_in(app, folder))
            times.again.append(took)
        finally:
            await app.close()
    report(times, progress, passages=len(stages.texts))
    stages.show()


async def bring_in(app: App, folder: Path) -> IngestProgress:
    """Bring the folder's knowledge base in step with it."""
    store = await app.library.for_folder(OWNER, folder)
    request = IngestRequest(path=folder, prune=True)
    return await app.ingest.bring_in(OWNER, store, request=request, watch=lambda _: None)


async def timed(work: Awaitable[T]) -> tuple[T, Took]:
    """Return what the work gives and how long it takes."""
    wall, busy = time.perf_counter(), time.process_time()
    given = await work
    return given, Took(time.perf_counter() - wall, time.process_time() - busy)


def report(times: Times, progress: IngestProgress, *, passages: int) -> None:
    """Print the ratios and whether they are what they should be."""
    print(f"{progress.files} files, {progress.chunks} chunks, {passages} different ones\n")
    print(f"{'':<30}{'the embedder alone':>20}{'the whole':>12}{'ratio':>8}{'goal':>8}")
    walls = [statistics.median(took.wall for took in many) for many in (times.bare, times.ingest)]
    works = [statistics.median(took.work for took in many) for many in (times.bare, times.ingest)]
    bests = [min(took.wall for took in many) for many in (times.bare, times.ingest)]
    for name, (bare, ingest) in (
        ("seconds by the clock, median", walls),
        ("seconds by the clock, best", bests),
        ("seconds of work, median", works),
    ):
        print(f"{name:<30}{bare:>20.2f}{ingest:>12.2f}{ingest / bare:>8.2f}{GOAL_RATIO:>7.1f}≥")
    again = statistics.median(took.wall for took in times.again)
    print(
        f"unchanged again: {again:.3f} s, {walls[1] / again:.0f} × faster (goal {GOAL_AGAIN:.0f})"
    )


class Stages:
    """Each stage of the pipeline alone, over all documents."""

    def __init__(self) -> None:
        self.texts: list[PassageText] = []
        self._rows: list[tuple[str, float]] = []
        self._memory = Memory()

    async def take(self, app: App, folder: Path) -> None:
        """Take all documents through the stages, one stage after the other."""
        scope = OWNER
        tools = Tools(
            reader=app.reader,
            embedder=app.embedder,
            ladder=Ladder(ontology=load_baseline(), clock=app.clock),
            splitting=SplitSettings(),
        )
        source = Source(name="bench", root=folder, acl=frozenset({EVERYONE}))
        begin = time.perf_counter()
        facts = FileFacts(tools=tools.versions(), acl_of=lambda _: source.acl)
        tasks = plan(list(walk(folder)), [], facts=facts).tasks
        self._done("walk and hash", begin)
        records = await self._read(tasks, tools)
        pairs = [
            (record, document_of(record, task, source=source, tools=tools.version))
            for task, record in records
        ]
        begin = time.perf_counter()
        chunks = [split_into(record, document, tools=tools) for record, document in pairs]
        self._done("split", begin)
        self.texts = _different(pairs, chunks)
        parts = await self._derive(pairs, chunks, tools)
        await self._publish(app, scope, pairs, parts)

    async def _read(
        self, tasks: tuple[FileTask, ...], tools: Tools
    ) -> list[tuple[FileTask, Record]]:
        begin = time.perf_counter()
        found = []
        for task in tasks:
            if task.need is FileNeed.READING:
                reading = await tools.reader.read(task.file.path)
                found += [(task, record) for record in reading.records]
        self._done("read in the child", begin)
        return found

    async def _derive(
        self, pairs: list[tuple[Record, Document]], chunks: list[list[Chunk]], tools: Tools
    ) -> list[_Parts]:
        begin = time.perf_counter()
        vectors = [
            await self._memory.embed(document.title, each, embedder=tools.embedder)
            for (_, document), each in zip(pairs, chunks, strict=True)
        ]
        self._done("embed, one document at a time", begin)
        begin = time.perf_counter()
        facts = [facts_of(d.title, each) for (_, d), each in zip(pairs, chunks, strict=True)]
        self._done("local facts", begin)
        begin = time.perf_counter()
        extracted: list[Extracted] = []
        for (record, document), each in zip(pairs, chunks, strict=True):
            draft = DocumentDraft(document=document, text=record.content, chunks=each)
            extracted.append(await tools.ladder.climb(draft))
        self._done("extract", begin)
        return [_Parts(*each) for each in zip(chunks, vectors, facts, extracted, strict=True)]

    async def _publish(
        self, app: App, scope: Scope, pairs: list[tuple[Record, Document]], parts: list[_Parts]
    ) -> None:
        begin = time.perf_counter()
        patches = [join(r, d, parts=each) for (r, d), each in zip(pairs, parts, strict=True)]
        self._done("join, references", begin)
        store = await app.library.create(scope, "Stages")
        fence = await store.publishing.issue_fence(scope, "source:bench")
        begin = time.perf_counter()
        for patch in patches:
            await store.publishing.publish(scope, patch, expected_version=None, fence=fence)
        self._done("publish", begin)
        begin = time.perf_counter()
        await store.lifetime.save()
        self._done("snapshot kept", begin)
        await app.library.drop(scope, store)

    def _done(self, name: str, begin: float) -> None:
        self._rows.append((name, time.perf_counter() - begin))

    def show(self) -> None:
        """Print the share of each stage."""
        total = sum(took for _, took in self._rows)
        print(f"\n{'each stage alone, nothing overlapped':<38}{'s':>8}{'share':>8}")
        for name, took in self._rows:
            print(f"{name:<38}{took:>8.2f}{took / total:>8.0%}")
        print(f"{'together':<38}{total:>8.2f}")


def _different(
    pairs: list[tuple[Record, Document]], chunks: list[list[Chunk]]
) -> list[PassageText]:
    """Return each passage once, as ingestion embeds it once."""
    found = {
        (document.title, chunk.text): PassageText(
            title=document.title, text=chunk.text, sentences=chunk.sentences
        )
        for (_, document), each in zip(pairs, chunks, strict=True)
        for chunk in each
    }
    return list(found.values())


if __name__ == "__main__":
    main()
