"""Research as a plain chain of agents: the same steps one after the other, without the graph."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from itertools import pairwise

from weft.domain.errors import BudgetExceeded, Cancelled, WeftError
from weft.domain.frozen import dataclass
from weft.flows.guards import GUARD_INPUT, GUARD_OUTPUT
from weft.flows.research.flow import (
    AGENTS,
    ASSESS,
    GAPS,
    INVESTIGATE,
    OUTLINE,
    REPORT,
    RESEARCH,
    SELECT,
    SUM_UP,
    WRITE,
)
from weft.flows.research.investigation import ENOUGH, OPEN
from weft.flows.research.state import ResearchState
from weft.flows.services import Services
from weft.flows.state import changed, read
from weft.runtime.amounts import Usage
from weft.runtime.context import (
    EMPTY,
    ChildResult,
    ChildSeed,
    ChildStatus,
    Node,
    NodeResult,
    RunContext,
)
from weft.runtime.flow import Edge, FlowSpec, NodeKind, NodeSpec
from weft.runtime.state import merge

CHAIN = "chain"
_ONE_TURN = Usage(iterations=1)
# guard_input → chain → report → guard_output
_STEPS = (GUARD_INPUT, CHAIN, REPORT, GUARD_OUTPUT)
_State = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Chain:
    """Where every step of research is taken, section after section."""

    nodes: Mapping[str, Node]

    async def run(self, ctx: RunContext) -> NodeResult:
        """Plan, look into one section after the other, sum up; a budget ends it where it is."""
        before = read(ResearchState, ctx.state)
        state = await self._taken(ctx, ctx.state, OUTLINE)
        asked = await self.nodes[INVESTIGATE].run(replace(ctx, state=state))
        results: list[ChildResult] = []
        for child in asked.children:
            results.append(await self._looked_into(ctx, child))
            state = merge(state, {"results": tuple(results)})
            if results[-1].status == ChildStatus.SHORT:
                break
        else:
            state = await self._taken(ctx, state, SUM_UP)
        return NodeResult(state_patch=changed(before, read(ResearchState, state)))

    async def _looked_into(self, ctx: RunContext, child: ChildSeed) -> ChildResult:
        """Return what came of a section; one that fails takes no other with it."""
        status, state = ChildStatus.FINISHED, child.state
        error: WeftError | None = None
        try:
            async for reached in self._turns(ctx, child):
                state = reached
        except Cancelled:
            raise
        except BudgetExceeded as short:
            status, error = ChildStatus.SHORT, short
        except WeftError as failed:
            status, error = ChildStatus.FAILED, failed
        return ChildResult(
            key=child.key,
            status=status,
            state=state,
            code="" if error is None else error.code,
            message="" if error is None else error.message,
        )

    async def _turns(self, ctx: RunContext, child: ChildSeed) -> AsyncIterator[_State]:
        """Yield the state of a section after each step, until it is written."""
        state, turn = merge(EMPTY, child.state), 0
        while True:
            turn += 1
            place = f"{ctx.path}/{child.key}/{turn}"
            ctx.budget.reserve(_ONE_TURN).settle(_ONE_TURN)
            found = await self._step(ctx, state, GAPS, place=place)
            yield (state := merge(state, found.state_patch))
            if found.goto != OPEN:
                break
            for name in (SELECT, AGENTS):
                found = await self._step(ctx, state, name, place=place)
                yield (state := merge(state, found.state_patch))
            found = await self._step(ctx, state, ASSESS, place=place)
            yield (state := merge(state, found.state_patch))
            if found.goto == ENOUGH:
                break
        found = await self._step(ctx, state, WRITE, place=f"{ctx.path}/{child.key}")
        yield merge(state, found.state_patch)

    async def _step(self, ctx: RunContext, state: _State, name: str, *, place: str) -> NodeResult:
        ctx.budget.check()
        # A path of its own: what is called there is told apart from what others call.
        return await self.nodes[name].run(replace(ctx, state=state, path=f"{place}/{name}"))

    async def _taken(self, ctx: RunContext, state: _State, name: str) -> _State:
        found = await self._step(ctx, state, name, place=ctx.path)
        return merge(state, found.state_patch)


def _nodes(services: Services) -> Mapping[str, Node]:
    steps = RESEARCH.nodes(services)
    return {**steps, CHAIN: Chain(steps)}


RESEARCH_CHAIN = replace(
    RESEARCH,
    spec=FlowSpec(
        name=RESEARCH.name,
        entry=_STEPS[0],
        exits=(_STEPS[-1],),
        nodes=tuple(
            NodeSpec(id=one, uses=one, kind=NodeKind.AGENT if one == CHAIN else NodeKind.STATE)
            for one in _STEPS
        ),
        edges=tuple(Edge(source=one, target=other) for one, other in pairwise(_STEPS)),
        budget=RESEARCH.spec.budget,
        budget_exit=REPORT,
    ),
    nodes=_nodes,
    labels={**RESEARCH.labels, CHAIN: "Looking into one section after the other"},
)
