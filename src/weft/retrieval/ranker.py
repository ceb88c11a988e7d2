"""A linear ranker whose weights are data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np

from weft.index.view import Doubles
from weft.retrieval.features import FEATURES, FeatureScale


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranker:
    """Weights for scaled features: float64[2 * len(FEATURES)] each."""

    mean: Doubles
    scale: Doubles
    weights: Doubles
    intercept: float

    @property
    def usual(self) -> FeatureScale:
        """Return how the features usually are."""
        size = len(FEATURES)
        return FeatureScale(mean=self.mean[:size], deviation=self.scale[:size])

    def scores(self, rows: Doubles) -> Doubles:
        """Return float64[n] for feature rows, each by itself and in one order."""
        scaled = (rows - self.mean) / self.scale * self.weights
        total = np.full(len(rows), self.intercept)
        for column in scaled.T:
            total += column
        return total


def ranker_of(text: str) -> Ranker:
    """Return the ranker that a JSON text describes; raises `ValueError` for other features."""
    read = json.loads(text)
    if tuple(read["features"]) != FEATURES:
        raise ValueError("these weights are for other features")
    return Ranker(
        mean=np.array(read["mean"], dtype=np.float64),
        scale=np.array(read["scale"], dtype=np.float64),
        weights=np.array(read["coef_raw_then_z"], dtype=np.float64),
        intercept=float(read["intercept"]),
    )


@lru_cache(maxsize=1)
def shipped() -> Ranker:
    """Return the ranker that comes with the product."""
    return ranker_of(files("weft.retrieval").joinpath("weights.json").read_text(encoding="utf-8"))
