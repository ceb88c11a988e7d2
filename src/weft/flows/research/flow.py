"""The `research` flow: its graph, that of its investigations, and what each node does."""

from __future__ import annotations

from collections.abc import Mapping

from weft.agents.researching import MOST_SECTIONS
from weft.flows.flow import Flow
from weft.flows.guards import GUARD_INPUT, GUARD_LABELS, GUARD_OUTPUT, GuardInput, GuardOutput
from weft.flows.research.investigation import (
    COMPLETE,
    ENOUGH,
    MORE,
    MOST_TURNS,
    OPEN,
    AssessFindings,
    FindGaps,
    RunAgents,
    SelectAgents,
    WriteSection,
)
from weft.flows.research.outlining import Investigate, Outline
from weft.flows.research.rendering import payload
from weft.flows.research.reporting import Report, SumUp
from weft.flows.research.state import InvestigationState, ResearchState, begin
from weft.flows.services import Services
from weft.platform.tracing.spans import SpanNames
from weft.runtime.amounts import Limits
from weft.runtime.context import Node
from weft.runtime.flow import Edge, EdgeKind, FlowSpec, NodeKind, NodeSpec

OUTLINE, INVESTIGATE, SUM_UP, REPORT = "outline", "investigate", "sum_up", "report"
GAPS, SELECT, AGENTS, ASSESS, WRITE = "gaps", "select", "agents", "assess", "write"
INVESTIGATION = "investigation"

_INVESTIGATION = FlowSpec(
    name=INVESTIGATION,
    entry=GAPS,
    exits=(WRITE,),
    nodes=(
        NodeSpec(id=GAPS, uses=GAPS, kind=NodeKind.DECISION, outcomes=(COMPLETE, OPEN)),
        NodeSpec(id=SELECT, uses=SELECT, kind=NodeKind.AGENT),
        NodeSpec(id=AGENTS, uses=AGENTS, kind=NodeKind.AGENT),
        NodeSpec(id=ASSESS, uses=ASSESS, kind=NodeKind.DECISION, outcomes=(ENOUGH, MORE)),
        NodeSpec(id=WRITE, uses=WRITE, kind=NodeKind.AGENT),
    ),
    edges=(
        Edge(source=GAPS, target=WRITE, kind=EdgeKind.CONDITIONAL, when=COMPLETE),
        Edge(source=GAPS, target=SELECT, kind=EdgeKind.CONDITIONAL, when=OPEN),
        Edge(source=SELECT, target=AGENTS),
        Edge(source=AGENTS, target=ASSESS),
        Edge(source=ASSESS, target=WRITE, kind=EdgeKind.CONDITIONAL, when=ENOUGH),
        Edge(source=ASSESS, target=GAPS, kind=EdgeKind.LOOP, when=MORE, bound=MOST_TURNS),
    ),
    budget_exit=WRITE,
)
# guard_input → outline → investigate (a child run a section) → sum_up → report → guard_output
_SPEC = FlowSpec(
    name="research",
    entry=GUARD_INPUT,
    exits=(GUARD_OUTPUT,),
    nodes=(
        NodeSpec(id=GUARD_INPUT, uses=GUARD_INPUT),
        NodeSpec(id=OUTLINE, uses=OUTLINE, kind=NodeKind.AGENT),
        NodeSpec(
            id=INVESTIGATE,
            uses=INVESTIGATE,
            kind=NodeKind.MAP,
            flow=INVESTIGATION,
            into="results",
            most=MOST_SECTIONS,
        ),
        NodeSpec(id=SUM_UP, uses=SUM_UP, kind=NodeKind.AGENT),
        NodeSpec(id=REPORT, uses=REPORT),
        NodeSpec(id=GUARD_OUTPUT, uses=GUARD_OUTPUT),
    ),
    edges=(
        Edge(source=GUARD_INPUT, target=OUTLINE),
        Edge(source=OUTLINE, target=INVESTIGATE),
        Edge(source=INVESTIGATE, target=SUM_UP),
        Edge(source=SUM_UP, target=REPORT),
        Edge(source=REPORT, target=GUARD_OUTPUT),
    ),
    budget=Limits(tokens=1_500_000, tool_calls=600, iterations=40, wall_s=900.0),
    budget_exit=REPORT,
    children=(_INVESTIGATION,),
    max_concurrency=8,
)


def nodes(services: Services) -> Mapping[str, Node]:
    """Return the nodes of the flow and of its investigations by what the graphs call them."""
    return {
        GUARD_INPUT: GuardInput(services.policy),
        OUTLINE: Outline(services),
        INVESTIGATE: Investigate(),
        GAPS: FindGaps(services),
        SELECT: SelectAgents(services),
        AGENTS: RunAgents(services),
        ASSESS: AssessFindings(services),
        WRITE: WriteSection(services),
        SUM_UP: SumUp(services),
        REPORT: Report(services),
        GUARD_OUTPUT: GuardOutput(services.policy),
    }


RESEARCH = Flow(
    spec=_SPEC,
    state=ResearchState,
    states=(InvestigationState,),
    begin=begin,
    nodes=nodes,
    summary="Looks into a question over and over, by sections, and writes a cited report.",
    labels={
        **GUARD_LABELS,
        OUTLINE: "Deciding what the report is about",
        INVESTIGATE: "Looking into each section",
        GAPS: "Seeing what is still to be found out",
        SELECT: "Choosing who looks",
        AGENTS: "Looking",
        ASSESS: "Judging what was found",
        WRITE: "Writing what was found",
        SUM_UP: "Summing up",
        REPORT: "Checking every sentence and numbering the references",
    },
    payload=payload,
    is_kept=True,
    spans=SpanNames(children="research.run_section"),
)
