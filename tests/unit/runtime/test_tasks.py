"""Work that is done whole, whoever is cancelled meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from weft.runtime.tasks import whole

pytestmark = pytest.mark.anyio


async def test_work_is_ended_before_its_caller_is_cancelled() -> None:
    written: list[str] = []

    async def write() -> str:
        await asyncio.sleep(0.05)
        written.append("all")
        return "given"

    assert await whole(write()) == "given"
    task = asyncio.create_task(whole(write()))
    for _ in range(3):
        await asyncio.sleep(0.01)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert written == ["all", "all"]


async def test_what_work_raises_is_raised() -> None:
    async def fail() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        await whole(fail())
