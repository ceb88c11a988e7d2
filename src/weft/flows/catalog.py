"""The flows there are: a line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import yaml

from weft.domain.errors import InvalidFlow, NotFound
from weft.flows.debate.flow import debate
from weft.flows.flow import Flow
from weft.flows.guards import GUARD_INPUT, GUARD_OUTPUT
from weft.flows.rag.flow import RAG
from weft.flows.research.flow import RESEARCH
from weft.flows.router.flow import ROUTER_FLOW
from weft.flows.semantic.flow import SEMANTIC
from weft.runtime.flow import FlowSpec
from weft.runtime.plan import compile_flow

FLOWS: tuple[Flow, ...] = (RAG, ROUTER_FLOW, SEMANTIC, debate(RAG), RESEARCH)


def stored_flow(text: str) -> Flow:
    """Return the flow that a YAML text describes: another graph of the nodes of a shipped one.

    `base` names that one; all else is as in `FlowSpec`, and as there where it is not said. Raises
    `InvalidFlow` naming what is wrong, `NotFound` for a base that there is not.
    """
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InvalidFlow(f"the flow is not YAML: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("base"), str):
        raise InvalidFlow("the flow must name its base: base: rag", field="base")
    base = FlowCatalog().find(data.pop("base"))
    own = base.spec.model_dump(mode="json", exclude_none=True)
    spec = FlowSpec.from_data({**own, "name": f"{base.name}-stored", **data})
    compile_flow(spec)
    _check_guarded(spec)
    return replace(base, spec=spec)


def _check_guarded(spec: FlowSpec) -> None:
    """Raise `InvalidFlow` for a flow in which a policy would not see what comes in or goes out."""
    uses = {one.id: one.uses for one in spec.nodes}
    if uses[spec.entry] != GUARD_INPUT:
        raise InvalidFlow(f"the entry '{spec.entry}' must use {GUARD_INPUT}", field="entry")
    for one in spec.exits:
        if uses[one] != GUARD_OUTPUT:
            raise InvalidFlow(f"the exit '{one}' must use {GUARD_OUTPUT}", field="exits")


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
