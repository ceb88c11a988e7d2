"""The flows there are: a line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from weft.domain.errors import InvalidFlow, NotFound
from weft.domain.frozen import dataclass
from weft.domain.outside.written import fields_of
from weft.flows.flow import Flow
from weft.flows.guards import GUARD_INPUT, GUARD_OUTPUT
from weft.runtime.flow import FlowSpec
from weft.runtime.plan import compile_flow


@dataclass(frozen=True, slots=True)
class ShippedFlow:
    """Where a flow stands, as MODULE:NAME below `weft.flows`: a question loads the one it takes.

    With `agent` a function stands there, which makes the flow of the shipped one of that name.
    """

    name: str
    place: str
    agent: str = ""

    def load(self) -> Flow:
        """Return the flow."""
        module, _, attribute = self.place.partition(":")
        found = getattr(import_module(f"weft.flows.{module}"), attribute)
        made: Flow = found(FlowCatalog().find(self.agent)) if self.agent else found
        return made


FLOWS: tuple[Flow | ShippedFlow, ...] = (
    ShippedFlow("rag", "rag.flow:RAG"),
    ShippedFlow("router", "router.flow:ROUTER_FLOW"),
    ShippedFlow("semantic", "semantic.flow:SEMANTIC"),
    ShippedFlow("debate", "debate.flow:debate", agent="rag"),
    ShippedFlow("research", "research.flow:RESEARCH"),
)
_PLAIN_RESEARCH = ShippedFlow("research", "research.chain:RESEARCH_CHAIN")


def shipped_flows(*, is_graph: bool) -> tuple[Flow | ShippedFlow, ...]:
    """Return the flows that are shipped: research as a graph, or as a plain chain of agents."""
    plain = {} if is_graph else {_PLAIN_RESEARCH.name: _PLAIN_RESEARCH}
    return tuple(plain.get(flow.name, flow) for flow in FLOWS)


def stored_flow(text: str) -> Flow:
    """Return the flow that a YAML text describes: another graph of the nodes of a shipped one.

    `base` names that one; all else is as in `FlowSpec`, and as there where it is not said. Raises
    `InvalidFlow` naming what is wrong, `NotFound` for a base that there is not.
    """
    import yaml  # here, because shipped flows are written in Python

    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InvalidFlow(f"the flow is not YAML: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("base"), str):
        raise InvalidFlow("the flow must name its base: base: rag", field="base")
    base = FlowCatalog().find(data.pop("base"))
    own = _said(fields_of(base.spec))
    spec = FlowSpec.from_data({**own, "name": f"{base.name}-stored", **data})
    compile_flow(spec)
    _check_guarded(spec)
    return replace(base, spec=spec)


def _said(data: Any) -> Any:
    """Return plain data without what is None: that is the default of its field."""
    if isinstance(data, list):
        return [_said(one) for one in data]
    if isinstance(data, dict):
        return {name: _said(one) for name, one in data.items() if one is not None}
    return data


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

    def __init__(self, flows: Iterable[Flow | ShippedFlow] | None = None) -> None:
        """Take the flows, those that are shipped if none are given."""
        self._flows = {flow.name: flow for flow in (FLOWS if flows is None else flows)}

    def find(self, name: str = "") -> Flow:
        """Return a flow, the default one for no name; raise `NotFound` naming those there are."""
        wanted = name or next(iter(self._flows))
        try:
            found = self._flows[wanted]
        except KeyError:
            there = ", ".join(self._flows)
            raise NotFound(f"there is no flow named '{name}'; there are: {there}") from None
        if isinstance(found, ShippedFlow):
            found = self._flows[wanted] = found.load()
        return found

    def flows(self) -> tuple[Flow, ...]:
        """Return all flows, the default one first."""
        return tuple(self.find(name) for name in self._flows)

    def labels(self) -> Mapping[str, str]:
        """Return what every node of every flow does, in a few words, by the node's id."""
        return {node: said for flow in self.flows() for node, said in flow.labels.items()}
