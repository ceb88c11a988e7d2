"""Small flows, nodes made of functions, a clock and stores in memory, for the kernel's tests."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from weft.domain.errors import StoreUnavailable
from weft.domain.event import RunEvent
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.records.runs import RunStatus
from weft.runtime.context import Node, NodeResult, RunContext, RunSeed
from weft.runtime.engines.engine import FlowEngine
from weft.runtime.engines.task_walker import TaskWalker
from weft.runtime.engines.walking import Walker
from weft.runtime.flow import Edge, EdgeKind, FlowSpec, NodeSpec

SCOPE = Scope(
    tenant="local", actor="user:ann", principals=frozenset({"user:ann"}), permissions=frozenset()
)
RUN = RunId("run-1")
Behaviour = Callable[[RunContext], Awaitable[NodeResult]]


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime(2026, 11, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def elapsed(self) -> float:
        return self.seconds


@dataclass
class Does:
    """A node that does what a function says."""

    behaviour: Behaviour

    async def run(self, ctx: RunContext) -> NodeResult:
        return await self.behaviour(ctx)


@dataclass
class Record:
    """Keeps events and frontiers as a database would: as JSON; fails when it is told to."""

    events: list[RunEvent] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    frontiers: dict[RunId, str] = field(default_factory=dict)
    saved: list[tuple[RunStatus, str]] = field(default_factory=list)
    failing: set[int] = field(default_factory=set)

    async def append(self, scope: Scope, events: Sequence[RunEvent]) -> None:
        self.batches.append(len(events))
        if len(self.batches) in self.failing:
            raise StoreUnavailable
        there = {(event.run_id, event.seq) for event in self.events}
        for event in events:
            json.dumps(event.data)
            if (event.run_id, event.seq) not in there:
                self.events.append(event)

    async def save_frontier(
        self,
        scope: Scope,
        run_id: RunId,
        *,
        frontier: Mapping[str, object],
        status: RunStatus = RunStatus.RUNNING,
    ) -> None:
        self.frontiers[run_id] = json.dumps(frontier)
        self.saved.append((status, self.frontiers[run_id]))

    async def load_frontier(self, scope: Scope, run_id: RunId) -> Mapping[str, object] | None:
        text = self.frontiers.get(run_id)
        return None if text is None else dict(json.loads(text))

    @property
    def types(self) -> list[str]:
        return [event.type.value for event in self.events]

    def of(self, *types: str) -> list[RunEvent]:
        return [event for event in self.events if event.type.value in types]


# How the engines of the tests at hand walk: the last one counts.
WALKING: list[str] = ["simple"]


def walker() -> Walker:
    """Return a walker as the tests at hand want it; its checkpoints are in memory."""
    if WALKING[-1] == "simple":
        return TaskWalker()
    from weft.adapters.langgraph.checkpoints import Checkpoints
    from weft.adapters.langgraph.walker import LangGraphWalker

    return LangGraphWalker(Checkpoints("memory:"))


@dataclass
class World:
    """An engine over functions, with everything it writes."""

    behaviours: Mapping[str, Behaviour]
    keeps_frontier: bool = True
    record: Record = field(default_factory=Record)
    clock: Clock = field(default_factory=Clock)
    walks: Walker = field(default_factory=walker)

    @property
    def engine(self) -> FlowEngine:
        nodes: dict[str, Node] = {name: Does(does) for name, does in self.behaviours.items()}
        store = self.record if self.keeps_frontier else None
        engine = FlowEngine(nodes, self.record, clock=self.clock, frontier_store=store)
        return engine.under(self.walks)


def seed(**state: object) -> RunSeed:
    return RunSeed(run_id=RUN, scope=SCOPE, state=state)


def writes(key: str, value: object) -> Behaviour:
    async def behaviour(ctx: RunContext) -> NodeResult:
        return NodeResult(state_patch={key: value})

    return behaviour


def goes(*ways: str) -> Behaviour:
    """Return one outcome after the other, the last one for ever."""
    left = list(ways)

    async def behaviour(ctx: RunContext) -> NodeResult:
        return NodeResult(goto=left.pop(0) if len(left) > 1 else left[0])

    return behaviour


async def logs(ctx: RunContext) -> NodeResult:
    """Append the visit's path to the log."""
    return NodeResult(state_patch={"log": [ctx.path]})


async def breaks(ctx: RunContext) -> NodeResult:
    raise ValueError("secret of the document")


def chain(*names: str, uses: Mapping[str, str] | None = None) -> FlowSpec:
    """Return nodes in a row; each uses what has its own name, or what `uses` says."""
    chosen = uses or {}
    return FlowSpec(
        name="chain",
        entry=names[0],
        exits=(names[-1],),
        nodes=tuple(NodeSpec(id=name, uses=chosen.get(name, name)) for name in names),
        edges=tuple(Edge(source=a, target=b) for a, b in pairwise(names)),
    )


def flow_of(nodes: Iterable[NodeSpec], edges: Iterable[str], **more: object) -> FlowSpec:
    """Return a flow from edges written as `a > b`, `a >p b`, `a >yes b` or `a >again*3 b`.

    The entry is the first node, the exits are those no edge leaves.
    """
    given = tuple(nodes)
    drawn = tuple(_edge(text) for text in edges)
    left = {edge.source for edge in drawn}
    data: dict[str, object] = {
        "name": "flow",
        "entry": given[0].id,
        "exits": tuple(node.id for node in given if node.id not in left),
        "nodes": given,
        "edges": drawn,
        **more,
    }
    return FlowSpec.from_data(data)


def _edge(text: str) -> Edge:
    source, way, target = text.split()
    label = way[1:]
    if label == "p":
        return Edge(source=source, target=target, kind=EdgeKind.PARALLEL)
    if "*" in label:
        when, _, bound = label.partition("*")
        kind = EdgeKind.LOOP
        return Edge(source=source, target=target, kind=kind, when=when or None, bound=int(bound))
    if label:
        return Edge(source=source, target=target, kind=EdgeKind.CONDITIONAL, when=label)
    return Edge(source=source, target=target)
