"""Learning an order: the units of a question against each other, by gradient descent in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.offline.units.scorer import Scorer

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
    """How an order is learnt: `width` hidden numbers (0 for a line), steps, penalty, draws."""

    width: int = 0
    steps: int = 300
    penalty: float = 1e-3
    inner_penalty: float = 3e-3
    draws: int = 1


def learn_order(questions: Sequence[Candidates], recipe: Recipe) -> Scorer:
    """Return what puts units that answer above the others of their question.

    Questions without a unit that answers teach nothing. Several draws are averaged into one.
    """
    taught = [one for one in questions if one.right.any()]
    batch = _Batch(taught)
    found = [_Descent(batch, recipe, seed=seed).learnt() for seed in range(max(1, recipe.draws))]
    return _joined(batch, found)


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


class _Descent:
    """Adam over a line and, where `width` says so, a hidden layer beside it."""

    def __init__(self, batch: _Batch, recipe: Recipe, *, seed: int) -> None:
        rng = np.random.default_rng(seed)
        features = batch.x.shape[1]
        self._batch, self._recipe = batch, recipe
        self._held: dict[str, Floats] = {"weights": np.zeros(features, dtype=np.float32)}
        if recipe.width:
            spread = (1.0 / features) ** 0.5
            inner = rng.normal(0.0, spread, (features, recipe.width))
            self._held |= {
                "inner": inner.astype(np.float32),
                "inner_bias": np.zeros(recipe.width, dtype=np.float32),
                "outer": rng.normal(0.0, 0.1, recipe.width).astype(np.float32),
            }

    def learnt(self) -> dict[str, Floats]:
        """Return the numbers after all steps."""
        first = {key: np.zeros_like(value) for key, value in self._held.items()}
        second = {key: np.zeros_like(value) for key, value in self._held.items()}
        for step in range(1, self._recipe.steps + 1):
            rate = _RATE * (1.0 - step / (self._recipe.steps + 1))
            for key, slope in self._slopes().items():
                first[key] = _FIRST * first[key] + (1 - _FIRST) * slope
                second[key] = _SECOND * second[key] + (1 - _SECOND) * slope**2
                mean = first[key] / (1 - _FIRST**step)
                spread = np.sqrt(second[key] / (1 - _SECOND**step))
                self._held[key] = self._held[key] - np.float32(rate) * mean / (spread + 1e-8)
        return self._held

    def _slopes(self) -> dict[str, Floats]:
        held, x, recipe = self._held, self._batch.x, self._recipe
        if not recipe.width:
            slope = self._batch.slopes(x @ held["weights"])
            return {"weights": x.T @ slope + recipe.penalty * held["weights"]}
        hidden = np.tanh(x @ held["inner"] + held["inner_bias"])
        slope = self._batch.slopes(x @ held["weights"] + hidden @ held["outer"])
        back = slope[:, None] * held["outer"] * (1.0 - hidden**2)
        return {
            "weights": x.T @ slope + recipe.penalty * held["weights"],
            "outer": hidden.T @ slope + recipe.inner_penalty * held["outer"],
            "inner": x.T @ back + recipe.inner_penalty * held["inner"],
            "inner_bias": back.sum(axis=0),
        }


def _joined(batch: _Batch, found: Sequence[dict[str, Floats]]) -> Scorer:
    """Return the mean of several as one: their hidden numbers side by side."""

    def beside(key: str) -> Doubles:
        held = [one[key] for one in found if key in one]
        return np.concatenate(held, axis=-1).astype(np.float64) if held else np.zeros(0)

    return Scorer(
        mean=batch.mean,
        scale=batch.scale,
        weights=np.mean([one["weights"] for one in found], axis=0).astype(np.float64),
        intercept=0.0,
        inner=beside("inner"),
        inner_bias=beside("inner_bias"),
        outer=beside("outer") / len(found),
    )
