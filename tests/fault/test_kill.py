"""Kill -9 at every step of ingestion: nothing lost, doubled or half visible, and it goes on."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from itertools import count
from pathlib import Path
from statistics import median

import pytest

from fault.corpus import edit, make
from fault.kill_points import POINTS
from fault.killing import Range, check, check_ledger, kill, no_parser_of, outcome, watcher

pytestmark = pytest.mark.fault


@pytest.fixture
def place(tmp_path: Path) -> Range:
    """Return a folder of 25 files and an empty workshop."""
    make(tmp_path / "docs")
    return Range(home=tmp_path / "home", folder=tmp_path / "docs")


def kill_at(place: Range, numbers: list[int]) -> Counter[str]:
    """Kill one ingestion after the other, each at its point; return how often at which step."""
    killed: Counter[str] = Counter()
    turns = count(1)
    for number in numbers:
        step = POINTS[number].step
        code = place.run(next(turns), number)
        for _ in range(5):
            if code == 0 and step.startswith("snapshot"):  # the reader saved the arrays first
                code = place.run(next(turns), number)
        assert code == -9, f"{step}: {POINTS[number].label} was not reached ({code})"
        killed[step] += 1
    return killed


def settle(place: Range) -> None:
    """Check that the end is as if nothing had happened."""
    killed = outcome(place.home, place.folder)
    calm = outcome(place.home.with_name("calm"), place.folder)
    assert killed == calm
    assert killed.unfinished == 0
    check_ledger(killed)


def told(title: str, killed: Counter[str], recovered: list[float]) -> list[str]:
    """Return the histogram and the times as lines."""
    lines = [f"{title}: {killed.total()} kills"]
    lines += [f"  {times:>4}  {step:<42} {'#' * min(times, 30)}" for step, times in killed.items()]
    took = f"median {median(recovered):.2f} s, longest {max(recovered):.2f} s of {len(recovered)}"
    return [*lines, f"  next start to its first document or its end: {took}"]


def test_a_kill_at_any_step_loses_doubles_and_shows_nothing_half(
    place: Range, report: list[str]
) -> None:
    """Every other step, others in each run; `make chaos` takes all of them, many times."""
    numbers = sorted(random.sample(range(len(POINTS)), len(POINTS) // 2))
    with watcher(place.home) as seen:
        killed = kill_at(place, numbers)
        assert place.run() == 0
    assert killed.total() >= 15
    settle(place)
    check(seen, outcome(place.home, place.folder))
    report += told("ingest killed at half of its steps", killed, place.recovered)
    report.append(f"  a reader beside it: {seen['looks']} looks, {seen['views']} at the arrays too")


def test_a_kill_at_any_time_loses_doubles_and_shows_nothing_half(
    place: Range, report: list[str]
) -> None:
    kill_at_random(place, 8, report)


@pytest.mark.chaos
def test_hundreds_of_kills(place: Range, report: list[str]) -> None:
    kills = int(os.environ.get("WEFT_CHAOS_KILLS", "200"))
    chance = random.Random(kills)
    numbers = [0, *(chance.randrange(1, len(POINTS)) for _ in range(kills * 3 // 4 - 1))]
    with watcher(place.home) as seen:
        killed = kill_at(place, numbers)
        assert place.run() == 0
    settle(place)
    check(seen, outcome(place.home, place.folder))
    report += told("ingest killed at steps by chance", killed, place.recovered)
    place.recovered.clear()
    kill_at_random(place, kills - len(numbers), report)


def kill_at_random(place: Range, kills: int, report: list[str]) -> None:
    """Kill ingestion after random times, while it starts and while it makes up for the last one."""
    chance = random.Random(kills)
    killed: Counter[str] = Counter()
    with watcher(place.home) as seen:
        turn = 1000
        while killed.total() < kills:
            turn += 1
            edit(place.folder, turn)
            after = chance.uniform(0.2, 1.6)
            began = time.time()
            process = place.start()
            time.sleep(after)
            if process.poll() is None:
                kill(process)
                killed[f"after {int(after * 4) / 4:.2f} s or a little more"] += 1
            place.note(began)
            assert no_parser_of(process.pid)
        assert place.run() == 0
    settle(place)
    check(seen, outcome(place.home, place.folder))
    ordered = Counter(dict(sorted(killed.items())))
    report += told("ingest killed at any time", ordered, place.recovered)
