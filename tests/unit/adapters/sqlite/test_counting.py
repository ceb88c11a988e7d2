"""When names are counted: once for changes that follow each other, at once if waited for."""

from __future__ import annotations

import asyncio
from typing import cast

from weft.adapters.sqlite.counting import NameCounting
from weft.adapters.sqlite.snapshots import SqliteSnapshots


class Counted:
    """Snapshots that only note that they were to count."""

    def __init__(self, *, fails: bool = False) -> None:
        self.times = 0
        self.fails = fails

    def count_names(self) -> None:
        self.times += 1
        if self.fails:
            raise MemoryError


def counting(counted: Counted) -> NameCounting:
    return NameCounting(cast("SqliteSnapshots", counted))


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
