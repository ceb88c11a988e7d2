"""Work in a thread: it gives its result, and it ends with whoever waits for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextvars import ContextVar

import pytest

from weft.platform.threads import in_thread

pytestmark = pytest.mark.anyio
NAMED: ContextVar[str] = ContextVar("NAMED")


async def cancelled(work: Callable[[], object], turns: list[int]) -> None:
    """Cancel whoever waits for work in a thread, once that counts its turns."""
    waiting = asyncio.create_task(in_thread(work))
    while not turns[0]:  # noqa: ASYNC110  # what ends a thread would leave a lock of it held
        await asyncio.sleep(0.005)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_a_result_and_an_error_come_back() -> None:
    NAMED.set("mine")
    assert await in_thread(NAMED.get) == "mine"
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda: 1 / 0)


async def test_a_loop_without_end_ends_with_its_caller() -> None:
    turns = [0]

    def spin() -> None:
        while True:
            turns[0] += 1

    await cancelled(spin, turns)
    seen = turns[0]
    await asyncio.sleep(0.1)
    assert seen == turns[0] > 0


async def test_what_a_finaliser_drops_is_raised_again() -> None:
    dropped, turns = list[str](), [0]

    def stubborn() -> None:
        while True:
            try:
                while True:
                    sum(range(100))
                    turns[0] += 1
            except BaseException as error:
                dropped.append(type(error).__name__)
                if len(dropped) == 2:
                    raise

    await cancelled(stubborn, turns)
    assert len(dropped) == 2


async def test_the_thread_is_fit_for_the_next_work() -> None:
    """Work is cancelled at any moment, its last one too; none of it reaches the work after it."""
    for number in range(300):
        task = asyncio.create_task(in_thread(lambda: sum(range(2_000))))
        await asyncio.sleep(number % 7 * 0.0001)
        task.cancel()
        await asyncio.wait([task])
    results = await asyncio.gather(*(in_thread(lambda: sum(range(10_000))) for _ in range(50)))
    assert set(results) == {sum(range(10_000))}


async def test_work_that_waits_for_a_thread_never_begins() -> None:
    loop = asyncio.get_running_loop()
    gate, begun = threading.Event(), list[int]()
    held = [loop.run_in_executor(None, gate.wait) for _ in range(64)]
    task = asyncio.create_task(in_thread(lambda: begun.append(1)))
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(*held)
    await asyncio.wait([task])
    await asyncio.sleep(0.05)
    assert task.cancelled()
    assert not begun
