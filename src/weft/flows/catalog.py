"""The flows there are: a line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from weft.domain.errors import NotFound
from weft.flows.debate.flow import debate
from weft.flows.flow import Flow
from weft.flows.rag.flow import RAG
from weft.flows.research.flow import RESEARCH
from weft.flows.router.flow import ROUTER_FLOW
from weft.flows.semantic.flow import SEMANTIC

FLOWS: tuple[Flow, ...] = (RAG, ROUTER_FLOW, SEMANTIC, debate(RAG), RESEARCH)


class FlowCatalog:
    """Finds flows by name; the first is the one that answers when none is named."""

    def __init__(self, flows: Iterable[Flow] | None = None) -> None:
        """Take the flows, those that are shipped if none are given."""
        self._flows = {flow.name: flow for flow in (FLOWS if flows is None else flows)}

    def find(self, name: str = "") -> Flow:
        """Return a flow, the default one for no name; raise `NotFound` naming those there are."""
        if not name:
            return next(iter(self._flows.values()))
        try:
            return self._flows[name]
        except KeyError:
            there = ", ".join(self._flows)
            raise NotFound(f"there is no flow named '{name}'; there are: {there}") from None

    def flows(self) -> tuple[Flow, ...]:
        """Return all flows, the default one first."""
        return tuple(self._flows.values())

    def labels(self) -> Mapping[str, str]:
        """Return what every node of every flow does, in a few words, by the node's id."""
        return {node: said for flow in self._flows.values() for node, said in flow.labels.items()}
