"""Many debates of a model that misbehaves, and a count of what became of them."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import Any

from debate_world import OPENED, QUESTION, debate_world, debated, shelf
from flow.test_debate_models import agreeing
from model_chaos import Tally
from model_server import misbehaving
from rag_world import plain_search
from scripted_model import scripted_model
from weft.domain.answer import Answer
from weft.platform.identity import local_owner
from weft.runtime.context import current_run

BASES = ("Archive", "City", "Press")
_AT_ONCE = 6
# An agent and the supervisor have 60 s each for their role, and the rules need no time.
_HUNG_S = 150.0


class CountedSearch:
    """Searches, and counts how often the same was searched in one run."""

    def __init__(self) -> None:
        self.times: Counter[tuple[str, tuple[str, ...], str]] = Counter()

    async def __call__(self, bases: Any, *args: Any, **named: Any) -> Any:
        names = tuple(base.name for base in bases)
        self.times[current_run().run_id, names, named["query"].text] += 1
        return await plain_search(bases, *args, **named)


async def debate_chaos(share: float, runs: int, *, seed: int) -> Tally:
    """Debate the same question so many times with a model that fails in a share of its replies."""
    tally, search = Tally(), CountedSearch()
    script, tally.faults = misbehaving(agreeing, share, seed=seed)
    async with scripted_model(script, timeout_s=1.0, max_retries=3) as (model, server):
        slots = asyncio.Semaphore(_AT_ONCE)

        async def one() -> None:
            # A world each: what one run tapes is nobody else's to recall.
            shelves = {name: shelf(OPENED) for name in BASES}
            world = debate_world(shelves, model=model, search=search)
            async with slots:
                began = time.monotonic()
                try:
                    async with asyncio.timeout(_HUNG_S):
                        outcome = await debated(world, local_owner(), BASES, QUESTION)
                        _count(tally, outcome.answer)
                except TimeoutError:
                    tally.hung += 1
                tally.runs += 1
                tally.seconds.append(time.monotonic() - began)

        await asyncio.gather(*(one() for _ in range(runs)))
    tally.requests = len(server.requests)
    tally.tools_twice = sum(times > 1 for times in search.times.values())
    return tally


def _count(tally: Tally, answer: Answer) -> None:
    cited = {c.knowledge_base for one in answer.sentences for c in one.citations}
    if OPENED not in answer.answer or cited != set(BASES):
        tally.wrong += 1
    elif any("answered offline" in note for note in answer.notes):
        tally.offline_said += 1
    else:
        tally.by_model += not answer.offline
        tally.wrong += answer.offline
