"""Vectors of some slots of a view: each value comes from its own row alone, wherever it lies.

So what is computed over some equals to the bit what a pass over all would give them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weft.index.scoring import cosines
from weft.index.segment import Floats, Segment
from weft.index.tables import Longs, offsets, ranges
from weft.index.view import Doubles, View

# So many rows are copied at a time as fit into a processor's own memory.
_BLOCK = 512


def leading(view: View, scores: Doubles, *, limit: int) -> Longs:
    """Return the readable slots, ascending, that score no less than the `limit`-th best of them.

    Those that tie with it are all among them, so that no order of slots decides.
    """
    slots = np.flatnonzero(view.readable)
    if len(slots) <= limit:
        return slots
    return slots[greatest(scores[slots], limit=limit)]


def greatest(values: Doubles, *, limit: int) -> Longs:
    """Return the places of the `limit` greatest values, and of all that tie with the last."""
    if len(values) <= limit:
        return np.arange(len(values), dtype=np.int64)
    border = np.partition(values, -limit)[-limit]
    return np.flatnonzero(values >= border)


def passage_vectors(view: View, slots: Longs) -> Floats:
    """Return float32[len(slots), d], the passage vectors of ascending slots."""
    found = np.empty((len(slots), view.snapshot.dimensions), dtype=np.float32)
    for segment, own, at in _parted(view, slots):
        np.take(segment.vectors, own, axis=0, out=found[at], mode="clip")
    return found


def best_sentences(view: View, slots: Longs, *, question: Floats) -> Floats:
    """Return float32[len(slots)] for ascending slots: the best cosine among a slot's sentences.

    It is -1 where a slot has none.
    """
    best = np.full(len(slots), -1.0, dtype=np.float32)
    for segment, own, at in _parted(view, slots):
        starts = np.asarray(segment.sentence_ptr[own])
        sizes = np.asarray(segment.sentence_ptr[own + 1]) - starts
        filled = np.flatnonzero(sizes)
        if len(filled):
            values = _cosines_at(segment.sentence_vectors, ranges(starts, sizes), question)
            best[at][filled] = np.maximum.reduceat(values, offsets(sizes[filled])[:-1])
    return best


def _cosines_at(vectors: Floats, rows: Longs, question: Floats) -> Floats:
    values = np.empty(len(rows), dtype=np.float32)
    block = np.empty((min(_BLOCK, len(rows)), vectors.shape[1]), dtype=np.float32)
    for start in range(0, len(rows), _BLOCK):
        some = rows[start : start + _BLOCK]
        copied = block[: len(some)]
        np.take(vectors, some, axis=0, out=copied, mode="clip")
        values[start : start + _BLOCK] = cosines(copied, question)
    return values


def _parted(view: View, slots: Longs) -> Iterator[tuple[Segment, Longs, slice]]:
    """Yield each segment that has some of the slots, its own numbers of them, and their places."""
    start, first = 0, 0
    for live in view.snapshot.segments:
        end = start + live.segment.size
        last = int(np.searchsorted(slots, end))
        if last > first:
            yield live.segment, slots[first:last] - start, slice(first, last)
        start, first = end, last
