"""What tells of a whole search whether the units it put first answer the question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from weft.offline.question.names import flat_text, keys_of_title
from weft.offline.units.question import Doubles, UnitQuestion
from weft.offline.units.unit_features import (
    KINDS_ASKED,
    FoundUnit,
    StemMatches,
    share,
    worst_missing,
)

FIRST = 3
_SEVERAL = 8
# Of the first unit itself.
_OF_FIRST = (
    "score", "cosine", "cosine_z", "cosine_rank", "cov_unit", "cov_under", "cov_near",
    "cov_passage", "cov_alike", "cov_rank", "miss_unit", "miss_near", "miss_passage",
    "names_unit", "names_near",
    "focus_unit", "focus_near", "pairs", "order", "window", "fit", "fit_near", "fit_missed",
    "novelty", "defines", "length", "cov_said", "miss_said", "lead_defines",
    "says",
)  # fmt: skip
# Where a base has a line or two, the same words are rare or unknown that are common elsewhere.
_WHERE_FEW = ("cov_unit", "cov_near", "miss_near", "cov_alike", "names_near", "cosine", "fit")
_MANY = 4.0  # doublings of the units from which on it is no small base
_OF_THREE = ("cov_unit", "cov_near", "cosine", "fit", "names_unit", "pairs")
OUTCOME_FEATURES: tuple[str, ...] = (
    "gap_2", "gap_4", "gap_several", "weight_first", "weight_three", "one_document", "one_passage",
    *(f"first_{name}" for name in _OF_FIRST),
    *(f"three_{name}" for name in _OF_THREE),
    "spans", "spans_held", "spans_first", "spans_titled",
    "stems", "unseen_share", "unseen_most", "unseen_name",
    "hit_1", "hit_2", "hit_3", "hit_gap", "hit_cosine", "hit_cosine_most",
    "passage_cov", "passages_cov", "all_cov", "passage_miss", "passages_miss", "all_miss",
    "passage_names", "passages_names", "passages_focus", "place", "documents",
    "few", *(f"few_{name}" for name in _WHERE_FEW),
    *(f"asks_{kind.value}" for kind in KINDS_ASKED),
)  # fmt: skip


def outcome_features(
    question: UnitQuestion,
    units: Sequence[FoundUnit],
    *,
    found: Mapping[str, Doubles],
    matches: StemMatches,
    scores: Doubles,
) -> dict[str, float]:
    """Return numbers by the names of `OUTCOME_FEATURES` for units and their scores."""
    order = np.argsort(-scores, kind="stable")
    few = max(0.0, 1.0 - math.log2(len(units)) / _MANY)
    return {
        "few": few,
        **{f"few_{name}": few * float(found[name][order[0]]) for name in _WHERE_FEW},
        **_of_scores(scores[order], [units[n] for n in order[:FIRST]]),
        **{f"first_{name}": float(found[name][order[0]]) for name in _OF_FIRST},
        **{f"three_{name}": float(found[name][order[:FIRST]].max()) for name in _OF_THREE},
        **_of_question(question),
        **_of_names(question.spans, units),
        **_of_passages(question, units, matches),
        "hit_cosine": float(found["passage_cosine"][0]),
        "hit_cosine_most": float(found["passage_cosine"].max()),
    }


def _of_scores(scores: Doubles, first: Sequence[FoundUnit]) -> dict[str, float]:
    weights = np.exp(scores - scores[0])
    weights /= weights.sum()
    best = float(scores[0])
    return {
        "gap_2": best - float(scores[min(1, len(scores) - 1)]),
        "gap_4": best - float(scores[min(FIRST, len(scores) - 1)]),
        "gap_several": best - float(scores[:_SEVERAL].mean()),
        "weight_first": float(weights[0]),
        "weight_three": float(weights[:FIRST].sum()),
        "one_document": float(len({u.hit.evidence.document_id for u in first}) == 1),
        "one_passage": float(len({u.evidence_id for u in first}) == 1),
    }


def _of_question(question: UnitQuestion) -> dict[str, float]:
    w, unseen = question.weights, question.unseen
    return {
        "stems": float(len(question.stems)),
        "unseen_share": float(w[unseen].sum()) / question.total,
        "unseen_most": float(w[unseen].max(initial=0.0)),
        "unseen_name": float((unseen & question.names).any()),
        **{f"asks_{kind.value}": float(kind is question.kind) for kind in KINDS_ASKED},
    }


def _of_names(spans: Sequence[str], units: Sequence[FoundUnit]) -> dict[str, float]:
    """Return which part of the names stand whole in passages, in the first, and in titles.

    Their words may well stand there apart where nothing is about what they name.
    """
    hits = list({u.rank: u.hit for u in units}.values())
    flats = [flat_text(f"{hit.evidence.title}\n{hit.evidence.text}") for hit in hits]
    titles = frozenset(key for hit in hits for key in keys_of_title(hit.evidence.title))
    count = max(1, len(spans))
    lacking = float(not spans)
    return {
        "spans": float(len(spans)),
        "spans_held": lacking + sum(any(f" {s} " in f for f in flats) for s in spans) / count,
        "spans_first": lacking + sum(f" {s} " in flats[0] for s in spans) / count,
        "spans_titled": lacking + sum(s in titles for s in spans) / count,
    }


def _of_passages(
    question: UnitQuestion, units: Sequence[FoundUnit], matches: StemMatches
) -> dict[str, float]:
    """Return how the passages were found, and what part of the question they have together."""
    firsts: dict[int, int] = {}
    for n, one in enumerate(units):
        firsts.setdefault(one.rank, n)
    rows = list(firsts.values())
    hits = [units[n].hit for n in rows]
    scores = [*(hit.score for hit in hits[:FIRST]), 0.0, 0.0, 0.0]
    held = matches.passage[rows]
    w, names = question.weights, question.names.astype(np.float64)
    together = {"passage": held[:1], "passages": held[:FIRST], "all": held}
    joined = {name: np.any(marks, axis=0).reshape(1, -1) for name, marks in together.items()}
    places = np.array(
        [[stem in units[n].passage.place for stem in question.stems] for n in rows], dtype=bool
    ).reshape(len(rows), len(question.stems))
    return {
        **{f"hit_{n + 1}": scores[n] for n in range(FIRST)},
        "hit_gap": scores[0] - scores[1],
        **{f"{name}_cov": float(share(marks, w)[0]) for name, marks in joined.items()},
        **{f"{name}_miss": float(worst_missing(marks, w)[0]) for name, marks in joined.items()},
        "passage_names": float(share(joined["passage"], names)[0]),
        "passages_names": float(share(joined["passages"], names)[0]),
        "passages_focus": float(share(joined["passages"], question.focus.astype(np.float64))[0]),
        "place": float(share(places, w).max()),
        "documents": float(len({hit.evidence.document_id for hit in hits[:FIRST]})),
    }
