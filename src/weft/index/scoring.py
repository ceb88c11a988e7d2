"""The arithmetic of the first stage: BM25, cosines, and their mixture, over one view.

Every value of a slot is computed from that slot and from counts over the readable slots alone, in
an order that no other document changes: so rankings are equal to the bit whatever is hidden.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from weft.domain.frozen import dataclass
from weft.index.segment import Floats
from weft.index.tables import Ints, Longs, Mask
from weft.index.view import Doubles, View

K1 = 1.5
B = 0.75


def idf(passages: int, frequency: int) -> float:
    """Return the weight of a term that occurs in `frequency` of `passages` passages."""
    return math.log(1.0 + (passages - frequency + 0.5) / (frequency + 0.5))


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """What one stem adds to the BM25 of the slots that have it (float64[n] beside int32[n]).

    The slots ascend.
    """

    slots: Ints
    values: Doubles
    idf: float

    def has(self, slots: Longs) -> Mask:
        """Return bool[n]: which of some slots have the stem."""
        if not len(self.slots):
            return np.zeros(len(slots), dtype=np.bool_)
        at = np.minimum(np.searchsorted(self.slots, slots), len(self.slots) - 1)
        return np.asarray(self.slots[at] == slots)


def postings(view: View, stems: Iterable[str]) -> dict[str, Posting]:
    """Return the posting of each stem, in order of the stems."""
    found: dict[str, Posting] = {}
    average = view.total_length / view.passages if view.passages else 0.0
    for stem in sorted(set(stems)):
        slots, counts = view.postings(stem)
        weight = idf(view.passages, len(slots))
        frequency = counts.astype(np.float64)
        norm = K1 * (1.0 - B + B * view.lengths(slots) / average) if average else frequency
        values = weight * frequency * (K1 + 1.0) / (frequency + norm)
        found[stem] = Posting(slots=slots, values=values, idf=weight)
    return found


def summed(size: int, found: Iterable[Posting]) -> Doubles:
    """Return float64[size]: the sum of some postings, added in the order given."""
    scores = np.zeros(size, dtype=np.float64)
    for posting in found:
        scores[posting.slots] += posting.values
    return scores


def bm25(view: View, stems: Iterable[str]) -> Doubles:
    """Return float64[slots]: BM25 of each slot for the stems, each counted once, in order."""
    return summed(len(view.readable), postings(view, stems).values())


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
