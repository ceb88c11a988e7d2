from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from unit.runtime.flow_world import RUN, SCOPE, Record, World, chain, flow_of, logs, seed
from weft.domain.errors import BadInput, InvalidFlow, NotFound
from weft.domain.event import EventType
from weft.domain.outside.limits import reader_of
from weft.ports.records.runs import RunStatus
from weft.runtime.amounts import Limits, Usage
from weft.runtime.context import NodeResult, RunContext, RunSeed
from weft.runtime.flow import FlowSpec, NodeKind, NodeSpec

pytestmark = pytest.mark.anyio


def node(name: str, uses: str = "", **more: object) -> NodeSpec:
    return reader_of(NodeSpec).validate_python({"id": name, "uses": uses or name, **more})


class Counting:
    """Counts how often each node ran, and asks as often as it is told."""

    def __init__(self, questions: int = 1) -> None:
        self.runs: dict[str, int] = {}
        self.questions = questions

    async def logs(self, ctx: RunContext) -> NodeResult:
        self.runs[ctx.path] = self.runs.get(ctx.path, 0) + 1
        return NodeResult(state_patch={"log": [ctx.path]})

    async def asks(self, ctx: RunContext) -> NodeResult:
        self.runs[ctx.path] = self.runs.get(ctx.path, 0) + 1
        heard = [await ctx.ask({"question": n}) for n in range(self.questions)]
        return NodeResult(state_patch={"log": [ctx.path], "heard": heard})


def world_of(counting: Counting, record: Record | None = None) -> World:
    return World({"log": counting.logs, "ask": counting.asks}, record=record or Record())


def flow() -> FlowSpec:
    return chain("a", "q", "b", uses={"a": "log", "q": "ask", "b": "log"})


def fork() -> FlowSpec:
    names = [node("x", "log"), node("q", "ask"), node("r", "ask"), node("r2", "log")]
    return flow_of(
        [node("s", "log"), NodeSpec(id="p", kind=NodeKind.PARALLEL), *names, node("j", "log")],
        ["s > p", "p >p x", "p >p q", "p >p r", "x > j", "q > j", "r > r2", "r2 > j"],
    )


async def test_a_question_suspends_and_an_answer_resumes_where_it_stood() -> None:
    counting = Counting()
    world = world_of(counting)
    waiting = await world.engine.run(flow(), seed(given="x"))
    assert waiting.status is RunStatus.SUSPENDED
    assert [(q.key, q.path, q.request) for q in waiting.questions] == [
        ("q?0", "q", {"question": 0})
    ]
    assert world.record.saved[-1][0] is RunStatus.SUSPENDED
    assert world.record.types[-1] == "suspended"
    done = await world.engine.resume(flow(), seed(), answers={"q?0": "yes"})
    assert done.status is RunStatus.FINISHED
    assert done.state == {"given": "x", "log": ("a", "q", "b"), "heard": ("yes",)}
    assert counting.runs == {"a": 1, "q": 2, "b": 1}
    assert [event.seq for event in world.record.events] == list(range(1, done.seq + 1))
    resumed = world.record.of("resumed")[0]
    assert resumed.data == {"answers": ["q?0"], "after": resumed.seq - 1}
    assert world.record.types[-1] == "run_finished"


async def test_a_node_may_ask_again() -> None:
    counting = Counting(questions=2)
    world = world_of(counting)
    await world.engine.run(flow(), seed())
    again = await world.engine.resume(flow(), seed(), answers={"q?0": "one"})
    assert [question.key for question in again.questions] == ["q?1"]
    done = await world.engine.resume(flow(), seed(), answers={"q?1": "two"})
    assert done.state["heard"] == ("one", "two")
    assert counting.runs == {"a": 1, "q": 3, "b": 1}


async def test_branches_end_or_wait_each_for_itself() -> None:
    counting = Counting()
    world = world_of(counting)
    waiting = await world.engine.run(fork(), seed())
    assert [question.key for question in waiting.questions] == ["q?0", "r?0"]
    still = await world.engine.resume(fork(), seed(), answers={"r?0": "right"})
    assert [question.key for question in still.questions] == ["q?0"]
    done = await world.engine.resume(fork(), seed(), answers={"q?0": "left"})
    assert done.state == {"log": ("s", "x", "q", "r", "r2", "j"), "heard": ("left", "right")}
    assert counting.runs == {"s": 1, "x": 1, "q": 3, "r": 2, "r2": 1, "j": 1}


async def test_answers_known_beforehand_suspend_nothing() -> None:
    known = RunSeed(run_id=RUN, scope=SCOPE, answers={"q?0": "known"})
    world = World(world_of(Counting()).behaviours, keeps_frontier=False)
    outcome = await world.engine.run(flow(), known)
    assert outcome.state["heard"] == ("known",)


async def test_without_a_store_a_question_fails_the_node() -> None:
    world = World(world_of(Counting()).behaviours, keeps_frontier=False)
    outcome = await world.engine.run(flow(), seed())
    assert outcome.status is RunStatus.FAILED
    assert isinstance(outcome.error, BadInput)
    with pytest.raises(NotFound):
        await world.engine.resume(flow(), seed())


async def test_what_cannot_be_resumed_is_said() -> None:
    world = world_of(Counting())
    with pytest.raises(NotFound):
        await world.engine.resume(flow(), seed())
    await world.engine.run(flow(), seed())
    other = chain("a", "q", "c", uses={"a": "log", "q": "ask", "c": "log"})
    with pytest.raises(InvalidFlow, match="changed"):
        await world.engine.resume(other, seed())


async def test_a_question_is_no_error_that_a_node_could_swallow() -> None:
    async def hides(ctx: RunContext) -> NodeResult:
        try:
            await ctx.ask({})
        except Exception:  # noqa: BLE001 - a node like this one is what is tested
            return NodeResult(state_patch={"hidden": True})
        return NodeResult()

    outcome = await World({"a": hides}).engine.run(chain("a"), seed())
    assert outcome.status is RunStatus.SUSPENDED


async def test_a_run_whose_process_died_repeats_one_model_call_at_most() -> None:
    counting = Counting()
    gate, begun = asyncio.Event(), asyncio.Event()

    async def dies(ctx: RunContext) -> NodeResult:
        counting.runs[ctx.path] = counting.runs.get(ctx.path, 0) + 1
        begun.set()
        await gate.wait()
        return NodeResult(state_patch={"log": [ctx.path]})

    spec = flow_of(
        [
            node("a", "log", kind=NodeKind.AGENT),
            node("t", "log"),
            node("b", "die", kind=NodeKind.AGENT),
        ],
        ["a > t", "t > b"],
    )
    behaviours = {"log": counting.logs, "die": dies}
    first = World(behaviours)
    running = asyncio.create_task(first.engine.run(spec, seed()))
    await begun.wait()
    # What a killed process leaves behind: the last frontier, and the events up to the last flush.
    left = Record(events=list(first.record.events), frontiers=dict(first.record.frontiers))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    gate.set()
    world = World(behaviours, record=left)
    done = await world.engine.resume(spec, seed(), last_seq=left.events[-1].seq)
    assert done.state == {"log": ("a", "t", "b")}
    assert counting.runs == {"a": 1, "t": 1, "b": 2}
    assert [event.seq for event in left.events] == list(range(1, done.seq + 1))


async def test_the_budget_goes_on_from_where_it_was() -> None:
    async def spends(ctx: RunContext) -> NodeResult:
        ctx.budget.reserve(Usage(tokens=60)).settle(Usage(tokens=60))
        return NodeResult()

    async def spends_and_asks(ctx: RunContext) -> NodeResult:
        # Entered anew it spends as before: on calls that are on the tape, and paid for already.
        await spends(ctx)
        await ctx.ask({"for": ctx.path})
        return NodeResult()

    spec = chain("a", "b")
    limited = replace(spec, budget=Limits(tokens=100, wall_s=10))
    world = World({"a": spends_and_asks, "b": spends})
    await world.engine.run(limited, seed())
    assert world.record.of("budget_updated")[0].data == {"tokens": 60}
    world.clock.seconds = 8
    broke = await world.engine.resume(limited, seed(), answers={"a?0": 1})
    assert broke.status is RunStatus.FAILED
    assert broke.usage.tokens == 60
    more = RunSeed(run_id=RUN, scope=SCOPE, limits=Limits(tokens=500))
    done = await world.engine.resume(limited, more, answers={"a?0": 1}, last_seq=broke.seq)
    assert done.status is RunStatus.FINISHED
    assert done.usage.tokens == 120


async def test_a_state_that_cannot_be_saved_is_said_at_once() -> None:
    async def keeps(ctx: RunContext) -> NodeResult:
        return NodeResult(state_patch={"thing": object()})

    spec = flow_of([node("a", kind=NodeKind.AGENT), node("b")], ["a > b"])
    world = World({"a": keeps, "b": logs})
    with pytest.raises(BadInput, match="cannot keep a object"):
        await world.engine.run(spec, seed())
    assert world.record.events[-1].type is EventType.RUN_FAILED
