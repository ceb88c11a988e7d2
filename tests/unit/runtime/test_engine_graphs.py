"""The kernel against a plain reading of the same flow, on graphs that hypothesis makes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from unit.runtime.flow_world import RUN, SCOPE, World, flow_of, seed
from weft.domain.event import TERMINAL, EventType, RunEvent
from weft.domain.outside.limits import reader_of
from weft.ports.records.runs import RunStatus
from weft.runtime.context import EMPTY, NodeResult, RunContext, RunSeed
from weft.runtime.flow import FlowSpec, NodeKind, NodeSpec
from weft.runtime.state import merge


class Broken(Exception):
    """The reference run fails."""


class Tangled(Broken):
    """It fails within a fork: how far the siblings came is a matter of time."""


@dataclass(frozen=True)
class Leaf:
    """One node: whether it fails, asks a person, and is optional."""

    fails: bool = False
    asks: bool = False
    optional: bool = False


@dataclass(frozen=True)
class Row:
    """Blocks one after the other."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Fan:
    """Blocks side by side."""

    branches: tuple[Row, ...]


@dataclass(frozen=True)
class Choice:
    """One of several blocks, by the number of visits so far."""

    ways: tuple[Row, ...]


@dataclass(frozen=True)
class Turns:
    """A block that runs `wanted` times more, but no more than `bound`."""

    block: Row
    wanted: int
    bound: int


Block = Leaf | Fan | Choice | Turns


def _blocks(inner: st.SearchStrategy[Block]) -> st.SearchStrategy[Block]:
    row = st.lists(inner, min_size=1, max_size=2).map(lambda blocks: Row(tuple(blocks)))
    rows = st.lists(row, min_size=2, max_size=3).map(tuple)
    turns = st.builds(Turns, block=row, wanted=st.integers(0, 3), bound=st.integers(1, 2))
    return rows.map(Fan) | rows.map(Choice) | turns


LEAVES = st.builds(
    Leaf,
    fails=st.sampled_from([False, False, False, True]),
    asks=st.sampled_from([False, False, True]),
    optional=st.booleans(),
)
BLOCKS: st.SearchStrategy[Block] = st.recursive(LEAVES, _blocks, max_leaves=8)
FLOWS = st.lists(BLOCKS, min_size=1, max_size=3).map(lambda blocks: Row(tuple(blocks)))


@dataclass
class Drawing:
    """Turns blocks into nodes and edges; `leaves` keeps what each node does."""

    nodes: list[NodeSpec] = field(default_factory=list)
    edges: list[str] = field(default_factory=list)
    leaves: dict[str, Leaf] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)

    def add(self, spec: Mapping[str, object]) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(reader_of(NodeSpec).validate_python({"id": name, "uses": "leaf", **spec}))
        return name

    def row(self, row: Row) -> tuple[str, str]:
        """Draw the blocks of a row and return its first and its last node."""
        ends = [self.block(block) for block in row.blocks]
        for (_, before), (after, _) in pairwise(ends):
            self.edges.append(f"{before} > {after}")
        return ends[0][0], ends[-1][1]

    def block(self, block: Block) -> tuple[str, str]:
        if isinstance(block, Leaf):
            name = self.add({"optional": block.optional, "params": vars(block)})
            return name, name
        if isinstance(block, Turns):
            return self._turns(block)
        rows = block.branches if isinstance(block, Fan) else block.ways
        if isinstance(block, Fan):
            first = self.add({"kind": NodeKind.PARALLEL, "uses": ""})
        else:
            outcomes = tuple(f"w{number}" for number in range(len(rows)))
            first = self.add({"kind": NodeKind.DECISION, "uses": "choice", "outcomes": outcomes})
        ends = [self.row(row) for row in rows]
        last = self.add({"params": vars(Leaf())})
        for number, (head, tail) in enumerate(ends):
            way = ">p" if isinstance(block, Fan) else f">w{number}"
            self.edges += [f"{first} {way} {head}", f"{tail} > {last}"]
        return first, last

    def _turns(self, block: Turns) -> tuple[str, str]:
        head = self.add({"params": vars(Leaf())})
        first, last = self.row(block.block)
        judge = self.add(
            {"uses": "turn", "outcomes": ("again", "done"), "params": {"wanted": block.wanted}}
        )
        tail = self.add({"params": vars(Leaf())})
        self.edges += [f"{head} > {first}", f"{last} > {judge}", f"{judge} > {tail}"]
        self.edges.append(f"{judge} >again*{block.bound} {head}")
        return head, tail


def drawn(row: Row) -> FlowSpec:
    drawing = Drawing()
    first, _ = drawing.row(row)
    assert first == "n0"
    return flow_of(drawing.nodes, drawing.edges)


@dataclass
class Reference:
    """Runs the blocks themselves, numbering nodes as `Drawing` does."""

    visits: dict[str, int] = field(default_factory=dict)
    state: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    next_name: int = 0

    def visit(self, name: str) -> str:
        count = self.visits[name] = self.visits.get(name, 0) + 1
        return name if count == 1 else f"{name}#{count}"

    def note(self, path: str) -> None:
        error = {"node": path, "code": "node_failed", "message": "it raised ValueError"}
        self.state = merge(self.state, {"errors": [error]})

    def leaf(self, name: str, leaf: Leaf, *, is_head: bool) -> None:
        path = self.visit(name)
        if not leaf.fails:
            self.state = merge(self.state, {"log": [path], "last": path})
        elif leaf.optional and not is_head:
            self.note(path)
        else:
            raise Broken(path)


def meaning(row: Row) -> Mapping[str, object]:
    """Return the state the flow ends in, or raise `Broken` with the path that failed it."""
    reference = Reference()
    _row(reference, row, start=0, head="")
    return reference.state


def _size(block: Block | Row) -> int:
    if isinstance(block, Leaf):
        return 1
    if isinstance(block, Row):
        return sum(_size(inner) for inner in block.blocks)
    if isinstance(block, Turns):
        return 3 + _size(block.block)
    rows = block.branches if isinstance(block, Fan) else block.ways
    return 2 + sum(_size(inner) for inner in rows)


def _row(reference: Reference, row: Row, *, start: int, head: str) -> None:
    for block in row.blocks:
        _block(reference, block, start=start, head=head)
        start += _size(block)


def _block(reference: Reference, block: Block, *, start: int, head: str) -> None:
    name = f"n{start}"
    if isinstance(block, Leaf):
        reference.leaf(name, block, is_head=name == head)
    elif isinstance(block, Turns):
        _turns(reference, block, start=start, head=head)
    else:
        reference.visit(name)
        rows = block.branches if isinstance(block, Fan) else block.ways
        starts = [start + 1 + sum(_size(row) for row in rows[:i]) for i in range(len(rows))]
        if isinstance(block, Fan):
            _fan(reference, rows, starts=starts)
        else:
            way = (reference.visits[name] - 1) % len(rows)
            _row(reference, rows[way], start=starts[way], head=head)
        reference.leaf(f"n{start + _size(block) - 1}", Leaf(), is_head=False)


def _fan(reference: Reference, rows: tuple[Row, ...], *, starts: list[int]) -> None:
    before, merged = reference.state, reference.state
    for row, start in zip(rows, starts, strict=True):
        branch = Reference(visits=reference.visits, state=EMPTY)
        first = row.blocks[0]
        optional = isinstance(first, Leaf) and first.optional
        try:
            _row(branch, row, start=start, head=f"n{start}" if optional else "")
        except Broken as failure:
            if not optional:
                raise Tangled(str(failure)) from failure
            assume(not isinstance(failure, Tangled))
            branch.note(str(failure))
        # In a branch of lists and single values the patches add up to the branch's own state.
        patch = {k: list(v) if isinstance(v, tuple) else v for k, v in branch.state.items()}
        merged = merge(merged, patch)
    assert reference.state is before
    reference.state = merged


def _turns(reference: Reference, block: Turns, *, start: int, head: str) -> None:
    judge, tail = f"n{start + _size(block) - 2}", f"n{start + _size(block) - 1}"
    for turn in range(block.bound + 1):
        reference.leaf(f"n{start}", Leaf(), is_head=False)
        _row(reference, block.block, start=start + 1, head=head)
        reference.visit(judge)
        if turn >= block.wanted:
            break
    reference.leaf(tail, Leaf(), is_head=False)


def visit_of(path: str) -> int:
    return int(path.partition("#")[2] or 1)


async def do_leaf(ctx: RunContext) -> NodeResult:
    if ctx.params["asks"]:
        await ctx.ask({"of": ctx.path})
    await asyncio.sleep(0)
    if ctx.params["fails"]:
        raise ValueError("broken")
    return NodeResult(state_patch={"log": [ctx.path], "last": ctx.path})


def world_for(flow: FlowSpec) -> World:
    sizes = {node.id: len(node.outcomes) for node in flow.nodes}
    bounds = {edge.source: edge.bound or 0 for edge in flow.edges if edge.bound}
    turned: dict[str, int] = {}

    async def do_choice(ctx: RunContext) -> NodeResult:
        name = ctx.path.partition("#")[0]
        return NodeResult(goto=f"w{(visit_of(ctx.path) - 1) % sizes[name]}")

    async def do_judge(ctx: RunContext) -> NodeResult:
        name, wanted = ctx.path.partition("#")[0], ctx.params["wanted"]
        assert isinstance(wanted, int)
        turn = turned.get(name, 0)
        again = turn < wanted
        # What follows the bound is the first turn of the next entry into the loop.
        turned[name] = turn + 1 if again and turn < bounds[name] else 0
        return NodeResult(goto="again" if again else "done")

    return World({"leaf": do_leaf, "choice": do_choice, "turn": do_judge})


async def run_through(flow: FlowSpec) -> tuple[World, RunStatus, Mapping[str, object]]:
    """Run a flow to its end, answering whatever it asks, and return what came of it."""
    world = world_for(flow)
    outcome = await world.engine.run(flow, seed())
    while outcome.status is RunStatus.SUSPENDED:
        answers = {question.key: "yes" for question in outcome.questions}
        outcome = await world.engine.resume(flow, seed(), answers=answers)
    return world, outcome.status, outcome.state


def timeless(events: list[RunEvent]) -> list[RunEvent]:
    return [replace(event, ts=events[0].ts) for event in events]


@settings(max_examples=150)
@given(FLOWS)
def test_the_state_is_what_the_flow_means(row: Row) -> None:
    _, status, state = asyncio.run(run_through(drawn(row)))
    try:
        expected = meaning(row)
    except Broken:
        assert status is RunStatus.FAILED
    else:
        assert status is RunStatus.FINISHED
        assert state == expected


@settings(max_examples=100)
@given(FLOWS)
def test_a_run_is_numbered_without_gaps_and_ends_in_one_last_event(row: Row) -> None:
    world, _, _ = asyncio.run(run_through(drawn(row)))
    events = world.record.events
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert [event for event in events if event.type in TERMINAL] == events[-1:]
    assert events[0].type is EventType.RUN_STARTED
    finished = [event.node for event in world.record.of("node_finished")]
    assert len(finished) == len(set(finished))


@settings(max_examples=60)
@given(FLOWS)
def test_the_same_flow_gives_the_same_events(row: Row) -> None:
    flow = drawn(row)
    first, _, _ = asyncio.run(run_through(flow))
    again, _, _ = asyncio.run(run_through(flow))
    assert timeless(first.record.events) == timeless(again.record.events)


@settings(max_examples=60)
@given(FLOWS)
def test_answers_known_or_asked_for_end_in_the_same_state(row: Row) -> None:
    flow = drawn(row)
    asked, status, state = asyncio.run(run_through(flow))
    keys = [str(event.data["key"]) for event in asked.record.of("suspended")]
    known = RunSeed(run_id=RUN, scope=SCOPE, answers=dict.fromkeys(keys, "yes"))

    async def at_once() -> None:
        outcome = await world_for(flow).engine.run(flow, known)
        # A failing sibling may have stopped a branch before it could ask.
        assert outcome.status in (status, RunStatus.SUSPENDED)
        if outcome.status is RunStatus.FINISHED:
            assert outcome.state == state

    asyncio.run(at_once())
