from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from unit.runtime.flow_world import Behaviour, World, chain, flow_of, goes, logs, seed
from weft.domain.errors import BudgetExceeded
from weft.domain.outside.limits import reader_of
from weft.ports.records.runs import RunStatus
from weft.runtime.amounts import Limits, Usage
from weft.runtime.context import NodeResult, RunContext
from weft.runtime.flow import FlowSpec, NodeKind, NodeSpec

pytestmark = pytest.mark.anyio


def node(name: str, uses: str = "", **more: object) -> NodeSpec:
    return reader_of(NodeSpec).validate_python({"id": name, "uses": uses or name, **more})


def calls(tokens: int) -> Behaviour:
    """Return a node that makes one call of so many tokens."""

    async def behaviour(ctx: RunContext) -> NodeResult:
        with ctx.budget.spending(Usage(tokens=tokens)) as held:
            await asyncio.sleep(0)
            held.settle(Usage(tokens=tokens))
        return NodeResult(state_patch={"log": [ctx.path]})

    return behaviour


def limited(flow: FlowSpec, limits: Limits, budget_exit: str = "") -> FlowSpec:
    return replace(flow, budget=limits, budget_exit=budget_exit)


async def test_a_run_past_its_budget_goes_to_the_declared_exit() -> None:
    world = World({"call": calls(40)})
    names = dict.fromkeys(["a", "b", "c", "w"], "call")
    flow = limited(chain("a", "b", "c", "w", uses=names), Limits(tokens=100), "w")
    outcome = await world.engine.run(flow, seed())
    assert outcome.status is RunStatus.FINISHED
    assert outcome.state["log"] == ("a", "b", "w")
    # Three calls of 40 against 100: past the limit by less than the one that writes.
    assert outcome.usage.tokens == 120
    exceeded = world.record.of("budget_exceeded")
    assert [event.data["dimension"] for event in exceeded] == ["tokens"]
    assert world.record.of("node_failed")[0].data["code"] == "budget_exceeded"


async def test_without_an_exit_the_run_fails() -> None:
    world = World({"call": calls(60)})
    flow = limited(chain("a", "b", uses=dict.fromkeys("ab", "call")), Limits(tokens=100))
    outcome = await world.engine.run(flow, seed())
    assert outcome.status is RunStatus.FAILED
    assert isinstance(outcome.error, BudgetExceeded)
    assert world.record.types[-2:] == ["budget_exceeded", "run_failed"]


async def test_the_way_out_has_one_call_and_no_loops() -> None:
    flow = flow_of(
        [
            node("a", "call"),
            node("w", "call"),
            node("v", "log", outcomes=()),
            node("x", "call"),
        ],
        ["a > w", "w > v", "v >*5 w", "v > x"],
        budget_exit="w",
    )
    world = World({"call": calls(80), "log": logs})
    outcome = await world.engine.run(limited(flow, Limits(tokens=100), "w"), seed())
    assert outcome.status is RunStatus.FAILED
    assert outcome.state["log"] == ("a", "w#2", "v")
    assert outcome.usage.tokens == 160
    assert len(world.record.of("budget_exceeded")) == 1


async def test_usage_reported_by_a_result_counts() -> None:
    async def reports(ctx: RunContext) -> NodeResult:
        return NodeResult(usage=Usage(tokens=70), state_patch={"log": [ctx.path]})

    names = dict.fromkeys("abc", "report") | {"w": "log"}
    flow = limited(chain("a", "b", "c", "w", uses=names), Limits(tokens=100), "w")
    world = World({"report": reports, "log": logs})
    outcome = await world.engine.run(flow, seed())
    assert outcome.state["log"] == ("a", "b", "w")


async def test_turns_of_a_loop_are_iterations() -> None:
    flow = flow_of(
        [node("a", "log"), node("b", "again", outcomes=("again", "done")), node("w", "log")],
        ["a > b", "b >again*9 a", "b > w"],
    )
    world = World({"log": logs, "again": goes("again")})
    outcome = await world.engine.run(limited(flow, Limits(iterations=2), "w"), seed())
    assert outcome.state["log"] == ("a", "a#2", "w")
    assert outcome.usage.iterations == 2
    assert [event.data for event in world.record.of("budget_updated")] == [{"iterations": 1}] * 2


async def test_without_a_turn_a_loop_is_not_begun() -> None:
    flow = flow_of(
        [node("a", "log"), node("b", "log"), node("w", "log")],
        ["a > b", "b >*9 b", "b > w"],
    )
    world = World({"log": logs})
    outcome = await world.engine.run(limited(flow, Limits(iterations=0), "w"), seed())
    assert outcome.state["log"] == ("a", "w")
    assert outcome.usage.iterations == 0


async def test_wall_time_is_checked_at_every_node() -> None:
    world = World({"log": logs})

    async def takes(ctx: RunContext) -> NodeResult:
        world.clock.seconds += 6
        return await logs(ctx)

    world.behaviours = {"take": takes, "log": logs}
    names = dict.fromkeys("abc", "take") | {"w": "log"}
    flow = limited(chain("a", "b", "c", "w", uses=names), Limits(wall_s=10), "w")
    outcome = await world.engine.run(flow, seed())
    assert outcome.state["log"] == ("a", "b", "w")


async def test_branches_keep_what_they_have_when_the_budget_ends() -> None:
    fork = NodeSpec(id="p", kind=NodeKind.PARALLEL)
    heads = [node(name, "call") for name in ("x", "x2", "y", "y2", "w")]
    edges = ["p >p x", "p >p y", "x > x2", "y > y2", "x2 > w", "y2 > w"]
    world = World({"call": calls(40)})
    flow = limited(flow_of([fork, *heads], edges), Limits(tokens=100), "w")
    outcome = await world.engine.run(flow, seed())
    assert outcome.status is RunStatus.FINISHED
    # Each branch ends alone at its share of 50; then the run itself has no room for another 40.
    assert outcome.state["log"] == ("x", "y", "w#2")
    assert [error["node"] for error in outcome.state["errors"]] == ["x2", "y2"]  # type: ignore[attr-defined]
    assert len(world.record.of("budget_exceeded")) == 3
    assert outcome.usage.tokens == 120


async def test_an_optional_node_does_not_hide_that_the_budget_is_spent() -> None:
    flow = flow_of(
        [node("a", "call", optional=True), node("b", "log"), node("w", "log")], ["a > b", "b > w"]
    )
    world = World({"call": calls(60), "log": logs})
    outcome = await world.engine.run(limited(flow, Limits(tokens=50), "w"), seed())
    assert outcome.state == {"log": ("w",)}
