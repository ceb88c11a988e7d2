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
from weft.index.tables import Mask

MAX_SEGMENTS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A segment and which of its slots are alive in this version."""

    segment: Segment
    alive: Mask


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
        segment = build(name, changes.documents, snapshot.dimensions)
        parts.append(Part(segment=segment, alive=np.ones(segment.size, dtype=np.bool_)))
    if len(parts) > MAX_SEGMENTS:
        parts = [_merged(parts, name)]
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
    return Part(segment=part.segment, alive=alive)


def _merged(parts: Sequence[Part], name: str) -> Part:
    segment = merge(f"{name}-m", [(part.segment, part.alive) for part in parts])
    return Part(segment=segment, alive=np.ones(segment.size, dtype=np.bool_))
