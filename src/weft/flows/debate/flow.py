"""The `debate` flow: its graph, and what each of its nodes does in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from weft.flows.debate.agents import (
    AGAIN,
    DONE,
    MOST_AGENTS,
    NONE,
    SOME,
    AgentFactory,
    Collect,
    Convene,
    FanOut,
    timed,
)
from weft.flows.debate.concluding import Conclude, payload
from weft.flows.debate.state import DebateState, begin
from weft.flows.debate.supervising import CheckDebate, Synthesise
from weft.flows.debate.trace import trace_steps
from weft.flows.flow import Flow
from weft.flows.guards import GUARD_INPUT, GUARD_LABELS, GUARD_OUTPUT, GuardInput, GuardOutput
from weft.flows.services import Services
from weft.flows.toolkits import Skipping
from weft.platform.tracing.spans import SpanNames
from weft.runtime.amounts import Limits
from weft.runtime.context import Node
from weft.runtime.flow import Edge, EdgeKind, FlowSpec, NodeKind, NodeSpec

CONVENE, FAN_OUT, COLLECT = "convene", "fan_out", "collect"
SYNTHESISE, CHECK, CONCLUDE = "synthesise", "check", "conclude"
AGENT = "agent"
# As many agents work at once.
AT_ONCE = 16


def debate(agent: Flow) -> Flow:
    """Return the flow in which each agent is a run of another flow, over one knowledge base."""
    factory = AgentFactory(agent)

    def nodes(services: Services) -> Mapping[str, Node]:
        return {
            **timed(agent.nodes, services),
            GUARD_INPUT: GuardInput(services.policy),
            CONVENE: Convene(services),
            FAN_OUT: FanOut(factory),
            COLLECT: Collect(services),
            SYNTHESISE: Synthesise(services),
            CHECK: CheckDebate(services),
            CONCLUDE: Conclude(services.filler),
            GUARD_OUTPUT: GuardOutput(services.policy),
        }

    return Flow(
        spec=_spec(agent.spec),
        state=DebateState,
        states=(agent.state,),
        begin=begin,
        nodes=nodes,
        summary="Asks one agent for each knowledge base, compares them, shows where they disagree.",
        labels={
            **GUARD_LABELS,
            CONVENE: "Seeing which knowledge bases can answer",
            FAN_OUT: "Asking an agent for each",
            COLLECT: "Collecting what they concluded",
            SYNTHESISE: "Comparing their conclusions",
            CHECK: "Checking every sentence against the stored text",
            CONCLUDE: "Putting the answer together",
        },
        payload=payload,
        trace=trace_steps,
        skips_blocked=Skipping.ALL,
        spans=SpanNames(
            nodes={SYNTHESISE: "debate.supervisor_synthesis"}, children="debate.run_single_agent"
        ),
    )


def _spec(agent: FlowSpec) -> FlowSpec:
    return FlowSpec(
        name="debate",
        entry=GUARD_INPUT,
        exits=(GUARD_OUTPUT,),
        nodes=(
            NodeSpec(id=GUARD_INPUT, uses=GUARD_INPUT),
            NodeSpec(id=CONVENE, uses=CONVENE, kind=NodeKind.DECISION, outcomes=(SOME, NONE)),
            NodeSpec(
                id=FAN_OUT,
                uses=FAN_OUT,
                kind=NodeKind.MAP,
                flow=AGENT,
                into="results",
                most=MOST_AGENTS,
            ),
            NodeSpec(id=COLLECT, uses=COLLECT, kind=NodeKind.DECISION, outcomes=(AGAIN, DONE)),
            NodeSpec(id=SYNTHESISE, uses=SYNTHESISE, kind=NodeKind.AGENT),
            NodeSpec(id=CHECK, uses=CHECK, kind=NodeKind.AGENT),
            NodeSpec(id=CONCLUDE, uses=CONCLUDE),
            NodeSpec(id=GUARD_OUTPUT, uses=GUARD_OUTPUT),
        ),
        edges=(
            Edge(source=GUARD_INPUT, target=CONVENE),
            Edge(source=CONVENE, target=FAN_OUT, kind=EdgeKind.CONDITIONAL, when=SOME),
            Edge(source=CONVENE, target=CONCLUDE, kind=EdgeKind.CONDITIONAL, when=NONE),
            Edge(source=FAN_OUT, target=COLLECT),
            Edge(source=COLLECT, target=FAN_OUT, kind=EdgeKind.LOOP, when=AGAIN, bound=1),
            Edge(source=COLLECT, target=SYNTHESISE, kind=EdgeKind.CONDITIONAL, when=DONE),
            Edge(source=SYNTHESISE, target=CHECK),
            Edge(source=CHECK, target=CONCLUDE),
            Edge(source=CONCLUDE, target=GUARD_OUTPUT),
        ),
        # Each agent may spend what its own flow allows, as long as they are not too many.
        budget=Limits(tokens=1_600_000, tool_calls=1_600, wall_s=300.0),
        budget_exit=CONCLUDE,
        children=(replace(agent, name=AGENT),),
        max_concurrency=AT_ONCE,
    )
