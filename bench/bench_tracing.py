"""What traces cost a run: the same questions with a collector and without, side by side.

Usage: python bench/bench_tracing.py [--runs 200]
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

from weft.sdk.weft import Weft

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from otlp_receiver import receiver

QUESTION = "When was the Harbour Bridge opened?"
TEXT = "The Harbour Bridge was opened by Ada Lindqvist on 14 March 1932.\n"
GOAL = 0.03


@contextmanager
def collector() -> Iterator[str]:
    """Receive in another process, as a collector would."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    process.start()
    try:
        yield str(here.recv())
    finally:
        process.terminate()


def serve(told: Connection) -> None:
    """Receive until ended."""
    with receiver() as got:
        told.send(got.address)
        threading.Event().wait()


def main() -> None:
    """Ask in turns, with traces and without, and print both medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, collector() as address:
        docs = Path(scratch) / "docs"
        docs.mkdir()
        (docs / "bridge.md").write_text(TEXT)
        took: dict[str, list[float]] = {}
        opened = {}
        for name, endpoint in (("without", ""), ("with", address)):
            home = Path(scratch) / name
            home.mkdir()
            (home / "weft.yaml").write_text(
                f'embedder: none\notel_exporter_otlp_endpoint: "{endpoint}"\n'
            )
            opened[name] = Weft.open(docs, home=home)
            opened[name].ask(QUESTION)
            took[name] = []
        for _ in range(wanted.runs):
            for name, weft in opened.items():
                began = time.perf_counter()
                weft.ask(QUESTION)
                took[name].append((time.perf_counter() - began) * 1000)
        for weft in opened.values():
            weft.close()
    report(took)


def report(took: dict[str, list[float]]) -> None:
    """Print the table."""
    print(f"{'':10}{'p50 ms':>9}{'p95 ms':>9}{'mean ms':>9}")
    for name, ms in took.items():
        high = statistics.quantiles(ms, n=20)[-1]
        print(f"{name:10}{statistics.median(ms):9.2f}{high:9.2f}{statistics.fmean(ms):9.2f}")
    share = statistics.median(took["with"]) / statistics.median(took["without"]) - 1
    print(f"traces add {share:.1%} to a run (goal {GOAL:.0%})")


if __name__ == "__main__":
    main()
