"""Files opened in a thread."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import BinaryIO

import pytest

from patience import SOON
from weft.platform.threads import opened_file

pytestmark = pytest.mark.anyio


async def test_a_file_opened_for_a_caller_cancelled_meanwhile_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "slow.txt"
    path.write_bytes(b"text")
    began, may_open = threading.Event(), threading.Event()
    made: list[BinaryIO] = []

    def slow() -> BinaryIO:
        began.set()
        may_open.wait(SOON)
        made.append(path.open("rb"))
        return made[0]

    waiting = asyncio.ensure_future(opened_file(slow))
    assert await asyncio.to_thread(began.wait, SOON)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert made == []  # the caller waited for no disk
    may_open.set()
    async with asyncio.timeout(SOON):
        while not (made and made[0].closed):  # noqa: ASYNC110  # the thread says nothing when done
            await asyncio.sleep(0.01)


async def test_an_error_reaches_the_caller(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await opened_file(lambda: (tmp_path / "none").open("rb"))


async def test_an_error_for_a_caller_cancelled_meanwhile_is_nobodys(tmp_path: Path) -> None:
    may_fail = threading.Event()

    def failing() -> BinaryIO:
        may_fail.wait(SOON)
        return (tmp_path / "none").open("rb")

    waiting = asyncio.ensure_future(opened_file(failing))
    await asyncio.sleep(0)
    waiting.cancel()
    may_fail.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
