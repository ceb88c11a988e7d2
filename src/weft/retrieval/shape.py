"""The shape of a question's scores: whether one passage seems to answer it, or several do.

It is read off what the stages gave to the pool, never off the question's words: how far the first
passage is ahead, how much of the question it holds, what a second one would add.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.index.scoring import K1
from weft.index.tables import Longs
from weft.index.view import Doubles
from weft.retrieval.features import FEATURES, StageResults
from weft.retrieval.first_stage import FirstStage

SHAPE = (
    "held",
    "missing",
    "gap",
    "entropy",
    "gain",
    "agreed",
    "base_gap",
    "hop_any",
    "hop_linked",
    "hop_joint",
    "hop_text",
    "text_gap",
    "text_share",
    "cosine",
    "sentence",
    "defined_any",
    "defined",
    "named",
    "named_any",
    "has_names",
)
_LEADING = 10
_WARMTH = 0.1


def shape(stages: StageResults, within: Sequence[int], *, raw: Doubles) -> Doubles:
    """Return float64[20] of a pool of slots, not empty, with their 20 raw features.

    `held` is the share of the question's idf that the first passage by the first stage has,
    `missing` the greatest idf it lacks over the greatest of all, `gain` what the best second one
    adds to `held`; `agreed` is the lesser of its scores by words and by vectors. Gaps are between
    the first and the second of the pool, `entropy` (nats) is that of the ten that lead.
    `text_share` is the greatest BM25 over the greatest possible one; `cosine`, `sentence` and
    `hop_*` are the greatest of the pool. `defined` and `named` are of question names: the greatest
    idf defined and the idf share named, by the first passage and by any.
    """
    at = np.array(within, dtype=np.int64)
    first, hop = stages.first, stages.hop
    fused = first.mixed[at]
    lead = int(np.argmax(fused))
    held, missing, gain = _coverage(first, at, lead)
    whole = sum(posting.idf for posting in first.postings.values())
    defines, names = raw[:, FEATURES.index("qdef")], raw[:, FEATURES.index("qment")]
    text = first.text_scaled[at]
    return np.array(
        [
            held,
            missing,
            _gap(fused),
            _entropy(fused),
            gain,
            min(text[lead], first.passage_scaled[at[lead]]),
            _gap(stages.graph.base[at]),
            hop.anything[at].max(),
            hop.linked[at].max(),
            hop.joint[at].max(),
            hop.text[at].max(),
            _gap(text),
            first.text[at].max() / (whole * (K1 + 1.0)) if whole else 0.0,
            first.passage[at].max(),
            first.sentence[at].max(),
            defines.max(),
            defines[lead],
            names[lead],
            names.max(),
            float(len(stages.graph.keys) > 0),
        ],
        dtype=np.float64,
    )


def _gap(scores: Doubles) -> float:
    """Return how far the first of some scores is ahead of the second, or of nothing."""
    ordered = np.sort(scores)[::-1]
    return float(ordered[0] - (ordered[1] if len(ordered) > 1 else 0.0))


def _entropy(scores: Doubles) -> float:
    """Return in nats how evenly the first ten scores share what leads."""
    ordered = np.sort(scores)[::-1][:_LEADING]
    shares = np.exp((ordered - ordered[0]) / _WARMTH)
    shares /= shares.sum()
    return float(-(shares * np.log(shares)).sum())


def _coverage(first: FirstStage, at: Longs, lead: int) -> tuple[float, float, float]:
    """Return of the question's idf: the leader's share, its greatest lack, a second one's gain."""
    whole = sum(posting.idf for posting in first.postings.values())
    if not whole:
        return 0.0, 0.0, 0.0
    greatest = max(posting.idf for posting in first.postings.values())
    held, missing = 0.0, 0.0
    gains = np.zeros(len(at))
    for posting in first.postings.values():
        has = posting.has(at)
        if has[lead]:
            held += posting.idf / whole
        else:
            missing = max(missing, posting.idf / greatest)
            gains += has * posting.idf / whole
    return held, missing, float(gains.max())
