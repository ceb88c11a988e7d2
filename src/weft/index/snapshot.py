"""A snapshot: one version of a knowledge base as segments, some of their slots no longer alive.

A snapshot never changes; applying changes gives the next one and shares all that stayed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import accumulate
from uuid import uuid4

import numpy as np

from weft.domain.frozen import dataclass
from weft.index.lexicon import Lexicon
from weft.index.segment import DocumentRow, Segment, build
from weft.index.tables import Ints, Longs, Mask

# How many segments that are not full there may be before some are merged: while nobody waits, and
# while somebody does.
FEW_SMALL, MOST_SMALL = 8, 16
# A full one is merged no more: what is deleted of it is taken out by writing it alone anew, which
# must not take longer in a larger knowledge base.
FULL = 2_048
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
    _ends: list[int] = field(default_factory=list, init=False, compare=False, repr=False)
    _lengths: list[Ints] = field(default_factory=list, init=False, compare=False, repr=False)

    @property
    def size(self) -> int:
        """Return the number of slots, dead ones included."""
        return sum(live.segment.size for live in self.segments)

    def located(self, slot: int) -> tuple[Segment, int]:
        """Return the segment that a slot lies in, and its number there."""
        if not self._ends:
            self._ends[:] = accumulate(live.segment.size for live in self.segments)
        at = bisect_right(self._ends, slot)
        if at == len(self.segments):
            raise IndexError(slot)
        segment = self.segments[at].segment
        return segment, slot - self._ends[at] + segment.size

    @property
    def lengths(self) -> Ints:
        """Return int32[slots]: the length of each, put side by side when first asked for."""
        if not self._lengths:
            none = np.zeros(0, dtype=np.int32)
            parts = [live.segment.length for live in self.segments]
            self._lengths.append(np.concatenate([none, *parts]))
        return self._lengths[0]

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
    for part, documents in enumerate(_parts(changes.documents)):
        own = f"{name}-{part}" if part else name
        segment = build(own, documents, dimensions=snapshot.dimensions)
        segments.append(all_alive(segment, snapshot.lexicon.serials(segment.size)))
    changed = replace(snapshot, version=changes.version, segments=tuple(segments))
    return compacted(changed, most=MOST_SMALL)


def segment_name(version: int) -> str:
    """Return a name that no other segment has, of this process or another."""
    return f"s{version}-{uuid4().hex[:8]}"


def compacted(snapshot: Snapshot, *, most: int) -> Snapshot:
    """Return a snapshot with so many segments that are not full, itself where there are no more.

    The last of them are merged into one.
    """
    segments = list(snapshot.segments)
    small = [live for live in segments if live.segment.size < FULL]
    if len(small) > most:
        last = small[_small(small) :]
        names = {live.segment.name for live in last}
        segments = [live for live in segments if live.segment.name not in names]
        name = segment_name(snapshot.version)
        segments.append(merged_segments(last, name, lexicon=snapshot.lexicon))
        snapshot = replace(snapshot, segments=tuple(segments))
    snapshot.lexicon.keep(live.segment.name for live in segments)
    return snapshot


def _without(live: LiveSegment, replaced: frozenset[str]) -> LiveSegment:
    places = [live.segment.place(document) for document in replaced]
    held = [place for place in places if place is not None and live.alive[place].any()]
    if not held:
        return live
    alive = live.alive.copy()
    for place in held:
        alive[place] = False
    return replace(live, alive=alive)


def _parts(documents: Sequence[DocumentRow]) -> Iterator[Sequence[DocumentRow]]:
    """Yield the documents in runs, each of which fills a segment at least, but for the last."""
    ends = np.cumsum([len(document.passages) for document in documents], dtype=np.int64)
    begin = 0
    while begin < len(documents):
        before = int(ends[begin - 1]) if begin else 0
        end = int(np.searchsorted(ends, before + FULL)) + 1
        yield documents[begin:end]
        begin = end


def _small(segments: Sequence[LiveSegment]) -> int:
    """Return where the last segments begin that are merged: at least two, and none much larger.

    Together they are no more than two that are full.
    """
    at = len(segments) - 2
    total = segments[-1].segment.size + segments[at].segment.size
    while at > 0 and total < FULL and segments[at - 1].segment.size <= _GROWTH * total:
        at -= 1
        total += segments[at].segment.size
    return at


def all_alive(segment: Segment, serials: Longs) -> LiveSegment:
    """Return a segment with all of it alive."""
    return LiveSegment(
        segment=segment, alive=np.ones(segment.size, dtype=np.bool_), serials=serials
    )


def merged_segments(segments: Sequence[LiveSegment], name: str, *, lexicon: Lexicon) -> LiveSegment:
    """Return the living slots of some segments as one of that name, numbered as they are."""
    from weft.index.merging import merge  # here, because only what writes merges

    segment, numbers = merge(name, [(live.segment, live.alive) for live in segments])
    parts = [
        (live.segment.name, live.segment.facts, own)
        for live, own in zip(segments, numbers, strict=True)
    ]
    lexicon.carry_over(name, segment.facts, parts=parts)
    return all_alive(segment, np.concatenate([live.serials[live.alive] for live in segments]))
