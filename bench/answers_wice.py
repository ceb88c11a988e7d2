"""The claims of WiCE against the pages they cite: is it told which of them are supported?"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from answers_checking import SUPPORTED

from weft.domain.answer import Tier
from weft.verification.support import Support, assess

_RANK = {Tier.NO: 0, Tier.PARTLY: 1, Tier.CLOSE: 2, Tier.QUOTE: 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wice:
    """Claims against the sentences of the page they cite: `supported` against all the rest."""

    n: int
    auroc: float
    supported_precision: float
    supported_recall: float


def measure_wice(data: Path, split: str, *, limit: int = 0) -> Wice:
    """Score the claims of WiCE against the pages they cite."""
    with gzip.open(data / "wice" / f"{split}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rows = rows[:limit] if limit else rows
    supports = [assess(row["claim"], page_of(row["evidence"])) for row in rows]
    truth = np.array([row["label"] == "supported" for row in rows])
    scores = np.array([score_of(s, r["claim"]) for s, r in zip(supports, rows, strict=True)])
    said = np.array([support.tier in SUPPORTED for support in supports])
    right = int((said & truth).sum())
    return Wice(
        n=len(rows),
        auroc=round(auroc(scores, truth), 4),
        supported_precision=round(right / max(1, int(said.sum())), 4),
        supported_recall=round(right / max(1, int(truth.sum())), 4),
    )


def page_of(evidence: Iterable[str]) -> str:
    """Return the sentences of a page as a text in which each is a paragraph of its own."""
    return "\n\n".join(" ".join(sentence.split()) for sentence in evidence)


def score_of(support: Support, claim: str) -> float:
    """Return a score that is higher the better a text bears a claim out: the product's own.

    Where it gives none, the tier and the share of the claim's words that it found wanting.
    """
    given = getattr(support, "score", None)
    if given is not None:
        return float(given)
    words = max(1, len(claim.split()))
    return _RANK[support.tier] - min(len(support.missing), words) / words


def auroc(scores: npt.NDArray[np.float64], truth: npt.NDArray[np.bool_]) -> float:
    """Return the chance that a true one scores above a false one; ties count half."""
    mine, others = scores[truth], scores[~truth]
    if not len(mine) or not len(others):
        return 0.0
    above = (mine[:, None] > others[None, :]).mean()
    return float(above + 0.5 * (mine[:, None] == others[None, :]).mean())
