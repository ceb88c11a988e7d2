"""Ingestion and all that follows it in knowledge bases of growing sizes, through the product.

`python bench/ingest_growth.py [SIZE ...] [--data DIR] [--vectors local|drawn]`: each size in a
process of its own, in a workspace of its own. With `drawn` vectors the network is left out and all
else stays, so that what grows is not hidden behind it. The machine may be shared, so seconds of
processor time stand beside those of the clock. Writes `bench/out/ingest.json` and `ingest.svg`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np
from drawn_vectors import drawn_vectors
from growing_folder import SECTIONS, write_folder
from ingest_curve import curve
from retrieval_bases import EVERY, questions

from weft.bootstrap.app import App, load_settings, open_app
from weft.bootstrap.knowledge import bases_of
from weft.ingest.jobs.ingestion import IngestRequest
from weft.ingest.progress import IngestProgress
from weft.platform.heap import collect_rarely, share_heap
from weft.platform.identity import local_owner
from weft.ports.store import Store
from weft.retrieval.hits import Query
from weft.retrieval.search import prepare, search

OUT = Path(__file__).parent / "out" / "ingest.json"
SIZES = (1_000, 10_000)
OWNER = local_owner()
_KB = "Growth"
_PARTS = 10
_QUESTIONS = 60
_ROUNDS = 3
# A chunk holds more than one short section.
_SECTIONS_A_CHUNK = 1.39
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """Seconds by the clock, and of processor time of all threads of the process."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthRow:
    """What one size showed; rates are chunks a second, of each tenth in order.

    `again` is a run over an unchanged folder; `change` one after 10 of 100 chunks were edited,
    `replace` after all 100, `delete` after the files of 100 were removed.
    """

    chunks: int
    vectors: str
    wall_rates: list[float]
    cpu_rates: list[float]
    whole: Took
    last_step: Took
    rss_mb: float
    rss_tenths: list[float]
    parser_mb: float
    query_p50_ms: float
    query_p95_ms: float
    query_p95_cpu_ms: float
    ask: Took
    again: Took
    change: Took
    replace: Took
    delete: Took
    load: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How long questions take in a warm process, in milliseconds."""

    p50: float
    p95: float
    p95_cpu: float


@dataclass(slots=True)
class Marks:
    """What stood when each tenth of the files was done."""

    files: list[int] = field(default_factory=list)
    chunks: list[int] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    rss: list[float] = field(default_factory=list)

    def see(self, report: IngestProgress) -> None:
        """Take a mark where another tenth is done."""
        wanted = len(self.files) * report.files // _PARTS
        if report.files_done >= wanted and (not self.files or wanted > self.files[-1]):
            self.files.append(wanted)
            self.chunks.append(report.chunks)
            self.wall.append(time.perf_counter())
            self.cpu.append(time.process_time())
            self.rss.append(_resident("VmRSS"))
            print(f"  {report.chunks} chunks, {self.rss[-1]:.0f} MB", file=sys.stderr, flush=True)

    def rates(self, times: Sequence[float]) -> list[float]:
        """Return chunks a second of each tenth."""
        amounts = np.diff(self.chunks) / np.maximum(np.diff(times), 1e-9)
        return [round(float(each), 1) for each in amounts]


async def measure(data: Path, scratch: Path, *, size: int, vectors: str) -> GrowthRow:
    """Fill a knowledge base of so many passages and ask, change and empty it a little."""
    folder, home = scratch / "docs", scratch / "home"
    files = write_folder(data, folder, sections=round(_SECTIONS_A_CHUNK * size))
    home.mkdir()
    (home / "cache").symlink_to(_built(scratch.parent))
    with drawn_vectors(home / "cache", wanted=vectors == "drawn"):
        app = await open_app(load_settings(home))
        try:
            store = await app.library.create(OWNER, _KB)
            marks = Marks()
            done, whole = await _timed(_bring_in(app, store, folder, marks))
            ended = time.perf_counter(), time.process_time()
            rss = _resident("VmHWM")
            asked = await _queries(app, store, data)
            again = (await _timed(_bring_in(app, store, folder)))[1]
            changes = await _changes(app, store, folder, files)
        finally:
            await app.close()
    return GrowthRow(
        chunks=done.chunks,
        vectors=vectors,
        wall_rates=marks.rates(marks.wall),
        cpu_rates=marks.rates(marks.cpu),
        whole=whole,
        last_step=Took(
            wall=round(ended[0] - marks.wall[-1], 2), cpu=round(ended[1] - marks.cpu[-1], 2)
        ),
        rss_mb=rss,
        rss_tenths=marks.rss,
        parser_mb=round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, 1),
        query_p50_ms=asked.p50,
        query_p95_ms=asked.p95,
        query_p95_cpu_ms=asked.p95_cpu,
        ask=_cold_ask(home, _asked(data)[0]),
        again=again,
        change=changes["change"],
        replace=changes["replace"],
        delete=changes["delete"],
        load=round(os.getloadavg()[0], 1),
    )


async def _bring_in(
    app: App, store: Store, folder: Path, marks: Marks | None = None
) -> IngestProgress:
    request = IngestRequest(path=folder, prune=True)
    watch = marks.see if marks else lambda _: None
    return await app.ingest.bring_in(OWNER, store, request=request, watch=watch)


async def _queries(app: App, store: Store, data: Path) -> Asked:
    """Return how long a question takes in a warm process, the least of a few rounds."""
    bases = bases_of([store])
    await prepare(bases, OWNER)
    walls, cpus = list[float](), list[float]()
    for text in _asked(data):
        rounds = [
            (await _timed(search(bases, app.embedder, OWNER, query=Query(text=text))))[1]
            for _ in range(_ROUNDS)
        ]
        walls.append(min(took.wall for took in rounds))
        cpus.append(min(took.cpu for took in rounds))
    return Asked(
        p50=round(1000 * float(np.percentile(walls, 50)), 1),
        p95=round(1000 * float(np.percentile(walls, 95)), 1),
        p95_cpu=round(1000 * float(np.percentile(cpus, 95)), 1),
    )


async def _changes(app: App, store: Store, folder: Path, files: Sequence[Path]) -> dict[str, Took]:
    """Edit, rewrite and remove documents of 100 chunks, each followed by a first question."""
    groups = [files[at : at + 100 // SECTIONS] for at in (0, 100 // SECTIONS, 200 // SECTIONS)]
    took: dict[str, Took] = {}
    for name, group in zip(("change", "replace", "delete"), groups, strict=True):
        for path in group:
            _alter(path, name)
        took[name] = (await _timed(_bring_in(app, store, folder)))[1]
    return took


def _alter(path: Path, how: str) -> None:
    if how == "delete":
        path.unlink()
        return
    parts = path.read_text(encoding="utf-8").split("\n\n")
    places = range(1, len(parts), 2) if how == "replace" else range(1, 2)
    for at in places:
        parts[at] = f"It was noted again in {how}. {parts[at]}"
    path.write_text("\n\n".join(parts), encoding="utf-8")


def _cold_ask(home: Path, question: str) -> Took:
    """Return the least that a question takes in a process of its own."""
    command = [sys.executable, "-c", "from weft.cli.main import main; main()"]
    environment = {**os.environ, "WEFT_HOME": str(home)}
    took = []
    for _ in range(_ROUNDS):
        wall, cpu = time.perf_counter(), _children()
        subprocess.run(
            [*command, "ask", "--kb", _KB, question],
            env=environment,
            stdout=subprocess.DEVNULL,
            check=False,
        )
        took.append((time.perf_counter() - wall, _children() - cpu))
    return Took(wall=round(min(took)[0], 2), cpu=round(min(took, key=lambda t: t[1])[1], 2))


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _asked(data: Path) -> list[str]:
    each = [questions(data, name, "dev")[: _QUESTIONS // len(EVERY)] for name in EVERY]
    return [one.text for some in zip(*each, strict=True) for one in some]


async def _timed(work: Awaitable[T]) -> tuple[T, Took]:
    wall, cpu = time.perf_counter(), time.process_time()
    given = await work
    return given, Took(
        wall=round(time.perf_counter() - wall, 4), cpu=round(time.process_time() - cpu, 4)
    )


def _resident(name: str) -> float:
    """Return a figure of this process's memory in MB: `VmRSS` now, `VmHWM` the most so far."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{name}:"):
            return round(int(line.split()[1]) / 1024, 1)
    raise LookupError(name)


def _built(scratch: Path) -> Path:
    """Return a folder for the network's graph, which is built once a machine."""
    folder = scratch / "weft-bench"
    folder.mkdir(exist_ok=True)
    return folder


def show(rows: Sequence[dict[str, object]]) -> None:
    """Print the table: measured, and what is wanted."""
    print(f"{'':<44}" + "".join(f"{row['chunks']!s:>12}" for row in rows) + f"{'goal':>12}")
    for name, goal, figures in _lines(rows):
        print(f"{name:<44}" + "".join(f"{each:>12}" for each in figures) + f"{goal:>12}")


def _lines(rows: Sequence[dict[str, object]]) -> Iterator[tuple[str, str, list[str]]]:
    def each(name: str, part: str = "") -> list[str]:
        held = [row[name] for row in rows]
        return [str(one[part] if isinstance(one, dict) else one) for one in held]

    def ratio(name: str) -> list[str]:
        rates = [row[name] for row in rows]
        return [f"{one[-1] / one[0]:.2f}" for one in rates if isinstance(one, list)]

    def last(name: str) -> list[str]:
        return [str(one[-1]) for one in (row[name] for row in rows) if isinstance(one, list)]

    yield "vectors", "", each("vectors")
    yield "chunks a second, last tenth", "", last("wall_rates")
    yield "last tenth / first tenth, by the clock", "≥ 0.9", ratio("wall_rates")
    yield "last tenth / first tenth, by processor time", "≥ 0.9", ratio("cpu_rates")
    yield "most memory while filling (MB)", "≤ 1500", each("rss_mb")
    yield "seconds after the last file", "", each("last_step", "wall")
    yield "question p95 (ms)", "≤ 150", each("query_p95_ms")
    yield "weft ask from nothing (s)", "≤ 3", each("ask", "wall")
    yield "  processor time (s)", "", each("ask", "cpu")
    for name, said in (
        ("again", "unchanged folder again (s)"),
        ("change", "100 chunks of which 10 changed (s)"),
        ("replace", "100 chunks all changed (s)"),
        ("delete", "100 chunks removed (s)"),
    ):
        yield said, "" if name == "again" else "≤ 1", each(name, "wall")
        yield "  processor time (s)", "", each(name, "cpu")
    yield "load of the machine at the end", "", each("load")


def grow(data: Path, sizes: Sequence[int], *, vectors: str) -> None:
    """Measure each size in a process of its own, print, write and draw."""
    rows: list[dict[str, object]] = []
    for size in sizes:
        command = [sys.executable, __file__, "--child", "--vectors", vectors]
        command += ["--data", str(data), str(size)]
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        rows.append(json.loads(told.stdout.splitlines()[-1]))
    OUT.parent.mkdir(parents=True, exist_ok=True)
    kept = json.loads(OUT.read_text(encoding="utf-8")) if OUT.exists() else []
    new = {(row["vectors"], int(str(row["chunks"])) // 1000) for row in rows}
    rows += [row for row in kept if (row["vectors"], row["chunks"] // 1000) not in new]
    rows.sort(key=lambda row: (str(row["vectors"]), int(str(row["chunks"]))))
    OUT.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    OUT.with_suffix(".svg").write_text(curve(rows), encoding="utf-8")
    show(rows)


def main() -> None:
    """Measure what is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--vectors", choices=("local", "drawn"), default="local")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if not wanted.child:
        grow(wanted.data, wanted.sizes, vectors=wanted.vectors)
        return
    share_heap()  # as the command line does
    collect_rarely()
    with tempfile.TemporaryDirectory() as scratch:
        measuring = measure(
            wanted.data, Path(scratch), size=wanted.sizes[0], vectors=wanted.vectors
        )
        print(json.dumps(asdict(asyncio.run(measuring))))


if __name__ == "__main__":
    main()
