"""The network as an ONNX graph, built once from the weights and kept in the cache."""

from __future__ import annotations

import itertools
import os
import shutil
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from weft.adapters.onnx.tensors import EPSILON, HEADS, LAYERS, WIDTH, Array, read
from weft.adapters.onnx.weights import ModelWeights, verify

_OPSET = 17
_IR_VERSION = 9
_ABANDONED_SECONDS = 3600
_READABLE = 0o644


def write_graph(weights: ModelWeights, path: Path) -> None:
    """Build the graph from verified weights and put it at `path`, the constants beside it.

    Input `input_ids` int64[1, tokens]; output `states` float32[1, tokens, 384], the last layer's
    token states, not pooled. There is no attention mask: a pass takes one text, without padding.
    Takes about a second. Raises `WeightsMissing`, or `OSError` when the cache cannot be written.
    """
    verify(weights)
    path.parent.mkdir(parents=True, exist_ok=True)
    room = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    room.mkdir()
    try:
        # Constants in a file of their own are mapped, not parsed: loading takes 0.06 s, not 0.15 s.
        constants = path.with_suffix(".data").name
        onnx.save_model(
            _model(read(weights.tensors)),
            str(room / path.name),
            save_as_external_data=True,
            location=constants,
        )
        # The graph last: whoever sees it sees its constants. Two builders write the same bytes.
        for name in (constants, path.name):
            _finish(room / name)
            (room / name).replace(path.with_name(name))
    finally:
        shutil.rmtree(room, ignore_errors=True)
    _sweep(path)


def _finish(path: Path) -> None:
    """Let everyone read the file, and wait until it is on the disk: a rename shows it whole."""
    path.chmod(_READABLE)
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def _sweep(path: Path) -> None:
    """Remove what builds that were killed left beside `path` an hour ago or more."""
    oldest = path.stat().st_mtime - _ABANDONED_SECONDS
    for room in path.parent.glob(f"{path.name}.*.part"):
        if room.stat().st_mtime < oldest:
            shutil.rmtree(room, ignore_errors=True)


def _model(tensors: dict[str, Array]) -> onnx.ModelProto:
    draft = _Draft(tensors)
    states = draft.embeddings()
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        states = draft.attention(states, prefix + "attention.")
        states = draft.feed_forward(states, prefix)
    return draft.finish(states)


class _Draft:
    """Collects nodes and constants; each method adds one part and returns its output's name."""

    def __init__(self, tensors: dict[str, Array]) -> None:
        self._tensors = tensors
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._count = itertools.count()
        per_head = WIDTH // HEADS
        self._by_head = self._constant(np.array([0, 0, HEADS, per_head], np.int64))
        self._joined = self._constant(np.array([0, 0, WIDTH], np.int64))
        self._scale = self._constant(np.array(per_head**-0.5, np.float32))
        self._one = self._constant(np.array(1, np.float32))
        self._half = self._constant(np.array(0.5, np.float32))
        self._root_half = self._constant(np.array(2**-0.5, np.float32))

    def embeddings(self) -> str:
        """Add the sum of word, position and type embeddings, normalised."""
        table = "embeddings.{}_embeddings.weight".format
        words = self._constant(self._tensors[table("word")])
        places = self._tensors[table("position")] + self._tensors[table("token_type")][0]
        length = self._node("Shape", ["input_ids"], start=1, end=2)
        start = self._constant(np.array([0], np.int64))
        place = self._node("Slice", [self._constant(places), start, length])
        word = self._node("Gather", [words, "input_ids"])
        return self._normalise(self._node("Add", [word, place]), "embeddings.LayerNorm")

    def attention(self, states: str, prefix: str) -> str:
        """Add multi-head self-attention with its residual."""
        heads = {
            part: self._node("Reshape", [self._linear(states, prefix + part), self._by_head])
            for part in ("self.query", "self.key", "self.value")
        }
        query = self._node("Transpose", [heads["self.query"]], perm=[0, 2, 1, 3])
        key = self._node("Transpose", [heads["self.key"]], perm=[0, 2, 3, 1])
        value = self._node("Transpose", [heads["self.value"]], perm=[0, 2, 1, 3])
        scores = self._node("Mul", [self._node("MatMul", [query, key]), self._scale])
        mixed = self._node("MatMul", [self._node("Softmax", [scores], axis=-1), value])
        turned = self._node("Transpose", [mixed], perm=[0, 2, 1, 3])
        joined = self._node("Reshape", [turned, self._joined])
        return self._residual(joined, states, prefix=prefix + "output.")

    def feed_forward(self, states: str, prefix: str) -> str:
        """Add the two dense layers with exact GELU between them, and their residual."""
        wide = self._linear(states, prefix + "intermediate.dense")
        bent = self._node("Erf", [self._node("Mul", [wide, self._root_half])])
        gate = self._node("Add", [bent, self._one])
        active = self._node("Mul", [self._node("Mul", [wide, self._half]), gate])
        return self._residual(active, states, prefix=prefix + "output.")

    def finish(self, states: str) -> onnx.ModelProto:
        """Return the model with `states` as its output."""
        self._nodes.append(helper.make_node("Identity", [states], ["states"]))
        ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])
        out = helper.make_tensor_value_info("states", TensorProto.FLOAT, [1, "tokens", WIDTH])
        graph = helper.make_graph(self._nodes, "minilm", [ids], [out], self._constants)
        opset = helper.make_opsetid("", _OPSET)
        return helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION)

    def _residual(self, change: str, states: str, *, prefix: str) -> str:
        added = self._node("Add", [self._linear(change, prefix + "dense"), states])
        return self._normalise(added, prefix + "LayerNorm")

    def _linear(self, value: str, name: str) -> str:
        weight = self._constant(self._tensors[name + ".weight"].T)
        bias = self._constant(self._tensors[name + ".bias"])
        return self._node("Add", [self._node("MatMul", [value, weight]), bias])

    def _normalise(self, value: str, name: str) -> str:
        scale = self._constant(self._tensors[name + ".weight"])
        bias = self._constant(self._tensors[name + ".bias"])
        inputs = [value, scale, bias]
        return self._node("LayerNormalization", inputs, axis=-1, epsilon=EPSILON)

    def _node(self, operation: str, inputs: Iterable[str], **attributes: Any) -> str:
        output = f"t{next(self._count)}"
        self._nodes.append(helper.make_node(operation, list(inputs), [output], **attributes))
        return output

    def _constant(self, value: npt.NDArray[np.float32] | npt.NDArray[np.int64]) -> str:
        name = f"c{next(self._count)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name
