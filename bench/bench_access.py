"""Measure rights: what a decision and the check of a key cost, and how fast a right is gone.

Usage: PYTHONPATH=tests python bench/bench_access.py [--times 20] [--no-streams]. First come tables
of this process alone, the best of several rounds, in microseconds of the processor. The last is of
a service process: milliseconds from when the change is sent to the end of what is under way, with
a scripted model that would go on for twenty seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from fault.revoking import (
    REVOCATIONS,
    Office,
    Person,
    asked,
    begin_ingestion,
    office,
    wait_until_over,
    watched,
)
from weft.adapters.argon2.passwords import ArgonPasswords
from weft.adapters.sql.records import open_records
from weft.domain.acl import Guarded
from weft.platform.access import authorize
from weft.platform.identity import operator, principal_scope
from weft.platform.people.administration import administration_of
from weft.platform.people.principals import Principals
from weft.platform.people.roles import BUILT_IN
from weft.platform.people.watching import LOOK_SECONDS
from weft.platform.time import SystemClock
from weft.ports.records.people import NewGroup, NewUser
from weft.ports.records.standings import KeptKey, Standing, Standings

SECRET = b"k" * 32
GROUPS = tuple(f"group{number}" for number in range(20))
_CALLS, _ROUNDS = 2000, 15
_WITHOUT = {("an ingestion", "document ACL narrowed")}


@dataclass
class Memory:
    """The standings of a store, each read once; the stamp is a number in memory."""

    store: Standings
    keys: dict[str, KeptKey | None] = field(default_factory=dict)

    async def stamp(self, tenant: str) -> int:
        """Return a number that stands still."""
        return 1

    async def of_user(self, tenant: str, name: str) -> Standing | None:
        """Return what the store knows, under the number that stands still."""
        return await self.store.of_user(tenant, name)

    async def of_key(self, key_id: str) -> KeptKey | None:
        """Return the key of the store."""
        return await self.store.of_key(key_id)


def main() -> None:
    """Measure and print both tables."""
    asked_for = argparse.ArgumentParser()
    asked_for.add_argument("--times", type=int, default=20)
    asked_for.add_argument("--no-streams", action="store_true")
    given = asked_for.parse_args()
    decisions()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(keys(Path(folder)))
    if not given.no_streams:
        with tempfile.TemporaryDirectory() as folder, office(Path(folder) / "home") as place:
            revocations(place, given.times)


def decisions() -> None:
    """Print what a decision costs, beside the look into a set that every decision needs."""
    held = BUILT_IN["curator"] | BUILT_IN["admin"]
    ann = principal_scope(
        tenant="acme",
        actor="user:ann",
        groups=[f"group:{name}" for name in GROUPS],
        permissions=held,
    )
    few = frozenset(f"user:{number}" for number in range(20))
    base = Guarded(name="Docs", readers=few | {"group:group3"}, writers=few, admins=few)
    rows: dict[str, Callable[[], object]] = {
        "a look into a set": lambda: "kb.read" in held,
        "a permission alone": lambda: authorize(ann, "kb.read", "kb:Docs"),
        "a permission of a family": lambda: authorize(ann, "tool.run:search", "tool:search"),
        "a base of 60 principals, as a reader": lambda: authorize(ann, "kb.read", base),
        "a base of 60 principals, denied": lambda: authorize(ann, "kb.write", base),
    }
    took = best_of({name: lambda work=work: calls_of(work) for name, work in rows.items()})
    table("A decision (target 2 µs)", took)


async def keys(home: Path) -> None:
    """Print what the check of a key costs beside one reading of the stamp from SQLite."""
    records = open_records(
        f"sqlite:///{home / 'records.db'}", audit_key=SECRET, clock=SystemClock()
    )
    people, boss = records.people, operator("acme")
    made = administration_of(people, audit=records.audit, passwords=ArgonPasswords(), secret=SECRET)
    for name in GROUPS:
        await made.groups.add(boss, NewGroup(name=name))
    new = NewUser(name="ann", roles=frozenset({"curator"}), groups=frozenset(GROUPS))
    await made.users.add(boss, new)
    key = await made.keys.add(
        boss, "ann", scopes=["kb.read", "ask"], expires=datetime(2099, 1, 1, tzinfo=UTC)
    )
    stored = Principals(people.standings, secret=SECRET, clock=SystemClock())
    within = Principals(Memory(people.standings), secret=SECRET, clock=SystemClock())
    caller = await stored.of_key(key.text)
    assert caller is not None
    rows: dict[str, Callable[[], Coroutine[Any, Any, object]]] = {
        "one reading of the stamp": lambda: people.standings.stamp("acme"),
        "a key, its arithmetic alone": lambda: within.of_key(key.text),
        "a key, with the stamp": lambda: stored.of_key(key.text),
        "a wrong key, its arithmetic alone": lambda: within.of_key(key.text[:-4] + "AAAA"),
        "whether a caller still may, with the stamp": lambda: stored.still(caller),
    }
    took = {name: min([await awaited(work) for _ in range(_ROUNDS)]) for name, work in rows.items()}
    table("A key (target 20 µs beside one reading)", took)
    await records.close()


def calls_of(work: Callable[[], object]) -> float:
    """Return the seconds of the processor that a call takes."""
    began = time.process_time()
    for _ in range(_CALLS):
        work()
    return (time.process_time() - began) / _CALLS


def best_of(rows: dict[str, Callable[[], float]]) -> dict[str, float]:
    """Return the least that each takes, measured in turns, so that all have the same machine."""
    rounds = [{name: work() for name, work in rows.items()} for _ in range(_ROUNDS)]
    return {name: min(each[name] for each in rounds) for name in rows}


async def awaited(work: Callable[[], Coroutine[Any, Any, object]]) -> float:
    """Return the seconds of the processor that something awaited takes."""
    count = _CALLS // 10
    began = time.process_time()
    for _ in range(count):
        await work()
    return (time.process_time() - began) / count


def table(title: str, took: dict[str, float]) -> None:
    """Print rows with how often the first goes into each."""
    first = next(iter(took.values()))
    print(f"\n{title:<46}{'µs':>8}{'ratio':>8}")
    for name, seconds in took.items():
        print(f"{name:<46}{seconds * 1e6:>8.2f}{seconds / first:>8.2f}")


def revocations(place: Office, times: int) -> None:
    """Print how long what is under way goes on after a right was taken away."""
    print(f"\n{f'ms to the end, {times} times each':<46}{'median':>8}{'worst':>8}")
    for what in REVOCATIONS:
        taken: dict[str, list[float]] = {}
        for _ in range(times):
            for name, seconds in one_answer(place, what).items():
                taken.setdefault(name, []).append(seconds)
            if ("an ingestion", what) not in _WITHOUT:
                for name, seconds in one_ingestion(place, what).items():
                    taken.setdefault(name, []).append(seconds)
        for name, each in taken.items():
            title = f"{what}: {name}"
            print(f"{title:<46}{median(each) * 1000:>8.0f}{max(each) * 1000:>8.0f}", flush=True)


def one_answer(place: Office, what: str) -> dict[str, float]:
    """Take a right away while an answer is streamed and watched."""
    person = place.hire()
    answer = asked(place, person)
    events = watched(person, answer.run_id)
    began = changed(place, person, what)
    return {"an answer's stream": answer.wait() - began, "its run's events": events.wait() - began}


def one_ingestion(place: Office, what: str) -> dict[str, float]:
    """Take a right away while a job brings rows in."""
    person = place.hire()
    run_id = begin_ingestion(place, person)
    events = watched(person, run_id)
    began = changed(place, person, what)
    ended = events.wait() - began
    assert wait_until_over(place, run_id) == "failed"
    return {"a job's events": ended, "the job": time.perf_counter() - began}


def changed(place: Office, person: Person, what: str) -> float:
    """Take a right away at any time between two looks; return when that was asked for."""
    time.sleep(random.uniform(0, LOOK_SECONDS))
    began = time.perf_counter()
    REVOCATIONS[what](place, person)
    return began


if __name__ == "__main__":
    main()
