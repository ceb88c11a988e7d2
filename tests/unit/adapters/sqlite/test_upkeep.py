"""When names are counted: once for changes that follow each other, at once if waited for."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import cast

import pytest

from array_folders import opened
from weft.adapters.sqlite.snapshots import SqliteSnapshots
from weft.adapters.sqlite.upkeep import Upkeep
from weft.index.named_view import named_view
from weft.index.snapshot import MOST_SMALL
from weft.index.view_cache import AT_ONCE, ViewCache
from worlds import ACLS, WRITER, Draft, put_drafts


class Counted:
    """Snapshots that only note that they were to count."""

    def __init__(self, *, fails: bool = False) -> None:
        self.times = 0
        self.fails = fails

    def compact(self) -> None:
        pass

    def count_names(self) -> None:
        self.times += 1
        if self.fails:
            raise MemoryError


def counting(counted: Counted) -> Upkeep:
    async def persist() -> None:
        pass

    return Upkeep(cast("SqliteSnapshots", counted), persist=persist)


async def test_changes_that_follow_each_other_are_counted_once() -> None:
    counted = Counted()
    made = counting(counted)
    for _ in range(5):
        made.begin()
        await asyncio.sleep(0)
    await made.settle()
    assert counted.times == 1
    made.begin()
    await made.settle()
    assert counted.times == 2


async def test_who_waits_when_all_is_counted_counts_nothing() -> None:
    counted = Counted()
    made = counting(counted)
    await made.settle()
    made.begin()
    await made.settle()
    await made.settle()
    assert counted.times == 1


async def test_an_error_ends_no_later_counting() -> None:
    counted = Counted(fails=True)
    made = counting(counted)
    made.begin()
    await made.settle()
    counted.fails = False
    made.begin()
    await made.settle()
    assert counted.times == 2


async def test_what_changes_meanwhile_is_waited_for_and_begins_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("weft.adapters.sqlite.upkeep._REST_SECONDS", 0.2)
    counted = Counted()
    made = counting(counted)
    made.put_off()
    await made.settle()
    assert counted.times == 0
    made.begin()
    for _ in range(20):  # for twice as long as anything would be waited for
        await asyncio.sleep(0.02)
        made.put_off()
    early = counted.times
    await made.settle()
    assert (early, counted.times) in ((0, 1), (1, 2))  # a machine may stand still for long


async def test_what_came_in_is_in_the_next_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.adapters.sqlite.knowledge._PATIENCE_SECONDS", 0.01)
    fills, complete = threading.Event(), ViewCache.complete

    def filled(cache: ViewCache, *given: object) -> None:
        fills.wait(60)
        complete(cache, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(ViewCache, "complete", filled)
    store = await opened(tmp_path)
    await put_drafts(store, Draft("first", ACLS[-1], ((0, 1),)))
    named_view(await store.knowledge.view(WRITER))
    more = [Draft(f"d{number}", ACLS[-1], ((0, 3),)) for number in range(AT_ONCE + 1)]
    await put_drafts(store, *more)
    assert (await store.knowledge.view(WRITER)).lags, "it is still being filled"
    fills.set()
    monkeypatch.setattr("weft.adapters.sqlite.knowledge._PATIENCE_SECONDS", 60)
    await store.knowledge.settle()
    named_view(await store.knowledge.view(WRITER))
    again = [Draft(f"e{number}", ACLS[-1], ((0, 4),)) for number in range(AT_ONCE + 1)]
    await put_drafts(store, *again)
    await store.save()
    seen = await store.knowledge.view(WRITER)
    assert (seen.lags, seen.passages) == (False, 1 + 2 * (AT_ONCE + 1))
    await store.close()


async def test_nobody_waits_long_for_what_takes_long_to_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.adapters.sqlite.knowledge._PATIENCE_SECONDS", 0.01)
    counts = threading.Event()
    monkeypatch.setattr(ViewCache, "complete", lambda *_: counts.wait(60))
    store = await opened(tmp_path)
    await put_drafts(store, Draft("first", ACLS[-1], ((0, 1),)))
    named_view(await store.knowledge.view(WRITER))
    await put_drafts(store, *(Draft(f"d{n}", ACLS[-1], ((0, 3),)) for n in range(AT_ONCE + 1)))
    await store.save()
    seen = await store.knowledge.view(WRITER)
    assert (seen.lags, seen.passages) == (True, 1)
    counts.set()
    await store.close()


async def test_what_many_changes_left_is_merged_while_nobody_waits(tmp_path: Path) -> None:
    store = await opened(tmp_path)
    for number in range(MOST_SMALL):
        await put_drafts(store, Draft(f"d{number}", ACLS[-1], ((0, 3),)))
        await store.database.read(store.snapshots.refresh)
    await store.save()
    before = len((await store.knowledge.view(WRITER)).snapshot.segments)
    await store.upkeep.settle()
    after = await store.knowledge.view(WRITER)
    assert (before, len(after.snapshot.segments)) == (MOST_SMALL, 1)
    assert after.passages == MOST_SMALL
    await store.close()
    again = await opened(tmp_path)
    assert len((await again.knowledge.view(WRITER)).snapshot.segments) == 1, "as it was kept"
    await again.close()
