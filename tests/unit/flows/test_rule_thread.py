"""A rule reads in a thread of its own, its tools run where they belong."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

import pytest

from patience import SOON
from weft.agents.judging import Judgement
from weft.agents.toolbox import RuleTools
from weft.flows.rule_thread import hand_in

_WHO: ContextVar[str] = ContextVar("_WHO")


class _Tools:
    """RuleTools that say in which thread they are called, and for whom."""

    def __init__(self, *, wait_s: float = 0.0) -> None:
        self.wait_s = wait_s
        self.called: list[str] = []
        self.begun = asyncio.Event()
        self.ended: list[str] = []

    async def use(self, tool: str, **args: object) -> Mapping[str, Any]:
        self.called.append(tool)
        self.begun.set()
        try:
            await asyncio.sleep(self.wait_s)
        except asyncio.CancelledError:
            self.ended.append(tool)
            raise
        if args.get("fails"):
            raise LookupError(tool)
        return {"thread": threading.get_ident(), "who": _WHO.get("")}


async def test_a_rule_that_reads_for_long_holds_up_nobody() -> None:
    reading, others_went_on = threading.Event(), threading.Event()

    async def reads(given: str, tools: RuleTools) -> Judgement:
        del given, tools
        reading.set()
        return Judgement(probability=float(others_went_on.wait(SOON)))

    work = asyncio.create_task(hand_in(reads, "", tools=_Tools()))
    while not (reading.is_set() or work.done()):  # noqa: ASYNC110  # the rule is in a thread
        await asyncio.sleep(0.005)
    others_went_on.set()
    assert (await work).probability == 1.0


async def test_tools_are_called_on_the_loop_for_whoever_asks() -> None:
    async def calls(given: str, tools: RuleTools) -> Judgement:
        reply = await tools.use(given)
        assert reply["who"] == "ann"
        is_apart = reply["thread"] != threading.get_ident()
        return Judgement(probability=float(is_apart and reply["thread"] == here))

    here = threading.get_ident()
    _WHO.set("ann")
    assert (await hand_in(calls, "search", tools=_Tools())).probability == 1.0


async def test_what_a_tool_raises_reaches_the_caller() -> None:
    async def calls(given: str, tools: RuleTools) -> Judgement:
        await tools.use(given, fails=True)
        return Judgement(probability=0.0)

    with pytest.raises(LookupError, match="search"):
        await hand_in(calls, "search", tools=_Tools())


async def test_a_caller_that_goes_away_ends_the_calls() -> None:
    async def calls(given: str, tools: RuleTools) -> Judgement:
        for _ in range(100):
            await tools.use(given)
        return Judgement(probability=0.0)

    tools = _Tools(wait_s=30.0)
    work = asyncio.create_task(hand_in(calls, "search", tools=tools))
    await tools.begun.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert (tools.called, tools.ended) == (["search"], ["search"])
    await asyncio.sleep(0.05)
    assert tools.called == ["search"]
