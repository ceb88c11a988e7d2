"""Where the time of a cold `weft ask` goes, on a folder that has not changed.

The whole is measured by running the command itself; the parts are measured in one fresh process
that takes the same steps one after the other. The command overlaps some of them, so that the parts
may add up to more than the whole.

Usage: python bench/bench_ask.py [--files 100] [--runs 7] [--folder DIR]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from documents import gather

QUESTION = "Who may use the software without restriction?"
GOAL_S, GOAL_ANSWER_MS = 3.0, 100.0
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
        first, _ = ask(folder)
        rows = [ask(folder) for _ in range(wanted.runs)]
        report(first, rows)
        parts = [*COMMAND[:1], __file__, "--parts", "--folder", str(folder)]
        subprocess.run(parts, check=True)


def ask(folder: Path) -> tuple[float, float]:
    """Return the seconds of one run of the command and the milliseconds of its answer."""
    begin = time.perf_counter()
    line = [*COMMAND, "ask", str(folder), QUESTION, "--json"]
    done = subprocess.run(line, check=True, capture_output=True)
    took = time.perf_counter() - begin
    return took, float(json.loads(done.stdout)["took_ms"])


def report(first: float, rows: list[tuple[float, float]]) -> None:
    """Print the whole: the first run with its ingestion, then the cold ones."""
    print(f"the first run, everything read and embedded: {first:.1f} s\n")
    print(f"{len(rows)} cold runs       median     best    worst     goal")
    for name, values, goal, unit in (
        ("the command", [whole for whole, _ in rows], GOAL_S, "s"),
        ("the answer in it", [answer for _, answer in rows], GOAL_ANSWER_MS, "ms"),
    ):
        shown = [statistics.median(values), min(values), max(values), goal]
        cells = "".join(f"{value:>9.2f}" if unit == "s" else f"{value:>9.0f}" for value in shown)
        print(f"{name:<17}{cells} {unit}")


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
