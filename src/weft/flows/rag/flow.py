"""The `rag` flow: its graph, and what each of its nodes does in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from weft.flows.flow import Flow
from weft.flows.guards import GUARD_INPUT, GUARD_LABELS, GUARD_OUTPUT, GuardInput, GuardOutput
from weft.flows.rag.nodes import Finish, Think, Verify
from weft.flows.rag.rewriting import Rewrite
from weft.flows.rag.state import RagState, begin
from weft.flows.services import Services
from weft.runtime.amounts import Limits
from weft.runtime.context import Node
from weft.runtime.flow import Edge, FlowSpec, NodeKind, NodeSpec

REWRITE, THINK, VERIFY, FINISH = "rewrite", "think", "verify", "finish"
# guard_input → rewrite → think → verify → finish → guard_output
_STEPS = (GUARD_INPUT, REWRITE, THINK, VERIFY, FINISH, GUARD_OUTPUT)
_BY_AGENTS = frozenset({REWRITE, THINK, VERIFY})


def nodes(services: Services) -> Mapping[str, Node]:
    """Return the flow's nodes by what the graph calls them."""
    return {
        GUARD_INPUT: GuardInput(services.policy),
        REWRITE: Rewrite(services),
        THINK: Think(services),
        VERIFY: Verify(services),
        FINISH: Finish(services.filler, offers_meanings=True),
        GUARD_OUTPUT: GuardOutput(services.policy),
    }


SPEC = FlowSpec(
    name="rag",
    entry=_STEPS[0],
    exits=(_STEPS[-1],),
    nodes=tuple(
        NodeSpec(id=step, uses=step, kind=NodeKind.AGENT if step in _BY_AGENTS else NodeKind.STATE)
        for step in _STEPS
    ),
    edges=tuple(Edge(source=before, target=after) for before, after in pairwise(_STEPS)),
    # Rules search more often than a model does: a chain takes a look-up for every hop.
    budget=Limits(tokens=200_000, tool_calls=100, wall_s=120.0),
    budget_exit=VERIFY,
)
RAG = Flow(
    spec=SPEC,
    state=RagState,
    begin=begin,
    nodes=nodes,
    takes_meanings=True,
    summary="Answers a question from the documents, each sentence with a checked citation.",
    labels={
        **GUARD_LABELS,
        REWRITE: "Making the question whole",
        THINK: "Finding evidence",
        VERIFY: "Checking every sentence against the stored text",
        FINISH: "Putting the answer together",
    },
)
