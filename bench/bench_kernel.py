"""What the kernel costs: a bare loop of awaits beside the engine, in one process and one run."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise

from weft.domain.event import RunEvent
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.runtime.context import Node, NodeResult, RunContext, RunSeed
from weft.runtime.engine import SimpleEngine
from weft.runtime.flow import Edge, EdgeKind, FlowSpec, NodeKind, NodeSpec
from weft.runtime.plan import FlowPlan, compile_flow

NODES = 40
ROUNDS = 200
BRANCHES = 8
PAUSE_S = 0.2
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
    """Return a fork of `BRANCHES` pauses; the slowest takes `PAUSE_S`."""
    heads = [f"b{i}" for i in range(BRANCHES)]
    pauses = [PAUSE_S * (i + 1) / BRANCHES for i in range(BRANCHES)]
    return compile_flow(
        FlowSpec(
            name="fan",
            entry="fork",
            exits=("end",),
            nodes=(
                NodeSpec(id="fork", kind=NodeKind.PARALLEL),
                *(
                    NodeSpec(id=head, uses="pause", params={"s": pause})
                    for head, pause in zip(heads, pauses, strict=True)
                ),
                NodeSpec(id="end", uses="idle"),
            ),
            edges=(
                *(Edge(source="fork", target=head, kind=EdgeKind.PARALLEL) for head in heads),
                *(Edge(source=head, target="end") for head in heads),
            ),
        )
    )


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
    nodes: dict[str, Node] = {"idle": Idle(), "count": Count(), "pause": Pause()}
    engine = SimpleEngine(nodes, Memory(), clock=Clock())
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
    slowest, _ = await timed(partial(asyncio.sleep, PAUSE_S), 5)
    whole, _ = await timed(partial(engine.run, fan(), seed), 5)
    print(f"{f'fan-out of {BRANCHES}, ms: slowest branch alone':48s} {slowest * 1e3:6.1f}")
    print(f"{'fan-out through the engine':48s} {whole * 1e3:6.1f}  x{whole / slowest:.3f}")


if __name__ == "__main__":
    asyncio.run(main())
