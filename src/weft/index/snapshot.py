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
class LiveSegment:
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
    segments: tuple[LiveSegment, ...]
    lexicon: Lexicon = field(default_factory=Lexicon, compare=False, repr=False)

    @property
    def size(self) -> int:
        """Return the number of slots, dead ones included."""
        return sum(live.segment.size for live in self.segments)

    @property
    def serials(self) -> Longs:
        """Return int64[slots]: the serial of each."""
        none = np.zeros(0, dtype=np.int64)
        return np.concatenate([none, *(live.serials for live in self.segments)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What happened since a version: documents as they are now, and the ids of those gone."""

    version: int
    documents: Sequence[DocumentRow]
    gone: frozenset[str]


def empty(dimensions: int) -> Snapshot:
    """Return the snapshot of a knowledge base where nothing was ever published."""
    return Snapshot(version=0, dimensions=dimensions, segments=())


def apply(snapshot: Snapshot, changes: Changes, *, name: str) -> Snapshot:
    """Return the next snapshot; `name` is the new segment's own."""
    replaced = changes.gone | {row.id for row in changes.documents}
    segments = [_without(live, replaced) for live in snapshot.segments]
    segments = [live for live in segments if live.alive.any()]
    if changes.documents:
        segment = build(name, changes.documents, dimensions=snapshot.dimensions)
        segments.append(all_alive(segment, snapshot.lexicon.serials(segment.size)))
    if len(segments) > MAX_SEGMENTS:
        last = _small(segments)
        segments = [*segments[:last], merged_segments(segments[last:], f"{name}-m")]
    snapshot.lexicon.keep(live.segment.name for live in segments)
    return replace(snapshot, version=changes.version, segments=tuple(segments))


def _without(live: LiveSegment, replaced: frozenset[str]) -> LiveSegment:
    places = [live.segment.place(document) for document in replaced]
    held = [place for place in places if place is not None and live.alive[place].any()]
    if not held:
        return live
    alive = live.alive.copy()
    for place in held:
        alive[place] = False
    return replace(live, alive=alive)


def _small(segments: Sequence[LiveSegment]) -> int:
    """Return where the last segments begin that are merged: at least two, and none much larger."""
    at = len(segments) - 2
    total = segments[-1].segment.size + segments[at].segment.size
    while at > 0 and segments[at - 1].segment.size <= _GROWTH * total:
        at -= 1
        total += segments[at].segment.size
    return at


def all_alive(segment: Segment, serials: Longs) -> LiveSegment:
    """Return a segment with all of it alive."""
    return LiveSegment(
        segment=segment, alive=np.ones(segment.size, dtype=np.bool_), serials=serials
    )


def merged_segments(segments: Sequence[LiveSegment], name: str) -> LiveSegment:
    """Return the living slots of some segments as one of that name."""
    segment = merge(name, [(live.segment, live.alive) for live in segments])
    return all_alive(segment, np.concatenate([live.serials[live.alive] for live in segments]))
