"""A snapshot: one version of a knowledge base as segments, some of their slots no longer alive.

A snapshot never changes; applying changes gives the next one and shares all that stayed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from weft.index.lexicon import Lexicon
from weft.index.merging import merge
from weft.index.segment import DocumentRow, Segment, build
from weft.index.tables import Longs, Mask

MAX_SEGMENTS = 8
_GROWTH = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A segment, which of its slots are alive in this version, and their serial numbers.

    A serial (int64) stays with a passage for as long as this process holds it, also when its
    segment is merged with others; the lexicon gives them out.
    """

    segment: Segment
    alive: Mask
    serials: Longs


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All passages of one version; `dimensions` is that of the vectors, 0 without an embedder."""

    version: int
    dimensions: int
    parts: tuple[Part, ...]
    lexicon: Lexicon = field(default_factory=Lexicon, compare=False, repr=False)

    @property
    def size(self) -> int:
        """Return the number of slots, dead ones included."""
        return sum(part.segment.size for part in self.parts)

    @property
    def serials(self) -> Longs:
        """Return int64[slots]: the serial of each."""
        none = np.zeros(0, dtype=np.int64)
        return np.concatenate([none, *(part.serials for part in self.parts)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What happened since a version: documents as they are now, and the ids of those gone."""

    version: int
    documents: Sequence[DocumentRow]
    gone: frozenset[str]


def empty(dimensions: int) -> Snapshot:
    """Return the snapshot of a knowledge base where nothing was ever published."""
    return Snapshot(version=0, dimensions=dimensions, parts=())


def apply(snapshot: Snapshot, changes: Changes, *, name: str) -> Snapshot:
    """Return the next snapshot; `name` is the new segment's own."""
    replaced = changes.gone | {row.id for row in changes.documents}
    parts = [_without(part, replaced) for part in snapshot.parts]
    parts = [part for part in parts if part.alive.any()]
    if changes.documents:
        segment = build(name, changes.documents, dimensions=snapshot.dimensions)
        parts.append(whole(segment, snapshot.lexicon.serials(segment.size)))
    if len(parts) > MAX_SEGMENTS:
        last = _small(parts)
        parts = [*parts[:last], merged(parts[last:], f"{name}-m")]
    snapshot.lexicon.keep(part.segment.name for part in parts)
    return replace(snapshot, version=changes.version, parts=tuple(parts))


def _without(part: Part, replaced: frozenset[str]) -> Part:
    places = [part.segment.place(document) for document in replaced]
    held = [place for place in places if place is not None and part.alive[place].any()]
    if not held:
        return part
    alive = part.alive.copy()
    for place in held:
        alive[place] = False
    return replace(part, alive=alive)


def _small(parts: Sequence[Part]) -> int:
    """Return where the last parts begin that are merged: at least two, and none much larger."""
    at = len(parts) - 2
    total = parts[-1].segment.size + parts[at].segment.size
    while at > 0 and parts[at - 1].segment.size <= _GROWTH * total:
        at -= 1
        total += parts[at].segment.size
    return at


def whole(segment: Segment, serials: Longs) -> Part:
    """Return a segment as a part, all of it alive."""
    return Part(segment=segment, alive=np.ones(segment.size, dtype=np.bool_), serials=serials)


def merged(parts: Sequence[Part], name: str) -> Part:
    """Return the living slots of some parts as one part of that name."""
    segment = merge(name, [(part.segment, part.alive) for part in parts])
    return whole(segment, np.concatenate([part.serials[part.alive] for part in parts]))
