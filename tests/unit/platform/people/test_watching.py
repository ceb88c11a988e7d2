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
        self.looked_at = asyncio.Event()

    async def __call__(self) -> bool:
        self.looked_at.set()
        return self.held


async def test_work_that_is_allowed_gives_what_it_gives() -> None:
    right = Right()

    async def work() -> int:
        await right.looked_at.wait()
        return 7

    assert await while_allowed(right, work()) == 7


async def test_work_ends_when_the_right_is_taken_away() -> None:
    right, ended = Right(), asyncio.Event()

    async def work() -> None:
        try:
            await right.looked_at.wait()
            right.held = False
            await asyncio.Event().wait()
        finally:
            ended.set()

    with pytest.raises(Forbidden):
        await while_allowed(right, work())
    assert ended.is_set()


async def test_who_goes_away_takes_the_work_along() -> None:
    right, ended = Right(), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    task = asyncio.create_task(while_allowed(right, work()))
    await right.looked_at.wait()
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
    assert ended.is_set()


async def test_an_error_is_the_works_own() -> None:
    right = Right()

    async def work() -> None:
        await right.looked_at.wait()
        raise StoreUnavailable

    with pytest.raises(StoreUnavailable):
        await while_allowed(right, work())


async def test_records_that_do_not_answer_end_nothing() -> None:
    asked = asyncio.Event()

    async def unknown() -> bool:
        asked.set()
        raise StoreUnavailable

    async def work() -> int:
        await asked.wait()
        return 1

    assert await while_allowed(unknown, work()) == 1
