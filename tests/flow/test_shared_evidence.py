"""Two agents of a run, a remembered reply and a resumed run mean the same passages by an id."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from rag_world import Killed, World, make_world
from weft.agents.evidence import EvidenceRef
from weft.agents.tools.manifests import RAG_SEARCH
from weft.domain.answer import Answer
from weft.domain.event import EventType
from weft.domain.ids import RunId
from weft.flows.asking import Asking
from weft.flows.flow import Flow
from weft.flows.services import Services
from weft.flows.state import changed, read
from weft.flows.toolkits import GivenBases
from weft.platform.identity import local_owner
from weft.runtime.context import NodeResult, RunContext
from weft.runtime.flow import Edge, FlowSpec, NodeKind, NodeSpec

pytestmark = pytest.mark.anyio
RUN = RunId("run-1")
SEARCH = "Harbour Bridge opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairState:
    evidence: tuple[EvidenceRef, ...] = ()
    named: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Agent:
    """Searches as the other does and says which passage stands behind each id."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        state = read(PairState, ctx.state)
        toolkit = self.services.toolkits.of(ctx)
        await toolkit.restore(ctx.scope, state.evidence)
        found = await toolkit.tools(ctx, question=SEARCH).use(RAG_SEARCH, query=SEARCH)
        ids = [item["id"] for item in found["evidence"]]
        held = toolkit.book.evidence(ids)
        assert len(held) == len(ids)
        named = tuple((one.id, str(one.chunk_id)) for one in held)
        after = replace(state, named=(*state.named, *named), evidence=toolkit.book.refs())
        answer = Answer(answer="", sentences=(), refused=True, missing=(),
                        offline=True, run_id=ctx.run_id)  # fmt: skip
        return NodeResult(state_patch=changed(state, after), answer=answer)


PAIR = Flow(
    spec=FlowSpec(
        name="pair",
        entry="one",
        exits=("two",),
        nodes=(
            NodeSpec(id="one", kind=NodeKind.AGENT, uses="agent"),
            NodeSpec(id="two", kind=NodeKind.AGENT, uses="agent"),
        ),
        edges=(Edge(source="one", target="two"),),
    ),
    state=PairState,
    begin=lambda asking: PairState(),
    nodes=lambda services: {"agent": Agent(services)},
    summary="Two agents that look for the same.",
    payload=lambda state: {"named": state["named"]},
)
ASKING = Asking(question=SEARCH, knowledge_bases=("docs",), flow="pair", run_id=RUN)


def a_world() -> World:
    world = make_world(flows=(PAIR,))
    world.shelf.put("harbour.md", "The Harbour Bridge was opened in 1932.", title="Bridge")
    world.shelf.put("trams.md", "The harbour trams were opened in 1901.", title="Trams")
    return world


def halves(named: object) -> tuple[object, object]:
    assert isinstance(named, list)  # as JSON has it: what is given besides passes the policy
    half = len(named) // 2
    assert half > 0
    return named[:half], named[half:]


async def test_a_second_agent_that_is_told_from_memory_means_the_same() -> None:
    here = a_world()
    outcome = await here.flows.run(local_owner(), ASKING)
    one, two = halves(outcome.payload["named"])
    assert one == two
    cached = [e.data["cached"] for e in here.runs.written if e.type is EventType.TOOL_FINISHED]
    assert cached == [False, True]


async def test_an_agent_after_a_kill_means_the_same_as_the_one_before() -> None:
    calm = (await a_world().flows.run(local_owner(), ASKING)).payload
    saves = 0
    while True:
        here = a_world()
        here.runs.dies_at = saves = saves + 1
        try:
            await here.flows.run(local_owner(), ASKING)
        except Killed:
            here.runs.dies_at = -1
            assert (await here.flows.resume(local_owner(), RUN)).payload == calm
        else:
            break
    assert saves > 2, "nothing was ever saved"


async def test_the_replies_on_the_record_mean_the_same_without_the_state() -> None:
    here = a_world()
    here.runs.dies_at = 2
    with pytest.raises(Killed):
        await here.flows.run(local_owner(), ASKING)
    calls = await here.tool_runs.of_run(local_owner(), RUN)
    toolkits, bases = here.flows.services.toolkits, GivenBases(names=("docs",))
    async with toolkits.opened(local_owner(), RUN, bases=bases, calls=calls) as toolkit:
        assert [one.id for one in toolkit.book.entries()] == ["e1", "e2"]
