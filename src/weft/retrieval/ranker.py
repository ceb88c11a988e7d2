"""A ranker whose weights are data: linear in a passage's features, mixed by the question's kind.

Where one passage answers, what the graph adds misleads; where several do, it finds the second. A
gate reads from the shape of the scores which of both it is, and mixes two sets of weights.
"""

from __future__ import annotations

import json
import math
from functools import lru_cache

import numpy as np

from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import shipped_text
from weft.index.view import Doubles
from weft.retrieval.features import FEATURES, FeatureScale
from weft.retrieval.shape import SHAPE

_FARTHEST = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeGate:
    """How likely one passage answers, by the shape of the scores.

    `mean` and `deviation` are float64[len(SHAPE)]; `weights` are for what `terms` returns.
    """

    mean: Doubles
    deviation: Doubles
    weights: Doubles
    intercept: float

    def terms(self, shape: Doubles) -> Doubles:
        """Return the scaled shape and the products of its pairs: float64[n + n * (n + 1) / 2].

        What is far from all that was learnt from counts as at the border.
        """
        scaled = np.clip((shape - self.mean) / self.deviation, -_FARTHEST, _FARTHEST)
        one, other = np.triu_indices(len(scaled))
        return np.concatenate([scaled, scaled[one] * scaled[other]])

    def single(self, shape: Doubles) -> float:
        """Return the probability, 0 to 1, that one passage answers."""
        total = math.fsum((self.weights * self.terms(shape)).tolist()) + self.intercept
        return float(1.0 / (1.0 + np.exp(-total)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranker:
    """Weights for features, raw and as they stand in the pool: float64[2 * len(FEATURES)] each.

    `single` are those where one passage answers, `several` where more are needed; `lean` is what
    the former adds to every score.
    """

    usual: FeatureScale
    gate: ShapeGate
    single: Doubles
    several: Doubles
    lean: float
    intercept: float

    def scores(self, rows: Doubles, shape: Doubles) -> Doubles:
        """Return float64[n] for feature rows, each by itself and in one order."""
        share = self.gate.single(shape)
        weights = share * self.single + (1.0 - share) * self.several
        total = np.full(len(rows), self.intercept + share * self.lean)
        for column, weight in zip(rows.T, weights, strict=True):
            total += weight * column
        return total


def ranker_of(text: str) -> Ranker:
    """Return the ranker that a JSON text describes; raises `ValueError` for other features."""
    read = json.loads(text)
    if tuple(read["features"]) != FEATURES or tuple(read["shape"]) != SHAPE:
        raise ValueError("these weights are for other features")

    def row(of: dict[str, list[float]], name: str) -> Doubles:
        return np.array(of[name], dtype=np.float64)

    usual, gate = read["usual"], read["gate"]
    return Ranker(
        usual=FeatureScale(mean=row(usual, "mean"), deviation=row(usual, "deviation")),
        gate=ShapeGate(
            mean=row(gate, "mean"),
            deviation=row(gate, "deviation"),
            weights=row(gate, "weights"),
            intercept=float(gate["intercept"]),
        ),
        single=row(read, "single"),
        several=row(read, "several"),
        lean=float(read["lean"]),
        intercept=float(read["intercept"]),
    )


@lru_cache(maxsize=1)
def shipped() -> Ranker:
    """Return the ranker that comes with the product."""
    return ranker_of(shipped_text("weft.retrieval", "weights.json"))
