"""Logistic regression by Newton's method, for the scripts that learn what the product ships."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
_STEPS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """Weights over standardised features: float64[features] each, and the intercept."""

    mean: Doubles
    scale: Doubles
    weights: Doubles
    intercept: float

    def scores(self, rows: Doubles) -> Doubles:
        """Return float64[rows]: the higher, the likelier."""
        return ((rows - self.mean) / self.scale) @ self.weights + self.intercept

    def body(self, features: Sequence[str]) -> dict[str, object]:
        """Return what the product reads, as JSON values."""
        return {
            "features": list(features),
            "mean": self.mean.tolist(),
            "scale": self.scale.tolist(),
            "weights": self.weights.tolist(),
            "intercept": self.intercept,
        }


def learn(
    rows: Doubles,
    right: npt.NDArray[np.generic],
    *,
    strength: float,
    importance: Doubles | None = None,
) -> Learnt:
    """Return a regression of float64[rows, features] on what is right, with an L2 penalty.

    `importance` is how much each row counts, float64[rows]; without it all count 1.
    """
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale[scale < 1e-9] = 1.0
    x = np.hstack([(rows - mean) / scale, np.ones((len(rows), 1))])
    w = np.zeros(x.shape[1])
    penalty = np.append(np.ones(x.shape[1] - 1), 0.0)
    much = np.ones(len(rows)) if importance is None else importance
    for _ in range(_STEPS):
        p = 1.0 / (1.0 + np.exp(-(x @ w)))
        gradient = strength * (x.T @ (much * (p - right))) + penalty * w
        curvature = strength * (x.T * (much * p * (1.0 - p))) @ x + np.diag(penalty + 1e-9)
        step = np.linalg.solve(curvature, gradient)
        w -= step
        if float(np.abs(step).max()) < 1e-8:
            break
    return Learnt(mean=mean, scale=scale, weights=w[:-1], intercept=float(w[-1]))
