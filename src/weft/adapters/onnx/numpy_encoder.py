"""The network in numpy alone, for machines where ONNX Runtime does not run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from weft.adapters.onnx.tensors import EPSILON, HEADS, LAYERS, LOWER_LAYERS, WIDTH, Array, read

# Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: |error| < 1.5e-7.
_ERF_P = np.float32(0.3275911)
_ERF_A = tuple(
    np.float32(factor)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
)


class NumpyNetwork:
    """The same network over memory-mapped weights, four times slower.

    One lane: numpy's own matrix threads share the processors already.
    """

    variant = "numpy-fp32"
    lanes = 1

    def __init__(self, path: Path, *, instead: str = "") -> None:
        """Map the safetensors file at `path`; raises `WeightsMissing` when it is damaged.

        `instead` says why there is no ONNX Runtime.
        """
        self._tensors = read(path)
        self.note = instead and (
            f"The local model runs without ONNX Runtime, four times slower and with numbers of its "
            f"own: {instead}."
        )

    def prepare(self) -> None:
        """Do nothing: weights are mapped, and read as they are used."""

    def lower(self, ids: npt.NDArray[np.int64]) -> Array:
        """Return float32[n, 384], the state of each of the n tokens after the lower layers."""
        return self._layers(self._embeddings(ids), range(LOWER_LAYERS))

    def states(self, ids: npt.NDArray[np.int64]) -> Array:
        """Return float32[n, 384], the last layer's state of each of the n tokens."""
        return self._layers(self.lower(ids), range(LOWER_LAYERS, LAYERS))

    def _layers(self, states: Array, numbers: Iterable[int]) -> Array:
        for layer in numbers:
            prefix = f"encoder.layer.{layer}."
            states = self._attention(states, prefix + "attention.")
            states = self._feed_forward(states, prefix)
        return states

    def _embeddings(self, ids: npt.NDArray[np.int64]) -> Array:
        words = self._tensors["embeddings.word_embeddings.weight"][ids]
        places = self._tensors["embeddings.position_embeddings.weight"][: len(ids)]
        kind = self._tensors["embeddings.token_type_embeddings.weight"][0]
        return self._normalise(words + (places + kind), "embeddings.LayerNorm")

    def _attention(self, states: Array, prefix: str) -> Array:
        shape = (len(states), HEADS, WIDTH // HEADS)
        query, key, value = (
            self._linear(states, f"{prefix}self.{part}").reshape(shape).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = query @ key.swapaxes(1, 2) * np.float32((WIDTH // HEADS) ** -0.5)
        mixed = _softmax(scores) @ value
        joined = np.ascontiguousarray(mixed.swapaxes(0, 1)).reshape(len(states), WIDTH)
        return self._residual(joined, states, prefix=prefix + "output.")

    def _feed_forward(self, states: Array, prefix: str) -> Array:
        wide = self._linear(states, prefix + "intermediate.dense")
        active = wide * np.float32(0.5) * (1 + _erf(wide * np.float32(2**-0.5)))
        return self._residual(active, states, prefix=prefix + "output.")

    def _residual(self, change: Array, states: Array, *, prefix: str) -> Array:
        added = self._linear(change, prefix + "dense") + states
        return self._normalise(added, prefix + "LayerNorm")

    def _linear(self, value: Array, name: str) -> Array:
        product: Array = value @ self._tensors[name + ".weight"].T
        return product + self._tensors[name + ".bias"]

    def _normalise(self, value: Array, name: str) -> Array:
        centred = value - value.mean(axis=-1, keepdims=True)
        spread = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(EPSILON))
        scaled: Array = centred / spread * self._tensors[name + ".weight"]
        return scaled + self._tensors[name + ".bias"]


def _softmax(scores: Array) -> Array:
    powers: Array = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Array = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def _erf(value: Array) -> Array:
    """Return the error function of each number, by a polynomial."""
    size = np.abs(value)
    step: Array = np.reciprocal(1 + _ERF_P * size)
    series: Array = np.zeros_like(step)
    for factor in _ERF_A:
        series = (series + factor) * step
    signed: Array = np.sign(value) * (1 - series * np.exp(-np.square(size)))
    return signed
