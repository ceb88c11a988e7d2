"""The arithmetic of the first stage: BM25, cosines, and their mixture, over one view.

Every value of a slot is computed from that slot and from counts over the readable slots alone, in
an order that no other document changes: so rankings are equal to the bit whatever is hidden.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from weft.index.segment import Floats
from weft.index.snapshot import Mask
from weft.index.view import Doubles, View

K1 = 1.5
B = 0.75


def idf(passages: int, frequency: int) -> float:
    """Return the weight of a term that occurs in `frequency` of `passages` passages."""
    return math.log(1.0 + (passages - frequency + 0.5) / (frequency + 0.5))


def bm25(view: View, stems: Iterable[str]) -> Doubles:
    """Return float64[slots]: BM25 of each slot for the stems, each counted once, in order."""
    scores = np.zeros(len(view.readable), dtype=np.float64)
    if not view.passages or not view.total_length:
        return scores
    average = view.total_length / view.passages
    for stem in sorted(set(stems)):
        slots, counts = view.postings(stem)
        if len(slots):
            frequency = counts.astype(np.float64)
            norm = K1 * (1.0 - B + B * view.lengths(slots) / average)
            weight = idf(view.passages, len(slots))
            scores[slots] += weight * frequency * (K1 + 1.0) / (frequency + norm)
    return scores


def cosines(rows: Floats, question: Floats) -> Floats:
    """Return float32[n]: the product of each unit row with the question's unit vector.

    Row by row: a matrix product would round a row differently by its neighbours.
    """
    products: Floats = np.vecdot(rows, question)
    return products


def scaled(scores: Doubles | Floats, readable: Mask) -> Doubles:
    """Return the scores moved to 0..1 over the readable slots; all 0 where they are all equal."""
    result = np.zeros(len(scores), dtype=np.float64)
    chosen = scores[readable].astype(np.float64)
    if len(chosen):
        low, high = float(chosen.min()), float(chosen.max())
        if high > low:
            result[readable] = (chosen - low) / (high - low)
    return result


def mixed(parts: Iterable[tuple[float, Doubles]]) -> Doubles:
    """Return the weighted sum of scaled scores, added in the order given."""
    total: Doubles | None = None
    for weight, scores in parts:
        total = weight * scores if total is None else total + weight * scores
    if total is None:
        raise ValueError("nothing to mix")
    return total
