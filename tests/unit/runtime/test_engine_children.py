"""Map nodes and child runs: one record, budgets that share, resumed after a kill at any save."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, cast

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from unit.runtime.flow_world import (
    RUN,
    WALKING,
    Behaviour,
    Record,
    World,
    breaks,
    chain,
    flow_of,
    logs,
    seed,
)
from weft.domain.errors import InvalidFlow
from weft.domain.outside.limits import reader_of
from weft.domain.scope import Scope
from weft.ports.records.runs import RunStatus
from weft.runtime.amounts import Limits, Usage, shares
from weft.runtime.context import ChildResult, ChildSeed, ChildStatus, NodeResult, RunContext
from weft.runtime.control import RunControl
from weft.runtime.flow import FlowSpec, NodeKind, NodeSpec
from weft.runtime.outcome import RunOutcome
from weft.runtime.plan import compile_flow

pytestmark = pytest.mark.anyio


def mapped(child: FlowSpec, *, most: int = 16, **more: object) -> FlowSpec:
    """Return a flow that maps a child over what `plan` says and then takes what came of it."""
    spread = NodeSpec(
        id="each", kind=NodeKind.MAP, uses="plan", flow=child.name, into="parts", most=most
    )
    return flow_of([spread, NodeSpec(id="join", uses="join")], ["each > join"],
                   children=(child,), **more)  # fmt: skip


def plans(*keys: str, weights: Mapping[str, int] | None = None) -> Behaviour:
    async def behaviour(ctx: RunContext) -> NodeResult:
        chosen = weights or {}
        return NodeResult(
            children=tuple(
                ChildSeed(key=key, state={"name": key}, weight=chosen.get(key, 1)) for key in keys
            )
        )

    return behaviour


async def joins(ctx: RunContext) -> NodeResult:
    parts = ctx.state["parts"]
    assert isinstance(parts, tuple)
    told = tuple((one.key, one.status.value, one.state.get("log", ())) for one in parts)
    return NodeResult(state_patch={"told": told})


def world(**behaviours: Behaviour) -> World:
    known: dict[str, Behaviour] = {
        "plan": plans("a", "b"),
        "join": joins,
        "log": logs,
        "break": breaks,
    }
    return World({**known, **behaviours})


CHILD = replace(chain("log", "next", uses={"next": "log"}), name="part")


async def test_children_have_paths_states_and_events_of_their_own_in_one_record() -> None:
    here = world()
    outcome = await here.engine.run(mapped(CHILD), seed())
    assert outcome.state["told"] == (
        ("a", "finished", ("each/a/log", "each/a/next")),
        ("b", "finished", ("each/b/log", "each/b/next")),
    )
    assert [event.seq for event in here.record.events] == list(range(1, outcome.seq + 1))
    assert here.record.types.count("run_finished") == 1
    begun = {event.node: event.parent for event in here.record.of("node_started")}
    assert begun["each/a"] == "each"
    assert begun["each/a/log"] == "each/a"
    assert begun["each/a/next"] == "each/a/log"
    [joined] = [event for event in here.record.of("node_started") if event.node == "join"]
    assert joined.sources == ("each/a", "each/b")


async def test_a_child_that_fails_ends_alone_and_is_named() -> None:
    async def one_breaks(ctx: RunContext) -> NodeResult:
        return await (breaks if ctx.state["name"] == "b" else logs)(ctx)

    here = world(log=one_breaks, plan=plans("a", "b", "c"))
    outcome = await here.engine.run(mapped(CHILD), seed())
    parts = outcome.state["parts"]
    assert isinstance(parts, tuple)
    assert [part.status for part in parts] == ["finished", "failed", "finished"]
    assert (parts[1].code, parts[1].message) == ("node_failed", "it raised ValueError")
    failed = {event.node for event in here.record.of("node_failed")}
    assert failed == {"each/b", "each/b/log"}


async def test_no_child_at_all_is_an_empty_list() -> None:
    outcome = await world(plan=plans()).engine.run(mapped(CHILD), seed())
    assert outcome.state["told"] == ()


@pytest.mark.parametrize("keys", [("a", "a"), ("a/b",), ("",), tuple("abcde")])
async def test_children_without_keys_of_their_own_or_too_many_fail_the_node(
    keys: tuple[str, ...],
) -> None:
    outcome = await world(plan=plans(*keys)).engine.run(mapped(CHILD, most=4), seed())
    assert outcome.status is RunStatus.FAILED


def calls(tokens: int, times: int = 1) -> Behaviour:
    async def behaviour(ctx: RunContext) -> NodeResult:
        for _ in range(times):
            with ctx.budget.spending(Usage(tokens=tokens)) as held:
                await asyncio.sleep(0)
                held.settle(Usage(tokens=tokens))
        return NodeResult(state_patch={"log": [ctx.path]})

    return behaviour


async def test_eight_branches_that_each_reserve_a_share_all_go_on() -> None:
    heads = [NodeSpec(id=f"x{n}", uses="call") for n in range(8)]
    nodes = [NodeSpec(id="p", kind=NodeKind.PARALLEL), *heads, NodeSpec(id="j", uses="log")]
    edges = [*(f"p >p {head.id}" for head in heads), *(f"{head.id} > j" for head in heads)]
    flow = flow_of(nodes, edges, budget=Limits(tokens=800), budget_exit="j")
    outcome = await world(call=calls(100)).engine.run(flow, seed())
    assert len(outcome.state["log"]) == 9  # type: ignore[arg-type]
    assert outcome.usage.tokens == 800


async def test_a_child_past_its_share_ends_alone_and_what_it_had_stays() -> None:
    async def spends(ctx: RunContext) -> NodeResult:
        amount = 30 if ctx.state["name"] == "a" else 10
        return await calls(amount)(ctx)

    child = chain("one", "two", uses={"one": "spend", "two": "spend"})
    flow = mapped(replace(child, name="part"), budget=Limits(tokens=80))
    here = world(spend=spends)
    outcome = await here.engine.run(flow, seed())
    assert outcome.status is RunStatus.FINISHED
    assert outcome.state["told"] == (
        ("a", "short", ("each/a/one",)),
        ("b", "finished", ("each/b/one", "each/b/two")),
    )
    [exceeded] = here.record.of("budget_exceeded")
    assert exceeded.data["dimension"] == "tokens"
    assert outcome.usage.tokens == 50


async def test_what_a_child_leaves_of_its_share_returns() -> None:
    child = replace(chain("one", uses={"one": "cheap"}), name="part")

    async def last(ctx: RunContext) -> NodeResult:
        return NodeResult(state_patch={"left": ctx.budget.remaining().tokens})

    flow = mapped(child, budget=Limits(tokens=100))
    outcome = await world(cheap=calls(10), join=last).engine.run(flow, seed())
    assert outcome.state["left"] == 80


async def test_a_child_takes_its_own_exit_when_its_share_is_used_up() -> None:
    child = chain("one", "two", "exit", uses={"one": "call", "two": "call", "exit": "log"})
    child = replace(child, name="part", budget_exit="exit")
    here = world(call=calls(30))
    outcome = await here.engine.run(mapped(child, budget=Limits(tokens=100)), seed())
    told = outcome.state["told"]
    assert told == tuple((key, "short", (f"each/{key}/one", f"each/{key}/exit")) for key in "ab")


async def test_shares_follow_the_weights_and_add_up() -> None:
    seen: dict[str, int | None] = {}

    async def looks(ctx: RunContext) -> NodeResult:
        seen[str(ctx.state["name"])] = ctx.budget.remaining().tokens
        return NodeResult()

    child = replace(chain("look"), name="part")
    plan = plans("a", "b", weights={"a": 3, "b": 1})
    await world(plan=plan, look=looks).engine.run(mapped(child, budget=Limits(tokens=101)), seed())
    assert seen == {"a": 76, "b": 25}


@given(st.integers(0, 10_000), st.lists(st.integers(1, 9), min_size=1, max_size=9))
def test_shares_of_whole_numbers_add_up(tokens: int, weights: list[int]) -> None:
    divided = shares(Limits(tokens=tokens), weights)
    assert sum(one.tokens or 0 for one in divided) == tokens
    assert all(one.wall_s is None and one.money is None for one in divided)


async def test_a_run_whose_budget_is_raised_goes_on() -> None:
    control = RunControl()

    async def raises(ctx: RunContext) -> NodeResult:
        control.grant(Limits(tokens=100))
        return await logs(ctx)

    names = {"a": "call", "b": "raise", "c": "call"}
    flow = replace(chain("a", "b", "c", uses=names), budget=Limits(tokens=50))
    here = world(call=calls(50), **{"raise": raises})
    outcome = await here.engine.run(flow, seed(), control=control)
    assert outcome.status is RunStatus.FINISHED
    assert outcome.usage.tokens == 100


async def test_what_is_granted_reaches_the_shares_of_child_runs() -> None:
    control = RunControl()

    async def raises(ctx: RunContext) -> NodeResult:
        control.grant(Limits(tokens=100))
        return await logs(ctx)

    child = replace(chain("a", "b", uses={"a": "raise", "b": "call"}), name="part")
    here = world(plan=plans("one", "two"), call=calls(50), **{"raise": raises})
    outcome = await here.engine.run(mapped(child, budget=Limits(tokens=2)), seed(), control=control)
    assert outcome.status is RunStatus.FINISHED
    assert outcome.usage.tokens == 100
    results = cast("tuple[tuple[str, str, object], ...]", outcome.state["told"])
    assert {status for _, status, _ in results} == {"finished"}


async def test_a_paused_run_stands_still_and_goes_on_later() -> None:
    control = RunControl()

    async def pauses(ctx: RunContext) -> NodeResult:
        control.pause()
        return await logs(ctx)

    flow = mapped(replace(chain("pause", "log"), name="part"))
    here = world(pause=pauses)
    outcome = await here.engine.run(flow, seed(), control=control)
    assert outcome.status is RunStatus.SUSPENDED
    assert here.record.of("suspended")[-1].data == {"paused": True}
    here.behaviours = {**here.behaviours, "pause": logs}
    done = await here.engine.resume(flow, seed(), last_seq=outcome.seq)
    assert done.status is RunStatus.FINISHED
    assert done.state["told"] == tuple(
        (key, "finished", (f"each/{key}/pause", f"each/{key}/log")) for key in "ab"
    )


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"flow": "nobody"}, "none of the flow's children"),
        ({"into": ""}, "where its results go"),
        ({"kind": NodeKind.STATE}, "is no map node"),
        ({"uses": ""}, "does not say what it uses"),
    ],
)
def test_a_map_that_cannot_be_run_is_named(change: dict[str, Any], complaint: str) -> None:
    flow = mapped(CHILD)
    each = replace(flow.nodes[0], **change)
    with pytest.raises(InvalidFlow, match=complaint):
        compile_flow(replace(flow, nodes=(each, *flow.nodes[1:])))


def test_a_child_flow_is_checked_as_its_parent_is() -> None:
    child = replace(CHILD, edges=())
    with pytest.raises(InvalidFlow, match=r"'next'|'log'"):
        compile_flow(mapped(child))


# Random trees: rows of calls, forks and maps within maps, killed at every save.


@dataclass(frozen=True)
class Call:
    """A node that makes one call."""


@dataclass(frozen=True)
class Fork:
    """Rows side by side."""

    rows: tuple[tuple[Tree, ...], ...]


@dataclass(frozen=True)
class Spread:
    """A row that is run once for each of some keys."""

    row: tuple[Tree, ...]
    count: int


Tree = Call | Fork | Spread
ROWS = st.deferred(lambda: st.lists(TREES, min_size=1, max_size=2).map(tuple))
TREES: st.SearchStrategy[Tree] = st.recursive(
    st.just(Call()),
    lambda inner: (
        st.builds(
            Fork,
            rows=st.lists(
                st.lists(inner, min_size=1, max_size=2).map(tuple), min_size=2, max_size=2
            ).map(tuple),
        )
        | st.builds(
            Spread,
            row=st.lists(inner, min_size=1, max_size=2).map(tuple),
            count=st.integers(0, 3),
        )
    ),
    max_leaves=5,
)


@dataclass
class Sketch:
    """One flow in the making."""

    nodes: list[NodeSpec] = field(default_factory=list)
    edges: list[str] = field(default_factory=list)
    children: list[FlowSpec] = field(default_factory=list)
    number: int = 0

    def add(self, **more: object) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(reader_of(NodeSpec).validate_python({"id": name, "uses": "log", **more}))
        return name

    def row(self, row: Sequence[Tree]) -> tuple[str, str]:
        ends = [self.tree(tree) for tree in row]
        self.edges += [f"{before} > {after}" for (_, before), (after, _) in pairwise(ends)]
        return ends[0][0], ends[-1][1]

    def tree(self, tree: Tree) -> tuple[str, str]:
        if isinstance(tree, Call):
            name = self.add(uses="call", kind=NodeKind.AGENT)
            return name, name
        if isinstance(tree, Spread):
            inner = sketched(tree.row, name=f"c{len(self.children)}")
            self.children.append(inner)
            name = self.add(uses="plan", kind=NodeKind.MAP, flow=inner.name, into="parts",
                            params={"count": tree.count})  # fmt: skip
            last = self.add(uses="take")
            self.edges.append(f"{name} > {last}")
            return name, last
        first = self.add(uses="", kind=NodeKind.PARALLEL)
        ends = [self.row(row) for row in tree.rows]
        last = self.add()
        for head, tail in ends:
            self.edges += [f"{first} >p {head}", f"{tail} > {last}"]
        return first, last


def sketched(row: Sequence[Tree], *, name: str = "flow") -> FlowSpec:
    sketch = Sketch()
    sketch.row(row)
    return flow_of(sketch.nodes, sketch.edges, name=name, children=tuple(sketch.children))


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Deadly(Record):
    """A record that kills the process at the n-th save of a frontier."""

    left: int = -1

    async def save_frontier(
        self,
        scope: Scope,
        run_id: object,
        *,
        frontier: Mapping[str, object],
        status: RunStatus = RunStatus.RUNNING,
    ) -> None:
        await super().save_frontier(scope, RUN, frontier=frontier, status=status)
        self.left -= 1
        if self.left == 0:
            raise Killed


@dataclass
class Trial:
    """Trees at work: which calls were made, how often."""

    record: Deadly = field(default_factory=Deadly)
    made: Counter[str] = field(default_factory=Counter)

    def world(self) -> World:
        async def call(ctx: RunContext) -> NodeResult:
            self.made[ctx.path] += 1
            with ctx.budget.spending(Usage(tokens=1)) as held:
                await asyncio.sleep(0)
                held.settle(Usage(tokens=1))
            return NodeResult(state_patch={"log": [ctx.path]})

        async def plan(ctx: RunContext) -> NodeResult:
            count = ctx.params["count"]
            assert isinstance(count, int)
            return NodeResult(children=tuple(ChildSeed(key=f"k{n}") for n in range(count)))

        async def take(ctx: RunContext) -> NodeResult:
            parts = ctx.state["parts"]
            assert isinstance(parts, tuple)
            assert all(isinstance(part, ChildResult) for part in parts)
            assert all(part.status is ChildStatus.FINISHED for part in parts)
            log = [path for part in parts for path in part.state.get("log", ())]
            return NodeResult(state_patch={"log": [*log, ctx.path]})

        nodes = {"call": call, "plan": plan, "take": take, "log": logs}
        return World(nodes, record=self.record)

    async def through(self, flow: FlowSpec, *, killed_at: int) -> RunOutcome:
        self.record.left = killed_at
        here = self.world()
        try:
            return await here.engine.run(flow, seed())
        except Killed:
            self.record.left = -1
            last = max((event.seq for event in self.record.events), default=0)
            return await self.world().engine.resume(flow, seed(), last_seq=last)


@settings(max_examples=15, deadline=None)
@given(st.lists(TREES, min_size=1, max_size=2).map(tuple))
async def test_trees_killed_at_any_save_end_as_the_calm_ones(row: tuple[Tree, ...]) -> None:
    flow = sketched(row)
    calm = Trial()
    expected = await calm.through(flow, killed_at=-1)
    assert expected.status is RunStatus.FINISHED
    assume(len(calm.record.saved) <= 40)  # trees of trees grow past all measure
    # LangGraph takes ten times as long: there it is every third save, another one each time.
    step = 1 if WALKING[-1] == "simple" else 3
    first = 1 + len(calm.record.saved) % step
    for save in range(first, len(calm.record.saved) + 1, step):
        trial = Trial()
        outcome = await trial.through(flow, killed_at=save)
        assert json.dumps(outcome.state.get("log")) == json.dumps(expected.state.get("log"))
        # What was under way when the process died is done again, and nothing that had ended.
        assert set(trial.made) == set(calm.made)
        assert max(trial.made.values(), default=0) <= 2
        seqs = [event.seq for event in trial.record.events]
        assert seqs == list(range(1, len(seqs) + 1))
        assert trial.record.types.count("run_finished") == 1
        assert trial.record.types[-1] == "run_finished"


@settings(max_examples=25, deadline=None)
@given(st.lists(TREES, min_size=1, max_size=2).map(tuple), st.integers(0, 12))
async def test_no_tree_spends_more_than_its_budget(row: tuple[Tree, ...], tokens: int) -> None:
    flow = replace(sketched(row), budget=Limits(tokens=tokens))
    trial = Trial()
    here = trial.world()
    here.behaviours = {**here.behaviours, "take": logs}
    outcome = await here.engine.run(flow, seed())
    assert outcome.usage.tokens <= tokens
    assert outcome.usage.tokens == sum(trial.made.values()) - _refused(trial)


def _refused(trial: Trial) -> int:
    """Return how many calls were refused for want of budget."""
    return sum(
        event.data.get("code") == "budget_exceeded" and event.node in trial.made
        for event in trial.record.of("node_failed")
    )
