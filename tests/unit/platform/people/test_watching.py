"""Work that goes on only as long as it is allowed."""

from __future__ import annotations

import asyncio

import pytest

from weft.domain.errors import Forbidden, StoreUnavailable
from weft.platform.people import watching
from weft.platform.people.watching import while_allowed

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "LOOK_SECONDS", 0.01)


class Right:
    def __init__(self) -> None:
        self.held = True
        self.looks = 0

    async def __call__(self) -> bool:
        self.looks += 1
        return self.held


async def test_work_that_is_allowed_gives_what_it_gives() -> None:
    async def work() -> int:
        await asyncio.sleep(0.05)
        return 7

    right = Right()
    assert await while_allowed(right, work()) == 7
    assert right.looks > 0


async def test_work_ends_when_the_right_is_taken_away() -> None:
    right, ended = Right(), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(0.03)
            right.held = False
            await asyncio.sleep(60)
        finally:
            ended.set()

    with pytest.raises(Forbidden):
        await while_allowed(right, work())
    assert ended.is_set()


async def test_who_goes_away_takes_the_work_along() -> None:
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    task = asyncio.create_task(while_allowed(Right(), work()))
    await asyncio.sleep(0.03)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
    assert ended.is_set()


async def test_an_error_is_the_works_own() -> None:
    async def work() -> None:
        await asyncio.sleep(0.02)
        raise StoreUnavailable

    with pytest.raises(StoreUnavailable):
        await while_allowed(Right(), work())


async def test_records_that_do_not_answer_end_nothing() -> None:
    async def unknown() -> bool:
        raise StoreUnavailable

    async def work() -> int:
        await asyncio.sleep(0.04)
        return 1

    assert await while_allowed(unknown, work()) == 1
