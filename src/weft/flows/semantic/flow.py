"""The `semantic` flow: its graph, and what each of its nodes does in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from weft.agents.routing import GraphSide
from weft.flows.flow import Flow
from weft.flows.guards import GUARD_INPUT, GUARD_LABELS, GUARD_OUTPUT, GuardInput, GuardOutput
from weft.flows.rag.flow import FINISH, RAG, REWRITE, VERIFY
from weft.flows.rag.nodes import Finish, Verify
from weft.flows.rag.rewriting import Rewrite
from weft.flows.semantic.nodes import AskGraph, AskRdf, ChooseSide
from weft.flows.semantic.resolving import Resolve
from weft.flows.semantic.state import SemanticState, begin_semantic
from weft.flows.services import Services
from weft.flows.state import read
from weft.flows.toolkits import Skipping
from weft.runtime.context import Node
from weft.runtime.flow import Edge, EdgeKind, FlowSpec, NodeKind, NodeSpec

RESOLVE, SIDE, LPG, RDF = "resolve", "side", "lpg_agent", "rdf_agent"
BOTH_LPG, BOTH_RDF = "lpg_first", "rdf_then"
# guard_input → rewrite → resolve → side → lpg_agent, rdf_agent or one after the other → verify → …
_BEFORE, _AFTER = (GUARD_INPUT, REWRITE, RESOLVE, SIDE), (VERIFY, FINISH, GUARD_OUTPUT)
_BY_AGENTS = frozenset({REWRITE, RESOLVE, LPG, RDF, BOTH_LPG, BOTH_RDF, VERIFY})


def nodes(services: Services) -> Mapping[str, Node]:
    """Return the flow's nodes by what the graph calls them."""
    return {
        GUARD_INPUT: GuardInput(services.policy),
        REWRITE: Rewrite(services),
        RESOLVE: Resolve(services),
        SIDE: ChooseSide(services),
        LPG: AskGraph(services),
        RDF: AskRdf(services),
        VERIFY: Verify(services),
        FINISH: Finish(services.filler),
        GUARD_OUTPUT: GuardOutput(services.policy),
    }


def payload(state: Mapping[str, object]) -> Mapping[str, object]:
    """Return the side that answered, what the names may mean, and what each side found."""
    told = read(SemanticState, state)
    return {
        "route": told.side,
        "semantic_context": {
            "entities": [one.question_entity for one in told.matches],
            "matches": [asdict(one) for one in told.matches],
            "unresolved_entities": list(told.unresolved),
            "overrides_applied": [asdict(one) for one in told.applied],
        },
        "lpg_result": dict(told.lpg) or None,
        "rdf_result": dict(told.rdf) or None,
        "evidence": [asdict(one) for one in told.evidence],
    }


def _node(name: str, uses: str = "", **more: Any) -> NodeSpec:
    kind = NodeKind.AGENT if name in _BY_AGENTS else NodeKind.STATE
    return NodeSpec(id=name, uses=uses or name, kind=more.pop("kind", kind), **more)


def _chosen(side: GraphSide, target: str) -> Edge:
    return Edge(source=SIDE, target=target, kind=EdgeKind.CONDITIONAL, when=str(side))


SPEC = FlowSpec(
    name="semantic",
    entry=GUARD_INPUT,
    exits=(GUARD_OUTPUT,),
    nodes=(
        *map(_node, _BEFORE[:-1]),
        _node(SIDE, kind=NodeKind.DECISION, outcomes=tuple(map(str, GraphSide))),
        _node(LPG),
        _node(RDF),
        _node(BOTH_LPG, LPG),
        _node(BOTH_RDF, RDF),
        *map(_node, _AFTER),
    ),
    edges=(
        *(Edge(source=before, target=after) for before, after in pairwise(_BEFORE)),
        _chosen(GraphSide.LPG, LPG),
        _chosen(GraphSide.RDF, RDF),
        _chosen(GraphSide.HYBRID, BOTH_LPG),
        Edge(source=BOTH_LPG, target=BOTH_RDF),
        *(Edge(source=one, target=VERIFY) for one in (LPG, RDF, BOTH_RDF)),
        *(Edge(source=before, target=after) for before, after in pairwise(_AFTER)),
    ),
    budget=RAG.spec.budget,
    budget_exit=VERIFY,
)
SEMANTIC = Flow(
    spec=SPEC,
    state=SemanticState,
    begin=begin_semantic,
    skips_blocked=Skipping.SOME,
    nodes=nodes,
    payload=payload,
    summary="Asks the graph: names resolved or chosen by the person, then facts or the ontology.",
    labels={
        **RAG.labels,
        **GUARD_LABELS,
        RESOLVE: "Finding out who and what is meant",
        SIDE: "Choosing facts or the ontology",
        LPG: "Following the graph",
        RDF: "Asking the ontology",
        BOTH_LPG: "Following the graph",
        BOTH_RDF: "Asking the ontology",
    },
)
