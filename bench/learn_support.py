"""Learn the weights by which support is scored: `learn_support.py DATA [--write]`.

Prints the AUROC on WiCE's dev claims: of each fact alone; by weights that have seen the claims;
and by weights that have not, ten shufflings, claims on one subject kept together: in 10 folds (all
scores in one pool, and the mean within a fold) and in halves, each scored by the other. The pool is
low by itself, since each fold's weights have an intercept of their own: even one fact alone, which
nothing can be learnt of, loses there. With `--write`, learns from all of them and writes the
weights that the product ships.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
from answers_wice import auroc, page_of
from claim_groups import Places, folds_of, groups_of
from regression import Doubles, Learnt, learn

from weft.verification.likeness import FEATURES, SIGNS
from weft.verification.support import likeness_features

STRENGTH = 0.03
STRENGTHS = (0.003, 0.01, 0.03, 0.1, 1.0)
FOLDS = 10
INNER_FOLDS = 5
SHUFFLES = 10
DRAWS = 1000
WEIGHTS = Path(__file__).parents[1] / "src" / "weft" / "verification" / "likeness.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Float64[claims, features], which of the claims are supported, and which go together."""

    rows: Doubles
    right: npt.NDArray[np.bool_]
    groups: Places

    def part(self, chosen: npt.NDArray[np.bool_]) -> Claims:
        """Return some of the claims."""
        return Claims(rows=self.rows[chosen], right=self.right[chosen], groups=self.groups[chosen])

    def only(self, columns: Sequence[int]) -> Claims:
        """Return the claims by some of their features."""
        return Claims(rows=self.rows[:, list(columns)], right=self.right, groups=self.groups)


Fit = Callable[[Claims], Learnt]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Mean AUROC and the standard error of that mean over shufflings, both in points."""

    mean: float
    error: float

    def __str__(self) -> str:
        """Return both with one and two decimals."""
        return f"{self.mean:5.1f} ± {self.error:.2f}"


def load(data: Path) -> Claims:
    """Return the claims of WiCE's dev split."""
    with gzip.open(data / "wice" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    pages = [page_of(row["evidence"]) for row in rows]
    found = [likeness_features(row["claim"], page) for row, page in zip(rows, pages, strict=True)]
    said = [f"{page}\n{row['claim']}" for row, page in zip(rows, pages, strict=True)]
    return Claims(
        rows=np.array(found),
        right=np.array([row["label"] == "supported" for row in rows]),
        groups=groups_of(said),
    )


def by_strength(strength: float) -> Fit:
    """Return how to learn with an L2 penalty of that strength, the smaller the stronger."""
    return lambda claims: learn(claims.rows, claims.right, strength=strength)


def seen(claims: Claims, fit: Fit) -> float:
    """Return the AUROC in points on the claims that were learnt from."""
    return 100 * auroc(fit(claims).scores(claims.rows), claims.right)


def folded(claims: Claims, fit: Fit, *, folds: int = FOLDS) -> tuple[Found, Found]:
    """Return the AUROC of all scores in one pool, and the mean of that within each fold."""
    pooled, within = [], []
    for seed in range(SHUFFLES):
        fold = folds_of(claims.groups, folds=folds, seed=seed)
        scores = np.zeros(len(fold))
        for at in range(folds):
            scores[fold == at] = fit(claims.part(fold != at)).scores(claims.rows[fold == at])
        pooled.append(auroc(scores, claims.right))
        parts = [auroc(scores[fold == at], claims.right[fold == at]) for at in range(folds)]
        within.append(float(np.mean(parts)))
    return _found(pooled), _found(within)


def halved(claims: Claims, fit: Fit) -> Found:
    """Return the AUROC on a half by weights of the other, both ways."""
    return folded(claims, fit, folds=2)[1]


def nested(claims: Claims) -> Learnt:
    """Return weights whose features and strength were chosen by folds within the same claims."""
    fold = folds_of(claims.groups, folds=INNER_FOLDS, seed=0)
    best, chosen = -1.0, (claims, STRENGTH, tuple(range(len(FEATURES))))
    for columns in _subsets():
        some = claims.only(columns)
        for strength in STRENGTHS:
            score = _inner(some, by_strength(strength), fold)
            if score > best:
                best, chosen = score, (some, strength, columns)
    some, strength, columns = chosen
    return _widened(by_strength(strength)(some), columns)


def spread(claims: Claims, fit: Fit) -> float:
    """Return the standard error in points that comes from which claims were drawn at all."""
    scores = fit(claims).scores(claims.rows)
    draw = np.random.default_rng(0)
    found = []
    for _ in range(DRAWS):
        drawn = draw.integers(0, len(scores), len(scores))
        found.append(auroc(scores[drawn], claims.right[drawn]))
    return 100 * float(np.std(found))


def _subsets() -> list[tuple[int, ...]]:
    places = range(len(FEATURES))
    return [chosen for n in range(1, len(FEATURES) + 1) for chosen in combinations(places, n)]


def _inner(claims: Claims, fit: Fit, fold: Places) -> float:
    found = []
    for at in range(INNER_FOLDS):
        kept = claims.part(fold == at)
        found.append(auroc(fit(claims.part(fold != at)).scores(kept.rows), kept.right))
    return float(np.mean(found))


def _widened(learnt: Learnt, columns: Sequence[int]) -> Learnt:
    """Return the weights for all features: those that were left out weigh nothing."""
    mean, scale, weights = np.zeros(len(FEATURES)), np.ones(len(FEATURES)), np.zeros(len(FEATURES))
    mean[list(columns)], scale[list(columns)] = learnt.mean, learnt.scale
    weights[list(columns)] = learnt.weights
    return Learnt(mean=mean, scale=scale, weights=weights, intercept=learnt.intercept)


def _found(scores: Sequence[float]) -> Found:
    return Found(
        mean=100 * float(np.mean(scores)),
        error=100 * float(np.std(scores, ddof=1)) / len(scores) ** 0.5,
    )


def _show(name: str, claims: Claims, fit: Fit) -> None:
    pooled, within = folded(claims, fit)
    held = seen(claims, fit)
    gap = held - within.mean
    print(
        f"{name:42} {held:5.1f}  {pooled}  {within}  {gap:4.1f}  {halved(claims, fit)}", flush=True
    )


def main() -> None:
    """Learn, report, and write if asked to."""
    claims = load(Path(sys.argv[1]))
    print(f"{len(claims.right)} claims on {len(np.unique(claims.groups))} subjects")
    for name, column, sign in zip(FEATURES, claims.rows.T, SIGNS, strict=True):
        print(f"{name:22} alone {100 * auroc(sign * column, claims.right):5.1f}")
    print(f"{'':42}  seen  10 folds: pool, within, seen less within; halves")
    for columns in _subsets():
        name = ", ".join(FEATURES[at] for at in columns)
        _show(name, claims.only(columns), by_strength(STRENGTH))
    for strength in STRENGTHS:
        _show(f"all, C {strength}", claims, by_strength(strength))
    _show("features and C chosen within", claims, nested)
    print(f"standard error by the draw of claims {spread(claims, by_strength(STRENGTH)):.1f}")
    learnt = by_strength(STRENGTH)(claims)
    if tuple(np.sign(learnt.weights).astype(int)) != SIGNS:
        raise SystemExit("a fact counts the wrong way round: nothing is written")
    if "--write" in sys.argv:
        body = learnt.body(FEATURES)
        WEIGHTS.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
