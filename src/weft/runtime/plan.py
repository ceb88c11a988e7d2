"""A flow made ready to run: for every node the ways out of it, for every fork where it ends."""

from __future__ import annotations

from collections.abc import Mapping

from weft.domain.frozen import dataclass
from weft.runtime.flow import DEFAULT, Edge, EdgeKind, FlowSpec, NodeSpec
from weft.runtime.graph import FlowGraph
from weft.runtime.validation import check_flow


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A loop edge: `number` counts its turns, which begin anew at each turn of a loop around it."""

    number: int
    target: str
    when: str | None
    bound: int
    inner: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """The ways out of a node: `only` is the target where there is no choice, "" where there is.

    `branches` are the heads of a parallel node's branches in the order they were declared, `join`
    the node at which they meet.
    """

    only: str = ""
    by_outcome: Mapping[str, str]
    loops: tuple[Loop, ...] = ()
    branches: tuple[str, ...] = ()
    join: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPlan:
    """A valid flow with its nodes and ways by node id, and its children's plans by name.

    `heads` are the nodes at which loops begin: each visit of one is a turn.
    """

    flow: FlowSpec
    nodes: Mapping[str, NodeSpec]
    ways: Mapping[str, Ways]
    heads: frozenset[str]
    children: Mapping[str, FlowPlan]


def compile_flow(flow: FlowSpec) -> FlowPlan:
    """Return the flow's plan, or raise `InvalidFlow` naming the node that is wrong."""
    graph = FlowGraph(flow)
    joins = check_flow(flow, graph)
    ways = {node.id: _ways(flow, graph, node_id=node.id, joins=joins) for node in flow.nodes}
    return FlowPlan(
        flow=flow,
        nodes={node.id: node for node in flow.nodes},
        ways=ways,
        heads=frozenset(edge.target for edge in flow.edges if edge.kind is EdgeKind.LOOP),
        children={child.name: compile_flow(child) for child in flow.children},
    )


def uses_of(plan: FlowPlan) -> dict[str, str]:
    """Return the code that a flow and its children use, with a node that uses each."""
    own = {node.uses: node.id for node in plan.nodes.values() if node.uses}
    return {
        name: node for child in plan.children.values() for name, node in uses_of(child).items()
    } | own


def _ways(flow: FlowSpec, graph: FlowGraph, *, node_id: str, joins: Mapping[str, str]) -> Ways:
    onward = graph.onward[node_id]
    branches = tuple(edge.target for edge in onward if edge.kind is EdgeKind.PARALLEL)
    targets = {edge.target for edge in onward}
    return Ways(
        only=targets.pop() if len(targets) == 1 and not branches else "",
        by_outcome={edge.when: edge.target for edge in onward if edge.when is not None},
        loops=tuple(
            _loop(flow, graph, number=number, edge=edge)
            for number, edge in enumerate(flow.edges)
            if edge.kind is EdgeKind.LOOP and edge.source == node_id
        ),
        branches=branches,
        join=joins.get(node_id, ""),
    )


def _loop(flow: FlowSpec, graph: FlowGraph, *, number: int, edge: Edge) -> Loop:
    body = graph.between(edge.target, edge.source)
    inner = tuple(
        other
        for other, inside in enumerate(flow.edges)
        if inside.kind is EdgeKind.LOOP
        and other != number
        and {inside.source, inside.target} <= body
        and graph.between(inside.target, inside.source) < body
    )
    return Loop(
        number=number, target=edge.target, when=edge.when, bound=edge.bound or 1, inner=inner
    )


def route(
    ways: Ways, goto: str | None, *, taken: Mapping[int, int], onward: bool = False
) -> Loop | str:
    """Return the loop or the node that comes next; "" at the end of the flow.

    A loop whose bound is reached is no longer a way; with `onward` none is. An outcome without a
    branch takes the default one.
    """
    if not onward:
        for loop in ways.loops:
            if _applies(loop, ways, goto=goto) and taken.get(loop.number, 0) < loop.bound:
                return loop
    by_outcome = ways.by_outcome
    if by_outcome:
        target = by_outcome.get(goto or DEFAULT) or by_outcome.get(DEFAULT)
        if target is not None:
            return target
    return ways.only


def turn(loop: Loop, taken: dict[int, int]) -> None:
    """Count a turn of a loop; the loops within it begin anew."""
    taken[loop.number] = taken.get(loop.number, 0) + 1
    for inner in loop.inner:
        taken.pop(inner, None)


def _applies(loop: Loop, ways: Ways, *, goto: str | None) -> bool:
    if loop.when is not None:
        return loop.when == goto
    return goto is None or goto not in ways.by_outcome
