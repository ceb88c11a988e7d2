"""The graph under a flow: what comes after what, loops apart."""

from __future__ import annotations

from collections.abc import Iterable

from weft.runtime.flow import Edge, EdgeKind, FlowSpec


class FlowGraph:
    """A flow's nodes with their edges; "onward" means every edge but the loops.

    Edges must end at nodes of the flow.
    """

    def __init__(self, flow: FlowSpec) -> None:
        self.onward: dict[str, list[Edge]] = {node.id: [] for node in flow.nodes}
        self.loops: dict[str, list[Edge]] = {node.id: [] for node in flow.nodes}
        for edge in flow.edges:
            side = self.loops if edge.kind is EdgeKind.LOOP else self.onward
            side.setdefault(edge.source, []).append(edge)

    def next(self, node_id: str) -> list[str]:
        """Return the nodes one onward edge away, in the order they were declared."""
        return [edge.target for edge in self.onward.get(node_id, ())]

    def reachable(self, starts: Iterable[str], *, stop: str = "") -> set[str]:
        """Return the nodes onward of `starts`, themselves included, up to but without `stop`."""
        found: set[str] = set()
        waiting = [start for start in starts if start != stop]
        while waiting:
            node_id = waiting.pop()
            if node_id not in found:
                found.add(node_id)
                waiting.extend(after for after in self.next(node_id) if after != stop)
        return found

    def between(self, first: str, last: str) -> set[str]:
        """Return the nodes on any onward way from `first` to `last`, both included."""
        return {node_id for node_id in self.reachable([first]) if last in self.reachable([node_id])}

    def order(self) -> list[str]:
        """Return the nodes, each before those onward of it; a shorter list if there is a cycle."""
        before = dict.fromkeys(self.onward, 0)
        for node_id in self.onward:
            for after in self.next(node_id):
                before[after] += 1
        ready = [node_id for node_id, count in before.items() if not count]
        for node_id in ready:
            for after in self.next(node_id):
                before[after] -= 1
                if not before[after]:
                    ready.append(after)
        return ready

    def inevitable(self) -> dict[str, frozenset[str]]:
        """Return for each node those that every onward way from it passes, itself included.

        They lie on one line, so the nearest of a common set is the one with the most of its own.
        """
        passed: dict[str, frozenset[str]] = {}
        for node_id in reversed(self.order()):
            after = [passed[target] for target in self.next(node_id)]
            shared = frozenset.intersection(*after) if after else frozenset[str]()
            passed[node_id] = shared | {node_id}
        return passed
