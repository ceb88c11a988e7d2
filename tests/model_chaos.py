"""Many questions to a model that misbehaves, and a count of what became of them."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from model_server import (
    Body,
    Fault,
    Say,
    evidence_of,
    hand_in,
    misbehaving,
    output_schema,
    output_tool,
)
from rag_world import make_world, plain_search
from scripted_model import scripted_model
from weft.domain.answer import Answer
from weft.platform.identity import local_owner
from weft.runtime.context import current_run

OPENED = "The Harbour Bridge was opened by Ada Lindqvist on 14 March 1932."
QUESTION = "When was the Harbour Bridge opened?"
_AT_ONCE = 8
# No run may take longer: the deadline of a role is 60 s, and the offline rules need no time.
_HUNG_S = 90.0


@dataclass(slots=True)
class Tally:
    """What became of the runs: by the model, offline and said to be, anything else."""

    runs: int = 0
    by_model: int = 0
    offline_said: int = 0
    wrong: int = 0
    hung: int = 0
    tools_twice: int = 0
    requests: int = 0
    seconds: list[float] = field(default_factory=list)
    faults: Counter[Fault] = field(default_factory=Counter)

    @property
    def success(self) -> float:
        """Return the share of runs with a right answer, whose maker is said."""
        return (self.by_model + self.offline_said) / self.runs

    def line(self, share: float) -> str:
        """Return the counts in a line."""
        slow = sorted(self.seconds)
        p50, p95 = slow[len(slow) // 2], slow[int(len(slow) * 0.95)]
        return (
            f"p={share}: {self.runs} runs, {self.requests} requests, {sum(self.faults.values())} "
            f"faults; success {self.success:.1%} (model {self.by_model / self.runs:.1%}, offline "
            f"and said {self.offline_said / self.runs:.1%}), wrong {self.wrong}, hung {self.hung}, "
            f"tools run twice {self.tools_twice}; p50 {p50:.1f} s, p95 {p95:.1f} s, "
            f"max {slow[-1]:.1f} s"
        )


def searching(body: Body) -> Say:
    """Route if asked to; search once, then hand in what was found."""
    wanted = output_schema(body)["properties"]
    if "specialist" in wanted or "side" in wanted:
        chosen = {"specialist": "vector"} if "specialist" in wanted else {"side": "lpg"}
        return Say(calls=[(output_tool(body), chosen)])
    if not evidence_of(body):
        return Say(calls=[("rag_search", {"query": "Harbour Bridge opened"})])
    return hand_in(body, (OPENED, [evidence_of(body)[0]["id"]]))


async def chaos(share: float, runs: int, *, seed: int, flow: str = "") -> Tally:
    """Ask the same question so many times of a model that fails in a share of its replies."""
    tally = Tally()
    searched: Counter[tuple[str, str]] = Counter()

    async def search(*args: Any, **named: Any) -> Any:
        searched[current_run().run_id, named["query"].text] += 1
        return await plain_search(*args, **named)

    script, tally.faults = misbehaving(searching, share, seed=seed)
    async with scripted_model(script, timeout_s=1.0, max_retries=3) as (model, server):
        world = make_world(model=model, search=search)
        world.shelf.put("harbour.md", f"{OPENED} It is 1,149 metres long.", title="Harbour Bridge")
        slots = asyncio.Semaphore(_AT_ONCE)

        async def one() -> None:
            async with slots:
                began = time.monotonic()
                try:
                    async with asyncio.timeout(_HUNG_S):
                        _count(tally, await world.ask(local_owner(), QUESTION, flow=flow))
                except TimeoutError:
                    tally.hung += 1
                tally.runs += 1
                tally.seconds.append(time.monotonic() - began)

        await asyncio.gather(*(one() for _ in range(runs)))
    tally.requests = len(server.requests)
    tally.tools_twice = sum(times > 1 for times in searched.values())
    return tally


def _count(tally: Tally, answer: Answer) -> None:
    if OPENED not in answer.answer:
        tally.wrong += 1
    elif not answer.offline:
        tally.by_model += 1
    elif any("answered offline" in note for note in answer.notes):
        tally.offline_said += 1
    else:
        tally.wrong += 1
