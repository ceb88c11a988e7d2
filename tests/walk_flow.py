"""A flow of three steps, the first of which takes long enough to steer it."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, replace
from itertools import pairwise

from weft.domain.answer import Answer
from weft.flows.flow import Flow
from weft.flows.state import changed, read
from weft.runtime.context import NodeResult, RunContext
from weft.runtime.flow import Edge, FlowSpec, NodeSpec

STEPS = ("first", "second", "third")
# Whether a run was told to pause: its first step ends then, and none follows.
PAUSED = threading.Event()
_LOOK_SECONDS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkState:
    """`seconds` are those of the first step, as the question says, unless it is `PAUSED` before."""

    seconds: float
    steps: tuple[str, ...] = ()
    actor: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    name: str

    async def run(self, ctx: RunContext) -> NodeResult:
        state = read(WalkState, ctx.state)
        for _ in range(round((state.seconds if self.name == STEPS[0] else 0.1) / _LOOK_SECONDS)):
            if PAUSED.is_set():
                break
            await asyncio.sleep(_LOOK_SECONDS)
        after = replace(state, steps=(*state.steps, self.name), actor=ctx.scope.actor)
        answer = Answer(answer=" ".join(after.steps), sentences=(), refused=True, missing=(),
                        offline=True, run_id=ctx.run_id)  # fmt: skip
        return NodeResult(
            state_patch=changed(state, after), answer=answer if self.name == STEPS[-1] else None
        )


WALK = Flow(
    spec=FlowSpec(
        name="walk",
        entry=STEPS[0],
        exits=(STEPS[-1],),
        nodes=tuple(NodeSpec(id=name, uses=name) for name in STEPS),
        edges=tuple(Edge(source=one, target=other) for one, other in pairwise(STEPS)),
    ),
    state=WalkState,
    begin=lambda asking: WalkState(seconds=float(asking.question)),
    nodes=lambda services: {name: Step(name) for name in STEPS},
    summary="Takes three steps.",
    payload=lambda state: {"steps": state["steps"], "actor": state["actor"]},
)

# `weft` of a product with that line in its catalogue.
LAUNCHER = """
from walk_flow import WALK
from weft.flows import catalog
catalog.FLOWS += (WALK,)
from weft.cli.main import main
main()
"""
