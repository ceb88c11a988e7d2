"""Token states turned into a passage's vector and its sentences' vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from weft.domain.document import Span
from weft.domain.facts import Vectors

Array = npt.NDArray[np.float32]


def pool(states: Array, starts: npt.NDArray[np.int64], *, sentences: Sequence[Span]) -> Vectors:
    """Return the normalised means of all states and of those inside each sentence.

    `states` float32[n, d] with the special tokens at both ends, `starts` int64[n - 2]. A token
    belongs to the sentence in which it begins; a sentence without tokens (past the truncation, or
    nothing but blanks) gets the passage's vector.
    """
    passage = _direction(states)
    rows = np.empty((len(sentences), states.shape[1]), np.float32)
    inner = states[1:-1]
    first = np.searchsorted(starts, [span.start for span in sentences])
    last = np.searchsorted(starts, [span.end for span in sentences])
    for row, (begin, end) in enumerate(zip(first, last, strict=True)):
        rows[row] = _direction(inner[begin:end]) if begin < end else passage
    return Vectors(passage=passage, sentences=rows)


def _direction(states: Array) -> Array:
    """Return the unit vector of the sum, added in float64 and row by row: the same bits always."""
    total = states.sum(axis=0, dtype=np.float64)
    unit: Array = (total / np.sqrt(np.square(total).sum())).astype(np.float32)
    return unit
