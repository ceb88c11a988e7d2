"""A rule at work in a thread of its own: however long it reads, the loop serves everybody else."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from weft.agents.roles import Given, Out, Rule
from weft.agents.toolbox import RuleTools


class _LoopTools:
    """The tools of a rule, called from its thread on the loop that they belong to."""

    def __init__(self, tools: RuleTools) -> None:
        self._tools = tools
        self._loop = asyncio.get_running_loop()
        self._calls: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    async def use(self, tool: str, **args: object) -> Mapping[str, Any]:
        """Return a tool's reply; raises `CancelledError` once nobody waits for the rule."""
        if self._is_closed:
            raise asyncio.CancelledError
        called = asyncio.run_coroutine_threadsafe(self._call(tool, args), self._loop)
        return await asyncio.wrap_future(called)

    async def close(self) -> None:
        """End the calls under way and let no further one begin."""
        self._is_closed = True
        for call in (calls := tuple(self._calls)):
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    async def _call(self, tool: str, args: Mapping[str, object]) -> Mapping[str, Any]:
        task = asyncio.current_task()
        if self._is_closed or task is None:
            raise asyncio.CancelledError
        self._calls.add(task)
        try:
            return await self._tools.use(tool, **args)
        finally:
            self._calls.discard(task)


async def hand_in(rule: Rule[Given, Out], given: Given, *, tools: RuleTools) -> Out:
    """Return what a rule hands in; raises what it or a tool raises.

    A caller that is cancelled ends the tools' calls at once, and the rule at its next one. The
    thread is the rule's own: of a pool that tools use too, rules could take every place.
    """
    across = _LoopTools(tools)
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="weft-rule")
    context = copy_context()

    def work() -> Out:
        return context.run(asyncio.run, _worked(rule, given, across))

    try:
        return await asyncio.get_running_loop().run_in_executor(thread, work)
    finally:
        thread.shutdown(wait=False)
        await across.close()


async def _worked(rule: Rule[Given, Out], given: Given, tools: RuleTools) -> Out:
    return await rule(given, tools)
