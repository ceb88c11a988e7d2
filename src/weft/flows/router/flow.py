"""The `router` flow: its graph, and what each of its nodes does in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from weft.agents.routing import Specialist
from weft.agents.specialists import TABLE_AGENT, VECTOR_AGENT, WEB_AGENT
from weft.flows.flow import Flow
from weft.flows.guards import GUARD_INPUT, GUARD_LABELS, GUARD_OUTPUT, GuardInput, GuardOutput
from weft.flows.rag.flow import FINISH, RAG, REWRITE, VERIFY
from weft.flows.rag.nodes import Finish, Think, Verify
from weft.flows.rag.rewriting import Rewrite
from weft.flows.router.nodes import Route
from weft.flows.router.state import RouterState, begin_routing
from weft.flows.semantic import flow as semantic
from weft.flows.semantic.nodes import AskGraph
from weft.flows.semantic.resolving import Resolve
from weft.flows.services import Services
from weft.flows.toolkits import Skipping
from weft.offline.answerer import answer_offline
from weft.offline.specialists import answer_from_rows, answer_from_web
from weft.runtime.context import Node
from weft.runtime.flow import Edge, EdgeKind, FlowSpec, NodeKind, NodeSpec

ROUTE, RESOLVE = "route", semantic.RESOLVE
_AGENTS = {one: f"{one}_agent" for one in Specialist}
# guard_input → rewrite → route → one of the agents → verify → finish → guard_output; before the
# agent of the graph it is found out who and what is meant.
_BEFORE, _AFTER = (GUARD_INPUT, REWRITE, ROUTE), (VERIFY, FINISH, GUARD_OUTPUT)
_BY_AGENTS = frozenset({REWRITE, VERIFY})


def nodes(services: Services) -> Mapping[str, Node]:
    """Return the flow's nodes by what the graph calls them."""
    return {
        GUARD_INPUT: GuardInput(services.policy),
        REWRITE: Rewrite(services),
        ROUTE: Route(services),
        RESOLVE: Resolve(services),
        _AGENTS[Specialist.GRAPH]: AskGraph(services),
        _AGENTS[Specialist.VECTOR]: Think(services, VECTOR_AGENT, answer_offline),
        _AGENTS[Specialist.WEB]: Think(services, WEB_AGENT, answer_from_web),
        _AGENTS[Specialist.TABLE]: Think(services, TABLE_AGENT, answer_from_rows),
        VERIFY: Verify(services),
        FINISH: Finish(services.filler, offers_meanings=True),
        GUARD_OUTPUT: GuardOutput(services.policy),
    }


def payload(state: Mapping[str, object]) -> Mapping[str, object]:
    """Return who answered, of whom; of the graph also what the names may mean and what it found."""
    told = semantic.payload(state) if state.get("specialist") == Specialist.GRAPH else {}
    return {**told, "route": state.get("specialist", ""), "specialists": list(_there(state))}


def _there(state: Mapping[str, object]) -> tuple[str, ...]:
    there = state.get("there", ())
    return there if isinstance(there, tuple) else ()


def _node(name: str) -> NodeSpec:
    kind = NodeKind.AGENT if name in _BY_AGENTS else NodeKind.STATE
    return NodeSpec(id=name, uses=name, kind=kind)


SPEC = FlowSpec(
    name="router",
    entry=GUARD_INPUT,
    exits=(GUARD_OUTPUT,),
    nodes=(
        _node(GUARD_INPUT),
        _node(REWRITE),
        NodeSpec(
            id=ROUTE, uses=ROUTE, kind=NodeKind.DECISION, outcomes=tuple(map(str, Specialist))
        ),
        NodeSpec(id=RESOLVE, uses=RESOLVE, kind=NodeKind.AGENT),
        *(NodeSpec(id=agent, uses=agent, kind=NodeKind.AGENT) for agent in _AGENTS.values()),
        *map(_node, _AFTER),
    ),
    edges=(
        *(Edge(source=before, target=after) for before, after in pairwise(_BEFORE)),
        *(
            Edge(
                source=ROUTE,
                target=RESOLVE if one is Specialist.GRAPH else agent,
                kind=EdgeKind.CONDITIONAL,
                when=str(one),
            )
            for one, agent in _AGENTS.items()
        ),
        Edge(source=RESOLVE, target=_AGENTS[Specialist.GRAPH]),
        *(Edge(source=agent, target=VERIFY) for agent in _AGENTS.values()),
        *(Edge(source=before, target=after) for before, after in pairwise(_AFTER)),
    ),
    budget=RAG.spec.budget,
    budget_exit=VERIFY,
)
ROUTER_FLOW = Flow(
    spec=SPEC,
    state=RouterState,
    begin=begin_routing,
    skips_blocked=Skipping.SOME,
    nodes=nodes,
    payload=payload,
    takes_meanings=True,
    summary="Hands a question to one specialist: for the graph, passages, tables or the web.",
    labels={
        **RAG.labels,
        **GUARD_LABELS,
        ROUTE: "Choosing who answers",
        RESOLVE: "Finding out who and what is meant",
        _AGENTS[Specialist.GRAPH]: "Following the graph",
        _AGENTS[Specialist.VECTOR]: "Reading passages",
        _AGENTS[Specialist.WEB]: "Searching the web",
        _AGENTS[Specialist.TABLE]: "Working over rows",
    },
)
