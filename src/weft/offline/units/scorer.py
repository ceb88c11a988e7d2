"""A learned score over named features: a line, or a line and a layer of units beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.offline.units.question import Doubles

_FARTHEST = 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """Weights over standardised features: `mean`, `scale` and `weights` are float64[features]."""

    mean: Doubles
    scale: Doubles
    weights: Doubles
    intercept: float

    def scores(self, rows: Doubles) -> Doubles:
        """Return float64[rows]: the higher, the likelier; what is not known counts as usual."""
        return self._scored(self._scaled(rows))

    def _scaled(self, rows: Doubles) -> Doubles:
        scaled = np.clip((rows - self.mean) / self.scale, -_FARTHEST, _FARTHEST)
        result: Doubles = np.nan_to_num(scaled, nan=0.0)
        return result

    def _scored(self, scaled: Doubles) -> Doubles:
        total: Doubles = scaled @ self.weights + self.intercept
        return total

    def chances(self, rows: Doubles) -> Doubles:
        """Return the scores as probabilities."""
        result: Doubles = 1.0 / (1.0 + np.exp(-self.scores(rows)))
        return result


@dataclass(frozen=True, slots=True, kw_only=True)
class LayeredScorer(Scorer):
    """A line, and beside it units that see what a line cannot: two features that go together.

    `inner` is float64[features, units], `shift` and `outer` float64[units].
    """

    inner: Doubles
    shift: Doubles
    outer: Doubles

    def _scored(self, scaled: Doubles) -> Doubles:
        beside = np.tanh(scaled @ self.inner + self.shift) @ self.outer
        total: Doubles = scaled @ self.weights + self.intercept + beside
        return total


def scorer_of(body: Mapping[str, Any], features: Sequence[str], *, name: str) -> Scorer:
    """Return the scorer that JSON values describe.

    Raises `BadInput`, which names the scorer and what differs, for weights of other features.
    """
    theirs = tuple(map(str, body["features"]))
    if theirs != tuple(features):
        differing = sorted(set(theirs) ^ set(features)) or ["their order"]
        raise BadInput(f"the weights of '{name}' are for other features: {', '.join(differing)}")

    def numbers(key: str) -> Doubles:
        return np.array(body[key], dtype=np.float64)

    line: dict[str, Any] = {
        "mean": numbers("mean"),
        "scale": numbers("scale"),
        "weights": numbers("weights"),
        "intercept": float(body["intercept"]),
    }
    if "inner" not in body:
        return Scorer(**line)
    return LayeredScorer(
        **line, inner=numbers("inner"), shift=numbers("shift"), outer=numbers("outer")
    )


def columns(found: Mapping[str, Doubles], features: Sequence[str]) -> Doubles:
    """Return features by name as float64[rows, features] in their order."""
    return np.stack([found[name] for name in features], axis=1)
