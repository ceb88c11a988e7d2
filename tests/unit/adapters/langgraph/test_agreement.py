"""Both walkers on the same graphs: equal final states and equal events, branch by branch."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from unit.runtime import flow_world
from unit.runtime.flow_world import World
from unit.runtime.test_engine_children import (
    TREES,
    Call,
    Fork,
    Spread,
    Tree,
    Trial,
    sketched,
)
from unit.runtime.test_engine_graphs import (
    FLOWS,
    Choice,
    Fan,
    Leaf,
    Row,
    Tangled,
    Turns,
    drawn,
    meaning,
    run_through,
)
from weft.domain.event import RunEvent
from weft.flows.replay.comparison import differences, settled
from weft.ports.records.runs import RunStatus
from weft.runtime.amounts import Limits
from weft.runtime.flow import FlowSpec

pytest.importorskip("langgraph")

LEAF, FAILS, ASKS = Leaf(), Leaf(fails=True), Leaf(asks=True)
HEAD, LOST = Leaf(optional=True), Leaf(fails=True, optional=True)


def row(*blocks: Leaf | Fan | Choice | Turns) -> Row:
    return Row(blocks)


GRAPHS = {
    "one": row(LEAF),
    "chain": row(LEAF, LEAF, LEAF),
    "a failure": row(LEAF, FAILS, LEAF),
    "an optional failure": row(LEAF, LOST, LEAF),
    "a question": row(LEAF, ASKS, LEAF),
    "two questions": row(ASKS, ASKS),
    "a fork": row(Fan((row(LEAF), row(LEAF, LEAF)))),
    "a fork of three": row(LEAF, Fan((row(LEAF), row(LEAF), row(LEAF))), LEAF),
    "a fork that asks twice": row(Fan((row(ASKS, LEAF), row(LEAF, ASKS)))),
    "an optional branch that fails": row(Fan((row(HEAD, FAILS), row(LEAF, LEAF)))),
    "an optional head that fails": row(Fan((row(LOST, LEAF), row(LEAF)))),
    "a fork in a fork": row(Fan((row(Fan((row(LEAF), row(LEAF))), LEAF), row(LEAF)))),
    "a choice": row(Choice((row(LEAF), row(LEAF, LEAF)))),
    "a loop past its bound": row(Turns(row(LEAF), wanted=3, bound=2)),
    "a loop round a fork": row(Turns(row(Fan((row(LEAF), row(LEAF)))), wanted=1, bound=2)),
    "a loop that asks": row(Turns(row(ASKS), wanted=1, bound=1), LEAF),
}
CALL = Call()
MAPS: dict[str, Sequence[Tree]] = {
    "a map": [Spread((CALL,), 3)],
    "a map of nobody": [Spread((CALL,), 0), CALL],
    "a map in a map": [Spread((Spread((CALL, CALL), 2),), 2)],
    "maps side by side": [Fork(((Spread((CALL,), 2),), (CALL, Spread((CALL,), 1))))],
}


async def walked(flow: FlowSpec, way: str) -> tuple[World, RunStatus, object]:
    flow_world.WALKING.append(way)
    try:
        return await run_through(flow)
    finally:
        flow_world.WALKING.pop()


async def mapped(flow: FlowSpec, way: str) -> tuple[list[RunEvent], object, object]:
    flow_world.WALKING.append(way)
    try:
        trial = Trial()
        outcome = await trial.through(flow, killed_at=-1)
        return trial.record.events, outcome.state.get("log"), outcome.usage
    finally:
        flow_world.WALKING.pop()


def check(flow: FlowSpec) -> None:
    one, status, state = asyncio.run(walked(flow, "simple"))
    other, other_status, other_state = asyncio.run(walked(flow, "langgraph"))
    assert (other_status, other_state) == (status, state)
    then, now = settled(one.record.events), settled(other.record.events)
    assert differences(then, now) == []
    assert len(then) == len(now)


def check_map(flow: FlowSpec) -> None:
    events, log, usage = asyncio.run(mapped(flow, "simple"))
    others, other_log, other_usage = asyncio.run(mapped(flow, "langgraph"))
    assert (other_log, other_usage) == (log, usage)
    assert differences(events, others) == []
    assert len(events) == len(others)


def test_there_are_twenty() -> None:
    assert len(GRAPHS) + len(MAPS) == 20


@pytest.mark.parametrize("name", GRAPHS)
def test_both_walk_a_fixed_graph_alike(name: str) -> None:
    check(drawn(GRAPHS[name]))


@pytest.mark.parametrize("name", MAPS)
def test_both_walk_fixed_maps_alike(name: str) -> None:
    check_map(sketched(MAPS[name]))


@settings(max_examples=60)
@given(FLOWS)
def test_both_walk_any_graph_alike(row: Row) -> None:
    try:
        meaning(row)
    except Tangled:  # how far siblings of a failure came is a matter of time
        assume(False)
    except Exception:  # noqa: BLE001  # the run fails, in both ways alike
        pass
    check(drawn(row))


@settings(max_examples=25)
@given(st.lists(TREES, min_size=1, max_size=2).map(tuple), st.none() | st.integers(0, 12))
def test_both_walk_any_maps_alike_within_any_budget(
    row: tuple[Tree, ...], tokens: int | None
) -> None:
    flow = sketched(row)
    if tokens is None:
        check_map(flow)
        return
    limited = replace(flow, budget=Limits(tokens=tokens))
    events, _, usage = asyncio.run(spent(limited, "simple"))
    others, _, other_usage = asyncio.run(spent(limited, "langgraph"))
    assert other_usage == usage
    assert differences(events, others) == []


async def spent(flow: FlowSpec, way: str) -> tuple[list[RunEvent], object, object]:
    flow_world.WALKING.append(way)
    try:
        trial = Trial()
        here = trial.world()
        here.behaviours = {**here.behaviours, "take": flow_world.logs}
        outcome = await here.engine.run(flow, flow_world.seed())
        return trial.record.events, outcome.state.get("log"), outcome.usage
    finally:
        flow_world.WALKING.pop()
