"""What the kernel costs: a bare loop, the engine and bare LangGraph, in one process and one run.

LangGraph is no dependency: its row is left out, saying so, where it is not installed.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from typing import TypedDict

from weft.domain.event import RunEvent
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.runtime.context import ChildSeed, Node, NodeResult, RunContext, RunSeed
from weft.runtime.engines.engine import FlowEngine
from weft.runtime.engines.walking import Walker
from weft.runtime.flow import Edge, EdgeKind, FlowSpec, NodeKind, NodeSpec
from weft.runtime.plan import FlowPlan, compile_flow

NODES = 40
ROUNDS = 200
BRANCHES = 8
PAUSE_S = 0.3
SCOPE = Scope(tenant="local", actor="user:o", principals=frozenset(), permissions=frozenset())


class Clock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the time in UTC."""
        return datetime.now(UTC)

    def elapsed(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()


class Memory:
    """Keeps the events of the run that goes on: hoarded, they would be a test of the collector."""

    def __init__(self) -> None:
        self.events: list[RunEvent] = []

    async def append(self, scope: Scope, events: Sequence[RunEvent]) -> None:
        """Add the events; a run's first one begins the list anew."""
        if events[0].seq == 1:
            self.events.clear()
        self.events.extend(events)


class Idle:
    """A node that does nothing."""

    async def run(self, ctx: RunContext) -> NodeResult:
        """Return an empty result."""
        return NodeResult()


class Count:
    """A node that changes one number of the state."""

    async def run(self, ctx: RunContext) -> NodeResult:
        """Return a patch of one key."""
        return NodeResult(state_patch={"n": 1})


class Pause:
    """A node that waits as long as its parameters say."""

    async def run(self, ctx: RunContext) -> NodeResult:
        """Sleep."""
        await asyncio.sleep(float(str(ctx.params["s"])))
        return NodeResult()


def chain(uses: str) -> FlowPlan:
    """Return a chain of `NODES` nodes."""
    names = [f"n{i}" for i in range(NODES)]
    return compile_flow(
        FlowSpec(
            name="chain",
            entry=names[0],
            exits=(names[-1],),
            nodes=tuple(NodeSpec(id=name, uses=uses) for name in names),
            edges=tuple(Edge(source=a, target=b) for a, b in pairwise(names)),
        )
    )


def fan() -> FlowPlan:
    """Return a fork of `BRANCHES` pauses of `PAUSE_S` each."""
    heads = [f"b{i}" for i in range(BRANCHES)]
    return compile_flow(
        FlowSpec(
            name="fan",
            entry="fork",
            exits=("end",),
            nodes=(
                NodeSpec(id="fork", kind=NodeKind.PARALLEL),
                *(NodeSpec(id=head, uses="pause", params={"s": PAUSE_S}) for head in heads),
                NodeSpec(id="end", uses="idle"),
            ),
            edges=(
                *(Edge(source="fork", target=head, kind=EdgeKind.PARALLEL) for head in heads),
                *(Edge(source=head, target="end") for head in heads),
            ),
        )
    )


def mapped() -> FlowPlan:
    """Return a map of a child that pauses over `BRANCHES` seeds."""
    child = FlowSpec(
        name="part",
        entry="pause",
        exits=("pause",),
        nodes=(NodeSpec(id="pause", uses="pause", params={"s": PAUSE_S}),),
    )
    return compile_flow(
        FlowSpec(
            name="map",
            entry="each",
            exits=("end",),
            nodes=(
                NodeSpec(id="each", kind=NodeKind.MAP, uses="seeds", flow="part", into="parts"),
                NodeSpec(id="end", uses="idle"),
            ),
            edges=(Edge(source="each", target="end"),),
            children=(child,),
        )
    )


class Seeds:
    """A node that asks for as many children as there are branches."""

    async def run(self, ctx: RunContext) -> NodeResult:
        """Return them."""
        return NodeResult(children=tuple(ChildSeed(key=f"c{i}") for i in range(BRANCHES)))


def bare_langgraph() -> Callable[[], Awaitable[object]] | None:
    """Return a run of the same chain on LangGraph without checkpoints, None where it is not."""
    try:
        from langgraph.graph import END, START, StateGraph
    except ImportError:
        return None

    class State(TypedDict):
        n: int

    async def count(state: State) -> State:
        return {"n": 1}

    graph = StateGraph(State)
    names = [f"n{i}" for i in range(NODES)]
    for name in names:
        graph.add_node(name, count)
    for one, other in pairwise([START, *names, END]):
        graph.add_edge(one, other)
    compiled = graph.compile()
    return partial(compiled.ainvoke, {"n": 0}, {"recursion_limit": NODES + 10})


def langgraph_walker() -> Walker | None:
    """Return the walker of LangGraph, None where that is not."""
    try:
        from weft.adapters.langgraph.checkpoints import MEMORY, Checkpoints
        from weft.adapters.langgraph.walker import LangGraphWalker
    except ImportError:
        return None
    return LangGraphWalker(Checkpoints(MEMORY))


async def timed(work: Callable[[], Awaitable[object]], rounds: int) -> tuple[float, float]:
    """Return the median wall and CPU seconds of one call."""
    walls, cpus = [], []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        await work()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return statistics.median(walls), statistics.median(cpus)


async def bare(node: Idle | Count) -> None:
    """Await a node as often as the chain does, with nothing around it."""
    for _ in range(NODES):
        await node.run(None)  # type: ignore[arg-type]  # these nodes look at no context


async def main() -> None:
    """Measure and print the table."""
    nodes: dict[str, Node] = {
        "idle": Idle(),
        "count": Count(),
        "pause": Pause(),
        "seeds": Seeds(),
    }
    engine = FlowEngine(nodes, Memory(), clock=Clock())
    seed = RunSeed(run_id=RunId("bench"), scope=SCOPE)
    print(f"{f'per node, us (median of {ROUNDS} chains of {NODES})':48s}   wall    cpu")
    for name, node in (("idle", Idle()), ("count", Count())):
        run = partial(engine.run, chain(name), seed)
        await timed(run, ROUNDS // 4)
        for label, work in (
            (f"await node.run() in a loop, {name}", partial(bare, node)),
            (f"engine, in-memory sink, {name}", run),
        ):
            wall, cpu = await timed(work, ROUNDS)
            print(f"{label:48s} {wall / NODES * 1e6:6.2f} {cpu / NODES * 1e6:6.2f}")
    own = wall
    if beside := bare_langgraph():
        await timed(beside, 5)
        wall, cpu = await timed(beside, ROUNDS // 4)
        row = f"{wall / NODES * 1e6:6.2f} {cpu / NODES * 1e6:6.2f}  x{wall / own:.1f}"
        print(f"{'bare LangGraph, no checkpoints, count':48s} {row}")
    else:
        print("bare LangGraph: not installed here")
    if walker := langgraph_walker():
        under = FlowEngine(nodes, Memory(), clock=Clock()).under(walker)
        run = partial(under.run, chain("count"), seed)
        await timed(run, 5)
        wall, cpu = await timed(run, ROUNDS // 4)
        row = f"{wall / NODES * 1e6:6.2f} {cpu / NODES * 1e6:6.2f}  x{wall / own:.1f}"
        print(f"{'engine under LangGraph, count':48s} {row}")
    slowest, _ = await timed(partial(asyncio.sleep, PAUSE_S), 5)
    print(f"{f'{BRANCHES} at once, ms: one branch alone':48s} {slowest * 1e3:6.1f}")
    for label, plan in (("a fork", fan()), ("a map of child runs", mapped())):
        whole, _ = await timed(partial(engine.run, plan, seed), 5)
        print(f"{f'{label} through the engine':48s} {whole * 1e3:6.1f}  x{whole / slowest:.3f}")


if __name__ == "__main__":
    asyncio.run(main())
