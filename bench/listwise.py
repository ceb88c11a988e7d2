"""Learning an order: the units of a question against each other, by gradient descent in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.offline.units.scorer import LayeredScorer, Scorer

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
_RATE, _FIRST, _SECOND = 0.02, 0.9, 0.999
_CLIP = 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The units of one question as float64[units, features], those that answer, and its weight."""

    rows: Doubles
    right: npt.NDArray[np.bool_]
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How an order is learnt."""

    steps: int = 300
    penalty: float = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """How units beside a line are learnt: how many, and the share left out at each step."""

    units: int = 24
    left_out: float = 0.2
    steps: int = 300
    penalty: float = 1e-3
    rate: float = 0.01
    seed: int = 0


def learn_order(
    questions: Sequence[Candidates], recipe: Recipe, *, ways: Sequence[int] | None = None
) -> Scorer:
    """Return what puts what answers above the rest of its question.

    Questions without anything that answers teach nothing. `ways` says of each feature that it may
    only speak for (1) or against (-1), or either (0): what is known need not be learned.
    """
    batch = _Batch([one for one in questions if one.right.any()])
    weights = _descended(batch, recipe, ways).astype(np.float64)
    return Scorer(mean=batch.mean, scale=batch.scale, weights=weights, intercept=0.0)


def learn_layered(
    questions: Sequence[Candidates], recipe: Recipe, layer: Layer, *, ways: Sequence[int]
) -> LayeredScorer:
    """Return a line as `learn_order` gives it, learnt further together with units beside it."""
    batch = _Batch([one for one in questions if one.right.any()])
    line = _descended(batch, recipe, ways)
    parts = _layered(batch, layer, line)
    weights, inner, shift, outer = (one.astype(np.float64) for one in parts)
    return LayeredScorer(
        mean=batch.mean,
        scale=batch.scale,
        weights=weights,
        intercept=0.0,
        inner=inner,
        shift=shift,
        outer=outer,
    )


def blended(one: LayeredScorer, other: LayeredScorer) -> LayeredScorer:
    """Return what scores as the mean of two, which may count features by other scales.

    Only what is far beyond all that the first has seen is scored otherwise.
    """
    ratio, apart = one.scale / other.scale, (one.mean - other.mean) / other.scale
    return LayeredScorer(
        mean=one.mean,
        scale=one.scale,
        weights=(one.weights + other.weights * ratio) / 2,
        intercept=(one.intercept + other.intercept + float(other.weights @ apart)) / 2,
        inner=np.hstack([one.inner, other.inner * ratio[:, np.newaxis]]),
        shift=np.concatenate([one.shift, other.shift + apart @ other.inner]),
        outer=np.concatenate([one.outer, other.outer]) / 2,
    )


class _Batch:
    """All questions in one array, standardised."""

    def __init__(self, questions: Sequence[Candidates]) -> None:
        rows = np.concatenate([one.rows for one in questions])
        # What is not known of a row counts as usual.
        self.mean, self.scale = np.nanmean(rows, axis=0), np.nanstd(rows, axis=0)
        self.scale[self.scale < 1e-6] = 1.0
        x = np.clip((rows - self.mean) / self.scale, -_CLIP, _CLIP)
        self.x = np.nan_to_num(x, nan=0.0).astype(np.float32)
        self.right = np.concatenate([one.right for one in questions])
        sizes = np.array([len(one.rows) for one in questions])
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.of = np.repeat(np.arange(len(sizes)), sizes)
        weights = np.array([one.weight for one in questions], dtype=np.float32)
        self.weights = (weights / weights.sum())[self.of]

    def slopes(self, scores: Floats) -> Floats:
        """Return how the loss changes with each score: softmax less its part that is right."""
        top = np.maximum.reduceat(scores, self.starts)[self.of]
        mass = np.exp(scores - top)
        whole = np.add.reduceat(mass, self.starts)[self.of]
        mine = mass * self.right
        right = np.add.reduceat(mine, self.starts)[self.of]
        result: Floats = (mass / whole - mine / np.maximum(right, 1e-12)) * self.weights
        return result


class _Adam:
    """Steps down a slope, each as far as the slopes before it were alike."""

    def __init__(self, like: Floats) -> None:
        self._first, self._second = np.zeros_like(like), np.zeros_like(like)
        self._steps = 0

    def step(self, slope: Floats, rate: float) -> Floats:
        """Return how far to go down a slope."""
        self._steps += 1
        self._first = _FIRST * self._first + (1 - _FIRST) * slope
        self._second = _SECOND * self._second + (1 - _SECOND) * slope**2
        mean = self._first / (1 - _FIRST**self._steps)
        spread = np.sqrt(self._second / (1 - _SECOND**self._steps))
        result: Floats = np.float32(rate) * mean / (spread + 1e-8)
        return result


def _descended(batch: _Batch, recipe: Recipe, ways: Sequence[int] | None) -> Floats:
    """Return the weights after all steps of Adam, float32[features]."""
    weights = np.zeros(batch.x.shape[1], dtype=np.float32)
    adam = _Adam(weights)
    for step in range(1, recipe.steps + 1):
        slope = batch.x.T @ batch.slopes(batch.x @ weights) + recipe.penalty * weights
        weights = weights - adam.step(slope, _RATE * (1.0 - step / (recipe.steps + 1)))
        if ways is not None:
            weights = np.where(np.sign(weights) * np.array(ways) < 0, 0.0, weights)
            weights = weights.astype(np.float32)
    return weights


def _layered(batch: _Batch, layer: Layer, line: Floats) -> list[Floats]:
    """Return the weights of a line and of units beside it after all steps of Adam."""
    drawn = np.random.default_rng(layer.seed)
    features = batch.x.shape[1]
    parts: list[Floats] = [
        line.copy(),
        (drawn.normal(size=(features, layer.units)) * 0.05).astype(np.float32),
        np.zeros(layer.units, dtype=np.float32),
        np.zeros(layer.units, dtype=np.float32),
    ]
    adams = [_Adam(one) for one in parts]
    for step in range(1, layer.steps + 1):
        weights, inner, shift, outer = parts
        units = np.tanh(batch.x @ inner + shift)
        kept = (drawn.random(layer.units) > layer.left_out) / (1 - layer.left_out)
        kept = kept.astype(np.float32)
        slope = batch.slopes(batch.x @ weights + (units * kept) @ outer).astype(np.float32)
        back = np.outer(slope, outer * kept) * (1 - units * units)
        slopes = [
            batch.x.T @ slope + layer.penalty * weights,
            batch.x.T @ back + layer.penalty * inner,
            back.sum(axis=0),
            (units * kept).T @ slope + layer.penalty * outer,
        ]
        rate = layer.rate * (1 - step / (layer.steps + 1))
        for at, each in enumerate(slopes):
            parts[at] = (parts[at] - adams[at].step(each, rate)).astype(np.float32)
    return parts
