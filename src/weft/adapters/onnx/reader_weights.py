"""What readers were taught: how the embedder's last layers differ, in eight bits a number."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from weft.adapters.onnx.tensors import LAYERS, LOWER_LAYERS, Array
from weft.domain.frozen import dataclass
from weft.domain.ids import digest
from weft.domain.outside.shipped import shipped_file


@dataclass(frozen=True, slots=True, kw_only=True)
class Teaching:
    """What a reader was taught: the file of its weights and their name, by `taught`.

    By its name the graph that was built of it is found without reading it.
    """

    file: str
    name: str


# Whether a unit answers a question, and whether a plan over tables is what a question means.
UNITS = Teaching(file="reader.npz", name="4f9c6e2c00dc60f63a6fd4c06587188f")
PLANS = Teaching(file="plan_reader.npz", name="9178b840205040467e47eb1c43103b46")
MARKS, SCORE = "reader.marks", "reader.score"
_SCALE, _CHANGE = ".scale", ".change"
_MOST = 127.0


def taught_names(names: Mapping[str, object]) -> list[str]:
    """Return the names of the tensors of the layers that are taught, in order."""
    layers = tuple(f"encoder.layer.{layer}." for layer in range(LOWER_LAYERS, LAYERS))
    return sorted(name for name in names if name.startswith(layers))


def packed(learnt: Mapping[str, Array], base: Mapping[str, Array]) -> dict[str, np.ndarray]:
    """Return learnt tensors as they are kept: matrices as changes, each row with its scale."""
    kept: dict[str, np.ndarray] = {}
    for name, value in learnt.items():
        if name not in base or value.ndim < 2:
            kept[name] = value.astype(np.float32)
            continue
        change = value - base[name]
        scale = np.abs(change).max(axis=1, keepdims=True) / _MOST
        scale[scale == 0] = 1.0
        kept[name + _CHANGE] = np.round(change / scale).astype(np.int8)
        kept[name + _SCALE] = scale.astype(np.float32)
    return kept


def unpacked(kept: Mapping[str, np.ndarray], base: Mapping[str, Array]) -> dict[str, Array]:
    """Return the tensors that are to stand in place of the embedder's."""
    found: dict[str, Array] = {}
    for name, value in kept.items():
        if name.endswith(_CHANGE):
            own = name.removesuffix(_CHANGE)
            found[own] = base[own] + value.astype(np.float32) * kept[own + _SCALE]
        elif not name.endswith(_SCALE):
            found[name] = value
    return found


def taught(kept: Mapping[str, np.ndarray]) -> str:
    """Return what names weights as they are kept: other numbers have another name."""
    return digest(*(part for name in sorted(kept) for part in (name, kept[name].tobytes())))


def shipped_weights(of: Teaching) -> dict[str, np.ndarray]:
    """Return what comes with the product, as it is kept."""
    with np.load(shipped_file("weft.adapters.onnx", of.file)) as held:
        return {name: held[name] for name in held.files}
