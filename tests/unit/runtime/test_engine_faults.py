from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from patience import SOON
from unit.runtime.flow_world import (
    Record,
    World,
    breaks,
    chain,
    flow_of,
    logs,
    seed,
    writes,
)
from weft.domain.errors import (
    Cancelled,
    ModelUnavailable,
    NodeFailed,
    PolicyViolation,
    StoreUnavailable,
    WeftError,
)
from weft.domain.event import EventType, RunEvent
from weft.domain.outside.limits import reader_of
from weft.domain.scope import Scope
from weft.ports.records.runs import RunStatus
from weft.runtime.context import NodeResult, RunContext
from weft.runtime.events import LINGER_S
from weft.runtime.flow import FlowSpec, NodeKind, NodeSpec, Retry

pytestmark = pytest.mark.anyio
# Seconds of a node that only its cancellation ends.
LONG_S = 2 * SOON


def node(name: str, uses: str = "", **more: object) -> NodeSpec:
    return reader_of(NodeSpec).validate_python({"id": name, "uses": uses or name, **more})


def fan(*heads: NodeSpec, after: Sequence[str] = ()) -> FlowSpec:
    """Return a fork of branches of two nodes: each head and then `<head>2`."""
    seconds = [node(f"{head.id}2", "log") for head in heads]
    edges = [f"p >p {head.id}" for head in heads]
    edges += [f"{head.id} > {head.id}2" for head in heads]
    edges += [f"{head.id}2 > j" for head in heads]
    fork = NodeSpec(id="p", kind=NodeKind.PARALLEL)
    return flow_of([fork, *heads, *seconds, node("j", "log")], edges)


class Counted:
    """Fails so many times, then succeeds."""

    def __init__(self, failures: int, error: Exception) -> None:
        self.calls = 0
        self.failures = failures
        self.error = error

    async def __call__(self, ctx: RunContext) -> NodeResult:
        self.calls += 1
        if self.calls <= self.failures:
            raise self.error
        return NodeResult(state_patch={"done": self.calls})


def retried(attempts: int) -> FlowSpec:
    return flow_of([node("a", retry=Retry(attempts=attempts, backoff_s=0.001))], [])


async def test_a_failed_node_fails_the_run_and_leaves_the_state() -> None:
    world = World({"a": writes("n", 1), "b": breaks, "c": logs})
    outcome = await world.engine.run(chain("a", "b", "c"), seed())
    assert outcome.status is RunStatus.FAILED
    assert outcome.state == {"n": 1}
    assert isinstance(outcome.error, NodeFailed)
    assert isinstance(outcome.error.__cause__, ValueError)
    assert world.record.types[-2:] == ["node_failed", "run_failed"]
    assert world.record.events[-1].data == {
        "node": "b",
        "code": "node_failed",
        "message": "it raised ValueError",
    }
    assert "secret" not in repr(world.record.events)


async def test_a_result_with_an_error_is_a_failure() -> None:
    async def reports(ctx: RunContext) -> NodeResult:
        return NodeResult(state_patch={"n": 1}, error="no luck")

    outcome = await World({"a": reports}).engine.run(chain("a"), seed())
    assert outcome.status is RunStatus.FAILED
    assert outcome.state == {}
    assert outcome.error is not None
    assert outcome.error.message == "no luck"


async def test_retries_end_with_success_or_with_the_last_error() -> None:
    passing = Counted(2, ModelUnavailable())
    outcome = await World({"a": passing}).engine.run(retried(3), seed())
    assert outcome.state == {"done": 3}
    failing = Counted(9, ModelUnavailable("gone"))
    world = World({"a": failing})
    outcome = await world.engine.run(retried(3), seed())
    assert failing.calls == 3
    assert isinstance(outcome.error, ModelUnavailable)
    assert world.record.of("node_failed")[0].data["attempts"] == 3
    assert len(world.record.of("node_started")) == 1


async def test_what_cannot_change_is_not_retried() -> None:
    refused = Counted(9, PolicyViolation())
    outcome = await World({"a": refused}).engine.run(retried(5), seed())
    assert refused.calls == 1
    assert isinstance(outcome.error, PolicyViolation)


async def test_a_timeout_really_stops_the_node() -> None:
    stopped: list[str] = []

    async def sleeps(ctx: RunContext) -> NodeResult:
        try:
            await asyncio.sleep(30)
        finally:
            stopped.append(ctx.path)
        return NodeResult()

    flow = flow_of([node("a", timeout_s=0.02), node("b", "log")], ["a > b"])
    world = World({"a": sleeps, "log": logs})
    outcome = await world.engine.run(flow, seed())
    assert outcome.status is RunStatus.FAILED
    assert stopped == ["a"]
    assert outcome.error is not None
    assert outcome.error.message == "it took longer than 0.02 s"


async def test_an_optional_nodes_failure_is_noted_and_the_run_goes_on() -> None:
    flow = flow_of([node("a", "bad", optional=True), node("b", "log")], ["a > b"])
    world = World({"bad": breaks, "log": logs})
    outcome = await world.engine.run(flow, seed())
    assert outcome.status is RunStatus.FINISHED
    note = {"node": "a", "code": "node_failed", "message": "it raised ValueError"}
    assert outcome.state == {"errors": (note,), "log": ("b",)}
    assert world.record.of("node_failed")[0].data == note | {"attempts": 1, "optional": True}


async def test_an_optional_branch_fails_without_stopping_its_siblings() -> None:
    flow = fan(node("x", "bad", optional=True), node("y", "slow"))

    async def slow(ctx: RunContext) -> NodeResult:
        await asyncio.sleep(0.01)
        return await logs(ctx)

    world = World({"bad": breaks, "slow": slow, "log": logs})
    outcome = await world.engine.run(flow, seed())
    assert outcome.status is RunStatus.FINISHED
    assert outcome.state["log"] == ("y", "y2", "j")
    errors = outcome.state["errors"]
    assert isinstance(errors, tuple)
    assert errors[0]["node"] == "x"


async def test_an_optional_branch_keeps_what_it_did_before_it_failed() -> None:
    flow = fan(node("x", "log", optional=True), node("y", "log"))
    nodes = tuple(n if n.id != "x2" else replace(n, uses="bad") for n in flow.nodes)
    world = World({"bad": breaks, "log": logs})
    outcome = await world.engine.run(replace(flow, nodes=nodes), seed())
    assert outcome.state["log"] == ("x", "y", "y2", "j")
    assert world.record.of("node_started")[-1].sources == ("x2", "y2")


async def test_another_branchs_failure_cancels_the_siblings_first() -> None:
    told: list[str] = []

    async def slow(ctx: RunContext) -> NodeResult:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            told.append("cancelled")
            raise
        return NodeResult()

    world = World({"bad": breaks, "slow": slow, "log": logs})
    outcome = await world.engine.run(fan(node("x", "slow"), node("y", "bad")), seed())
    assert outcome.status is RunStatus.FAILED
    assert told == ["cancelled"]
    assert outcome.state == {}
    assert world.record.types[-1] == "run_failed"


async def test_a_cancellation_from_within_is_a_failure_not_a_cancelled_run() -> None:
    async def stray(ctx: RunContext) -> NodeResult:
        raise asyncio.CancelledError

    world = World({"a": stray})
    outcome = await world.engine.run(chain("a"), seed())
    assert outcome.status is RunStatus.FAILED
    assert world.record.types[-1] == "run_failed"


async def test_a_node_that_learns_of_the_cancellation_ends_the_run() -> None:
    async def told(ctx: RunContext) -> NodeResult:
        raise Cancelled

    world = World({"a": told})
    outcome = await world.engine.run(chain("a"), seed())
    assert outcome.status is RunStatus.CANCELLED
    assert world.record.types[-1] == "run_cancelled"


async def cancelled(world: World, flow: FlowSpec, at_work: asyncio.Barrier) -> float:
    """Cancel a run once all its nodes are at work; return the seconds until it was over."""
    running = asyncio.create_task(world.engine.run(flow, seed()))
    await at_work.wait()
    begun = time.monotonic()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    return time.monotonic() - begun


async def test_a_cancelled_run_stops_its_nodes_and_says_so() -> None:
    told, at_work = list[str](), asyncio.Barrier(3)

    async def sleeps(ctx: RunContext) -> NodeResult:
        await at_work.wait()
        try:
            await asyncio.sleep(LONG_S)
        except asyncio.CancelledError:
            told.append(ctx.path)
            raise
        return NodeResult()

    world = World({"sleep": sleeps, "log": logs})
    assert await cancelled(world, fan(node("x", "sleep"), node("y", "sleep")), at_work) < SOON
    assert sorted(told) == ["x", "y"]
    assert world.record.types[-1] == "run_cancelled"


async def test_a_node_that_ignores_its_cancellation_does_not_hold_up_the_run() -> None:
    let_go, called, at_work = asyncio.Event(), list[str](), asyncio.Barrier(2)

    async def after(ctx: RunContext) -> NodeResult:
        called.append(ctx.path)
        return NodeResult()

    async def stubborn(ctx: RunContext) -> NodeResult:
        await at_work.wait()
        while not let_go.is_set():
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                continue
        ctx.emit(EventType.TOKENS, {"late": True})
        return NodeResult(state_patch={"late": True})

    world = World({"a": stubborn, "b": after})
    assert await cancelled(world, chain("a", "b"), at_work) < SOON
    assert world.record.types == ["run_started", "node_started", "run_cancelled"]
    let_go.set()
    await asyncio.sleep(LINGER_S * 4)
    assert world.record.types[-1] == "run_cancelled"
    assert called == []


@pytest.mark.parametrize("failing", [1, 2, 3])
async def test_a_failing_sink_stops_the_run_and_leaves_no_gap(
    failing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a slow machine the batch that fails would be one that is sent again a moment later.
    monkeypatch.setattr("weft.runtime.events.LINGER_S", 60.0)
    called: list[str] = []

    async def notes(ctx: RunContext) -> NodeResult:
        called.append(ctx.path)
        return NodeResult(state_patch={"n": 1})

    world = World({"n": notes}, keeps_frontier=False, record=Record(failing={failing}))
    flow = chain("a", "b", "c", uses=dict.fromkeys("abc", "n"))
    with pytest.raises(StoreUnavailable):
        await world.engine.run(flow, seed())
    assert called == ["a", "b", "c"][:failing]
    assert [event.seq for event in world.record.events] == list(
        range(1, len(world.record.events) + 1)
    )
    assert world.record.types[-1] == "run_failed"
    assert world.record.events[-1].data == {"code": "store_unavailable"}


async def test_a_sink_that_stays_down_is_what_the_caller_hears_of() -> None:
    world = World({"a": logs}, record=Record(failing=set(range(1, 99))))
    with pytest.raises(StoreUnavailable):
        await world.engine.run(chain("a"), seed())
    assert world.record.events == []


async def test_a_sink_that_hangs_does_not_hold_up_a_cancelled_run() -> None:
    class Hanging(Record):
        async def append(self, scope: Scope, events: Sequence[RunEvent]) -> None:
            if self.events:
                await asyncio.sleep(LONG_S)
            await super().append(scope, events)

    at_work = asyncio.Barrier(2)

    async def sleeps(ctx: RunContext) -> NodeResult:
        await at_work.wait()
        await asyncio.sleep(LONG_S)
        return NodeResult()

    world = World({"a": sleeps}, record=Hanging())
    assert await cancelled(world, chain("a"), at_work) < SOON


async def test_a_lost_acknowledgement_doubles_no_event() -> None:
    class Forgetful(Record):
        lost = False

        async def append(self, scope: Scope, events: Sequence[RunEvent]) -> None:
            await super().append(scope, events)
            if not self.lost:
                self.lost = True
                raise StoreUnavailable

    world = World({"a": logs}, record=Forgetful())
    with pytest.raises(StoreUnavailable):
        await world.engine.run(chain("a"), seed())
    seqs = [event.seq for event in world.record.events]
    assert seqs == list(range(1, len(seqs) + 1))
    assert world.record.types[-1] == "run_failed"


async def test_every_kind_of_fault_ends_in_one_last_event() -> None:
    faults: list[BaseException] = [ValueError(), TimeoutError(), WeftError(), Cancelled()]
    for fault in faults:

        async def fails(ctx: RunContext, fault: BaseException = fault) -> NodeResult:
            raise fault

        world = World({"x": fails, "y": logs, "log": logs})
        await world.engine.run(fan(node("x"), node("y")), seed())
        ends = [t for t in world.record.types if t.startswith("run_") and t != "run_started"]
        assert ends == world.record.types[-1:]
