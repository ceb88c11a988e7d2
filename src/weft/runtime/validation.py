"""What must hold of a flow before it runs; every complaint names a node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from weft.domain.errors import InvalidFlow
from weft.runtime.flow import DEFAULT, Edge, EdgeKind, FlowSpec, NodeKind, NodeSpec
from weft.runtime.graph import FlowGraph


def check_flow(flow: FlowSpec, graph: FlowGraph) -> dict[str, str]:
    """Return the join of each parallel node, or raise `InvalidFlow` for the first thing wrong."""
    _check_names(flow)
    for node in flow.nodes:
        _check_node(flow, node, graph=graph)
    _check_cycles(flow, graph)
    _check_reachable(flow, graph)
    passed = graph.inevitable()
    joins = {
        node.id: _join(graph, node, passed=passed)
        for node in flow.nodes
        if node.kind is NodeKind.PARALLEL
    }
    for node_id, join in joins.items():
        _check_branches(flow, graph, node_id=node_id, join=join)
    return joins


def _wrong(node_id: str, complaint: str) -> InvalidFlow:
    return InvalidFlow(f"node '{node_id}' {complaint}", node=node_id)


def _check_names(flow: FlowSpec) -> None:
    _check_children(flow)
    known: set[str] = set()
    for node in flow.nodes:
        if node.id in known:
            raise _wrong(node.id, "is declared twice")
        known.add(node.id)
    if not flow.exits:
        raise InvalidFlow(f"flow '{flow.name}' has no exit", flow=flow.name)
    named = [("the entry", flow.entry), *(("an exit", exit_id) for exit_id in flow.exits)]
    if flow.budget_exit:
        named.append(("the budget's exit", flow.budget_exit))
    for edge in flow.edges:
        named += [("the start of an edge", edge.source), ("the end of an edge", edge.target)]
    named += [(f"the join of '{node.id}'", node.join) for node in flow.nodes if node.join]
    for role, node_id in named:
        if node_id not in known:
            raise _wrong(node_id, f"is {role} but is not declared")


def _check_children(flow: FlowSpec) -> None:
    known: set[str] = set()
    for child in flow.children:
        if child.name in known:
            raise InvalidFlow(f"flow '{flow.name}' has two children named '{child.name}'")
        known.add(child.name)


def _check_node(flow: FlowSpec, node: NodeSpec, *, graph: FlowGraph) -> None:
    onward, loops = graph.onward[node.id], graph.loops[node.id]
    for edge in (*onward, *loops):
        _check_edge(node, edge)
    if node.kind is NodeKind.PARALLEL:
        _check_parallel(node, onward, loops=loops)
    else:
        _check_plain(node, onward)
    _check_map(flow, node, onward=onward, loops=loops)
    if node.id in flow.exits:
        if onward or loops:
            raise _wrong(node.id, "is an exit but has edges that leave it")
    elif not onward:
        raise _wrong(node.id, "is no exit but no edge leads on from it")
    _check_outcomes(node, onward, loops=loops)


def _check_edge(node: NodeSpec, edge: Edge) -> None:
    if (edge.kind is EdgeKind.LOOP) != (edge.bound is not None):
        raise _wrong(node.id, f"has an edge to '{edge.target}': a loop, and no other, has a bound")
    if edge.kind is EdgeKind.CONDITIONAL and not edge.when:
        raise _wrong(node.id, f"has a conditional edge to '{edge.target}' without a 'when'")
    if edge.kind in {EdgeKind.SEQUENTIAL, EdgeKind.PARALLEL} and edge.when is not None:
        raise _wrong(node.id, f"has a {edge.kind} edge to '{edge.target}' with a 'when'")


def _check_parallel(node: NodeSpec, onward: list[Edge], *, loops: list[Edge]) -> None:
    if loops or any(edge.kind is not EdgeKind.PARALLEL for edge in onward):
        raise _wrong(node.id, "is parallel but has an edge of another kind")
    if not onward:
        raise _wrong(node.id, "is parallel but has no branch")
    _check_no_twins(node, [edge.target for edge in onward])


def _check_plain(node: NodeSpec, onward: list[Edge]) -> None:
    kinds = {edge.kind for edge in onward}
    if not node.uses:
        raise _wrong(node.id, "does not say what it uses")
    if node.join:
        raise _wrong(node.id, "has a join but is not parallel")
    if EdgeKind.PARALLEL in kinds:
        raise _wrong(node.id, "has parallel edges but is not parallel")
    if EdgeKind.SEQUENTIAL in kinds and len(onward) > 1:
        raise _wrong(node.id, "has a sequential edge beside others: make one node parallel")


def _check_map(flow: FlowSpec, node: NodeSpec, *, onward: list[Edge], loops: list[Edge]) -> None:
    if node.kind is not NodeKind.MAP:
        if node.flow or node.into:
            raise _wrong(node.id, "names a child flow but is no map node")
        return
    if node.flow not in {child.name for child in flow.children}:
        raise _wrong(node.id, f"runs '{node.flow}', which is none of the flow's children")
    if not node.into:
        raise _wrong(node.id, "does not say where its results go")
    if loops or [edge.kind for edge in onward] != [EdgeKind.SEQUENTIAL]:
        raise _wrong(node.id, "is a map but does not lead on by one sequential edge")


def _check_no_twins(node: NodeSpec, names: Iterable[str | None]) -> None:
    seen: set[str | None] = set()
    for name in names:
        if name in seen:
            raise _wrong(node.id, f"has two edges for '{name}'")
        seen.add(name)


def _check_outcomes(node: NodeSpec, onward: list[Edge], *, loops: list[Edge]) -> None:
    branches = {edge.when for edge in onward if edge.when is not None}
    answered = branches | {edge.when for edge in loops if edge.when is not None}
    _check_no_twins(node, [edge.when for edge in onward if edge.when is not None])
    _check_no_twins(node, [edge.when for edge in loops])
    if (node.kind is NodeKind.DECISION or answered) and not node.outcomes:
        raise _wrong(node.id, "decides but does not list its outcomes")
    for unknown in sorted(answered - set(node.outcomes) - {DEFAULT}):
        raise _wrong(node.id, f"has a branch for '{unknown}', which is none of its outcomes")
    if not branches or DEFAULT in branches:
        return
    for outcome in node.outcomes:
        if outcome not in answered:
            raise _wrong(node.id, f"has no branch for its outcome '{outcome}'")
    if len({edge.target for edge in onward}) > 1:
        _check_fallback(node, any(edge.when not in branches for edge in loops))


def _check_fallback(node: NodeSpec, has_loop: bool) -> None:
    if node.optional:
        raise _wrong(node.id, "is optional but has no default branch to take when it fails")
    if has_loop:
        raise _wrong(node.id, "has no default branch to take when a loop's bound is reached")


def _check_cycles(flow: FlowSpec, graph: FlowGraph) -> None:
    ordered = set(graph.order())
    for node in flow.nodes:
        cyclic = any(node.id in graph.reachable([after]) for after in graph.next(node.id))
        if node.id not in ordered and cyclic:
            raise _wrong(node.id, "is on a cycle that no loop edge declares")
    for edge in flow.edges:
        if edge.kind is EdgeKind.LOOP and edge.source not in graph.reachable([edge.target]):
            raise _wrong(edge.source, f"has a loop edge to '{edge.target}' that does not go back")


def _check_reachable(flow: FlowSpec, graph: FlowGraph) -> None:
    # A loop only goes back to where the run has been, so onward edges reach all there is.
    starts = [flow.entry, flow.budget_exit] if flow.budget_exit else [flow.entry]
    found = graph.reachable(starts)
    for node in flow.nodes:
        if node.id not in found:
            raise _wrong(node.id, "cannot be reached")


def _join(graph: FlowGraph, node: NodeSpec, *, passed: Mapping[str, frozenset[str]]) -> str:
    heads = graph.next(node.id)
    common = frozenset.intersection(*(passed[head] for head in heads))
    if len(heads) == 1:
        # A fork of one is still a branch: it ends after its node, not before it.
        common -= {heads[0]}
    if node.join:
        if node.join not in common:
            raise _wrong(node.id, f"is parallel but a branch can miss its join '{node.join}'")
        return node.join
    if not common:
        raise _wrong(node.id, "is parallel but its branches meet at no join")
    return max(common, key=lambda other: len(passed[other]))


def _check_branches(flow: FlowSpec, graph: FlowGraph, *, node_id: str, join: str) -> None:
    owner: dict[str, str] = {}
    for head in graph.next(node_id):
        branch = graph.reachable([head], stop=join)
        for inside in sorted(branch):
            if inside in owner:
                raise _wrong(inside, f"is in two branches of '{node_id}', before their join")
            owner[inside] = head
    for place in (flow.entry, flow.budget_exit):
        if place in owner:
            raise _wrong(place, f"is within a branch of '{node_id}': a run cannot start there")
    for edge in flow.edges:
        if edge.kind is EdgeKind.LOOP and owner.get(edge.source) != owner.get(edge.target):
            raise _wrong(edge.source, f"has a loop edge that crosses a branch of '{node_id}'")
