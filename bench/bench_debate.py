"""Measure a debate over eight knowledge bases: its wall time beside its slowest agent's.

Usage: python bench/bench_debate.py [--bases 8] [--ms 300] [--rounds 5], with PYTHONPATH=tests: the
model is the scripted one of the tests, which takes so many milliseconds for each reply.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable
from typing import Any

from debate_world import OPENED, debate_world, debated, shelf
from flow.test_debate_models import agreeing
from model_server import Body, Say, model_server
from rag_world import World
from weft.adapters.llm.model import ModelChoice, build_model, close
from weft.platform.identity import local_owner
from weft.platform.time import SystemClock


def slow(seconds: float) -> Callable[[Body], Say]:
    """Return a script that takes its time."""

    def script(body: Body) -> Say:
        time.sleep(seconds)
        return agreeing(body)

    return script


async def measured(world: World, names: list[str]) -> tuple[float, float, float]:
    """Return in seconds how long a debate took, its slowest agent, and its supervisor."""
    began = time.perf_counter()
    outcome = await debated(world, local_owner(), names)
    wall = time.perf_counter() - began
    told: dict[str, Any] = dict(outcome.payload)
    assert told["debate_state"] == "ready", told["agent_statuses"]
    assert not outcome.answer.offline, outcome.answer.notes
    ms = {kind: [s["ms"] for s in told["trace_steps"] if s["type"] == kind] for kind in _KINDS}
    return wall, max(ms["DEBATE"]) / 1000, ms["SYNTHESIS"][0] / 1000


def _world(names: list[str], model: object) -> World:
    """Return a world of its own for each round: its tape would answer the next one."""
    shelves = {name: shelf(OPENED) for name in names}
    return debate_world(shelves, model=model, clock=SystemClock())


_KINDS = ("DEBATE", "SYNTHESIS")


async def main(bases: int, ms: int, rounds: int) -> None:
    """Print each round, the worst one last."""
    names = [f"Base{number}" for number in range(bases)]
    worst = 0.0
    with model_server(slow(ms / 1000)) as server:
        model = build_model(ModelChoice(name="openai:scripted", base_url=server.base_url))
        await measured(_world(names, model), names)  # the first one brings in the framework
        for _ in range(rounds):
            wall, slowest, supervisor = await measured(_world(names, model), names)
            ratio = wall / (slowest + supervisor)
            worst = max(worst, ratio)
            print(
                f"{bases} knowledge bases, {ms} ms a reply: wall {wall:.3f} s, slowest agent "
                f"{slowest:.3f} s, supervisor {supervisor:.3f} s, ratio {ratio:.3f}"
            )
        await close(model)
    print(f"worst ratio {worst:.3f} (goal: at most 1.05)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bases", type=int, default=8)
    parser.add_argument("--ms", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    asyncio.run(main(given.bases, given.ms, given.rounds))
