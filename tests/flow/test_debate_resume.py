"""A debate whose process died goes on: killed at any save, it ends as the calm one."""

from __future__ import annotations

from typing import Any

import pytest

from debate_world import OPENED, OTHERWISE, Losses, debate_world, debated, shelf
from flow.test_debate_models import agreeing, modelled
from rag_world import Killed, Shelf
from weft.domain.ids import RunId
from weft.flows.asking import FlowOutcome
from weft.platform.identity import local_owner
from weft.ports.records.runs import RunStatus

pytestmark = pytest.mark.anyio
RUN = RunId("debate1")
BASES = ("Archive", "Gone", "Press")


def shelves() -> dict[str, Shelf]:
    return {"Archive": shelf(OPENED), "Gone": shelf(OTHERWISE), "Press": shelf(OTHERWISE)}


def told(outcome: FlowOutcome) -> object:
    """Return all of an outcome but the milliseconds."""
    payload: dict[str, Any] = dict(outcome.payload)
    steps = [{**step, "ms": 0} for step in payload["trace_steps"]]
    return outcome.answer.answer, outcome.answer.notes, {**payload, "trace_steps": steps}


@pytest.mark.parametrize("rounds", [1, 2])
async def test_killed_at_any_save_it_ends_as_the_calm_one(rounds: int) -> None:
    losses = Losses(stale=["Gone"])
    calm = debate_world(shelves(), losses)
    expected = await debated(calm, local_owner(), BASES, run_id=RUN, rounds=rounds)
    calls = set(calm.tool_runs.calls)
    assert calm.runs.saves >= 8
    for save in range(1, calm.runs.saves + 1):
        here = debate_world(shelves(), losses)
        here.runs.dies_at = save
        with pytest.raises(Killed):
            await debated(here, local_owner(), BASES, run_id=RUN, rounds=rounds)
        here.runs.dies_at = -1
        outcome = await here.flows.resume(local_owner(), RUN)
        assert told(outcome) == told(expected), save
        assert set(here.tool_runs.calls) == calls
        assert here.runs.ended == {RUN: RunStatus.FINISHED}


async def test_no_model_is_asked_twice_but_for_the_calls_under_way() -> None:
    async with modelled(agreeing, shelves()) as (calm, server):
        expected = await debated(calm, local_owner(), BASES, run_id=RUN)
        asked, saves = len(server.requests), calm.runs.saves
    for save in range(1, saves + 1):
        async with modelled(agreeing, shelves()) as (here, server):
            here.runs.dies_at = save
            with pytest.raises(Killed):
                await debated(here, local_owner(), BASES, run_id=RUN)
            here.runs.dies_at = -1
            outcome = await here.flows.resume(local_owner(), RUN)
            assert outcome.answer.answer == expected.answer.answer
            # One for each agent that was waiting for its reply.
            assert len(server.requests) <= asked + len(BASES), save
