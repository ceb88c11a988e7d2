"""Where the time of a cold `weft ask` goes, on a folder that has not changed.

The whole is measured by running the command itself, each time beside a process that does nothing
but import what no answer can do without: the ratio of the two holds on a slow or busy machine as
well. Of both, the time on the clock and the processor's time are given. The parts are measured in
one fresh process that takes the same steps one after the other. The command overlaps some of them,
so that the parts may add up to more than the whole.

Usage: python bench/bench_ask.py [--files 100] [--runs 7] [--folder DIR]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from documents import gather

QUESTION = "Who may use the software without restriction?"
GOAL_S, GOAL_RATIO, GOAL_ANSWER_MS = 0.8, 4.0, 100.0
BARE = [sys.executable, "-c", "import numpy, onnxruntime, tokenizers"]
COMMAND = [sys.executable, "-c", "from weft.cli.main import main; main()"]


def main() -> None:
    """Ingest the folder, ask it in fresh processes, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--parts", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.parts:
        asyncio.run(measure_parts(wanted.folder))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = wanted.folder or Path(scratch) / "documents"
        if wanted.folder is None:
            gather(folder, wanted.files)
        os.environ["WEFT_HOME"] = str(Path(scratch) / "home")
        # Some machines switch bytecode off for every program; an installed Weft has its own.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        first = ask(folder).wall
        timed(BARE)
        pairs = [Pair(command=ask(folder), bare=timed(BARE)) for _ in range(wanted.runs)]
        report(first, pairs)
        parts = [*COMMAND[:1], __file__, "--parts", "--folder", str(folder)]
        subprocess.run(parts, check=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one process took, in seconds, and what it wrote."""

    wall: float
    cpu: float
    wrote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A run of the command and, right after it, one of the bare imports."""

    command: Run
    bare: Run

    @property
    def answer_ms(self) -> float:
        """Return what the answer itself took, as the command says it."""
        return float(json.loads(self.command.wrote)["took_ms"])


def timed(line: list[str]) -> Run:
    """Run a process to its end and return what it took, its children included."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(line, check=False, capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: nothing answers, which takes as long
        raise SystemExit(done.stderr)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(wall=wall, cpu=cpu, wrote=done.stdout)


def ask(folder: Path) -> Run:
    """Run the command once."""
    return timed([*COMMAND, "ask", str(folder), QUESTION, "--json"])


def report(first: float, pairs: list[Pair]) -> None:
    """Print the whole: the first run with its ingestion, then the cold ones and their ratios."""
    print(f"the first run, everything read and embedded: {first:.1f} s\n")
    print(f"{len(pairs)} cold runs                 median     best    worst     goal")
    rows: list[tuple[str, list[float], float | None, str]] = [
        ("the command, wall s", [pair.command.wall for pair in pairs], GOAL_S, "9.2f"),
        ("the command, cpu s", [pair.command.cpu for pair in pairs], None, "9.2f"),
        ("bare imports, wall s", [pair.bare.wall for pair in pairs], None, "9.2f"),
        ("bare imports, cpu s", [pair.bare.cpu for pair in pairs], None, "9.2f"),
        ("ratio, wall", [p.command.wall / p.bare.wall for p in pairs], GOAL_RATIO, "9.1f"),
        ("ratio, cpu", [p.command.cpu / p.bare.cpu for p in pairs], None, "9.1f"),
        ("the answer in it, ms", [pair.answer_ms for pair in pairs], GOAL_ANSWER_MS, "9.0f"),
    ]
    for name, values, goal, form in rows:
        shown = [statistics.median(values), min(values), max(values)]
        cells = "".join(f"{value:{form}}" for value in shown)
        print(f"{name:<25}{cells}" + ("" if goal is None else f"{goal:{form}}"))


class Parts:
    """The parts of one ask, in order."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, float]] = []

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Time what is done inside."""
        begin = time.perf_counter()
        yield
        self.rows.append((name, time.perf_counter() - begin))

    def show(self) -> None:
        """Print each part and its share."""
        total = sum(seconds for _, seconds in self.rows)
        print(f"\n{'the parts, one after the other':<44}{'ms':>8}{'share':>8}")
        for name, seconds in self.rows:
            print(f"{name:<44}{seconds * 1000:>8.0f}{seconds / total:>8.0%}")
        print(f"{'together':<44}{total * 1000:>8.0f}")


async def measure_parts(folder: Path) -> None:
    """Take the steps of `weft ask` one after the other, each timed."""
    parts = Parts()
    with parts.part("start of the interpreter"):
        subprocess.run([sys.executable, "-c", ""], check=True)  # noqa: ASYNC221  # nothing else runs
    with parts.part("import: command line (typer, rich)"):
        import weft.cli.main  # noqa: F401
    with parts.part("import: numpy"):
        import numpy as np  # noqa: F401
    with parts.part("import: house (sqlalchemy, ingest, retrieval)"):
        from weft.bootstrap.app import load_settings, open_app
    settings = load_settings()
    with parts.part("records opened"):
        bare = await open_app(settings, with_models=False)
    await bare.close()
    with parts.part("embedder loaded (records again)"):
        app = await open_app(settings)
    with parts.part("import: flows, rules, retrieval"):
        from weft.bootstrap.flows import build_flows
    from weft.flows.asking import Asking
    from weft.ingest.jobs.ingestion import IngestRequest
    from weft.platform.identity import local_owner, readers

    scope = local_owner()
    with parts.part("knowledge base opened"):
        store = await app.library.for_folder(scope, folder)
    with parts.part("folder compared"):
        request = IngestRequest(path=folder, acl=readers((), scope), prune=True)
        await app.ingest.bring_in(scope, store, request=request, watch=lambda _: None)
    with parts.part("flows built"):
        flows = build_flows(app)
    with parts.part("view of the snapshot"):
        await store.knowledge.view(scope)
    with parts.part("the answer, first"):
        await flows.run(scope, Asking(question=QUESTION, knowledge_bases=(store.name,)))
    with parts.part("closed"):
        await app.close()
    parts.show()
    await measure_warm(folder)


async def measure_warm(folder: Path) -> None:
    """Print what a further answer takes in a process that stays."""
    from weft import AsyncWeft

    async with await AsyncWeft.open(folder) as weft:
        answers = [(await weft.ask(QUESTION)).took_ms for _ in range(12)]
    print(
        f"\nfurther answers of a process that stays: median {statistics.median(answers[2:]):.0f} ms"
    )


if __name__ == "__main__":
    main()
