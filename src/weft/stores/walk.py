"""References between documents, followed hop by hop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from weft.domain.ids import DocumentId
from weft.ports.knowledge import Reference

_MAX_DEPTH = 3


class Walk:
    """Widens a set of documents; an edge is found once, whichever end was first."""

    def __init__(self, start: Iterable[DocumentId], depth: int) -> None:
        """Take where it begins, and how many hops it may make: one to three."""
        self._known: set[str] = set(start)
        self._frontier: set[str] = set(self._known)
        self._left = min(max(depth, 1), _MAX_DEPTH)
        self._edges: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

    @property
    def frontier(self) -> list[str]:
        """Return whose edges are to be read next, in order; none when the walk is over."""
        return sorted(self._frontier) if self._left else []

    def add(self, edges: Iterable[tuple[str, str, Iterable[str]]]) -> None:
        """Take in the edges of the frontier: source, target and kinds."""
        reached: set[str] = set()
        for source, target, kinds in edges:
            self._edges[source, target].update(kinds)
            reached |= {source, target}
        self._frontier = reached - self._known
        self._known |= reached
        self._left -= 1

    def references(self) -> list[Reference]:
        """Return the edges found, ordered by their ends."""
        return [
            Reference(source=DocumentId(s), target=DocumentId(t), kinds=tuple(sorted(kinds)))
            for (s, t), kinds in sorted(self._edges.items())
        ]
