"""Much research with a model that misbehaves, and a count of what became of it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import Any

from model_chaos import Tally
from model_server import misbehaving
from rag_world import make_world, plain_search
from research_world import COST, OPENED, SHIPS, Researcher, researched, shelf_of_three
from scripted_model import scripted_model
from weft.flows.asking import FlowOutcome
from weft.retrieval.hits import Found, Query

_AT_ONCE = 6
# A section takes five roles one after the other, of 60 s each, and the rules need no time.
_HUNG_S = 400.0


class CountedSearch:
    """Searches, and counts how often the very same was searched."""

    def __init__(self) -> None:
        self.times: Counter[str] = Counter()

    async def __call__(self, *args: Any, query: Query) -> Found:
        self.times[repr(query)] += 1
        return await plain_search(*args, query=query)


async def research_chaos(share: float, runs: int, *, seed: int) -> Tally:
    """Look into the same question so many times with a model that fails in a share of replies."""
    tally = Tally()
    script, tally.faults = misbehaving(Researcher(), share, seed=seed)
    async with scripted_model(script, timeout_s=1.0, max_retries=3) as (model, server):
        slots = asyncio.Semaphore(_AT_ONCE)

        async def one() -> None:
            # A world each: what one run tapes is nobody else's to recall.
            search = CountedSearch()
            world = make_world(model=model, shelf=shelf_of_three(), search=search)
            async with slots:
                began = time.monotonic()
                try:
                    async with asyncio.timeout(_HUNG_S):
                        _count(tally, await researched(world, mode="deep"))
                except TimeoutError:
                    tally.hung += 1
                tally.runs += 1
                tally.seconds.append(time.monotonic() - began)
            tally.tools_twice += sum(times > 1 for times in search.times.values())

        await asyncio.gather(*(one() for _ in range(runs)))
    tally.requests = len(server.requests)
    return tally


def _count(tally: Tally, outcome: FlowOutcome) -> None:
    """A report must cite; what the model left out of it must be said to have failed."""
    answer = outcome.answer
    said = {one.text for one in answer.sentences}
    if not said & {OPENED, COST, SHIPS} or not all(one.citations for one in answer.sentences):
        tally.wrong += 1
    elif any("answered offline" in note for note in answer.notes):
        tally.offline_said += 1
    else:
        tally.by_model += not answer.offline
        tally.wrong += answer.offline
