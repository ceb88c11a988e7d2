"""When names are counted: once for changes that follow each other, at once if waited for."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

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


async def test_what_changes_meanwhile_is_waited_for_and_begins_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("weft.adapters.sqlite.counting._REST_SECONDS", 0.2)
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
