"""Networks as ONNX graphs, built once from the weights and kept in the cache."""

from __future__ import annotations

import itertools
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from weft.adapters.onnx.tensors import EPSILON, HEADS, LAYERS, LOWER_LAYERS, WIDTH, Array, read
from weft.adapters.onnx.weights import ModelWeights, verify

_OPSET = 17
_IR_VERSION = 9
_ABANDONED_SECONDS = 3600
_READABLE = 0o644


Tensors: TypeAlias = Mapping[str, Array]


def lower_model(tensors: Tensors) -> onnx.ModelProto:
    """Return the lower half of the network that embeds: the embeddings and the first layers.

    Input `input_ids` int64[1, tokens]; output `lower` float32[1, tokens, 384]. There is no
    attention mask: a pass takes one text, without padding.
    """
    draft = GraphDraft(tensors)
    draft.name(draft.layers(draft.embeddings("input_ids"), range(LOWER_LAYERS)), "lower")
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])
    return draft.finish([ids], states_named("lower", "tokens"))


def upper_model(tensors: Tensors) -> onnx.ModelProto:
    """Return the upper half of the network that embeds.

    Input `lower` as the lower half gives it; output `states` float32[1, tokens, 384], the last
    layer's token states, not pooled.
    """
    draft = GraphDraft(tensors)
    draft.name(draft.layers("lower", range(LOWER_LAYERS, LAYERS)), "states")
    # Its shape is not said: where it is, ONNX Runtime joins nodes otherwise than in a network that
    # is not cut, and the bits are others.
    lower = helper.make_tensor_value_info("lower", TensorProto.FLOAT, None)
    return draft.finish([lower], states_named("states", "tokens"))


def states_named(name: str, tokens: str) -> onnx.ValueInfoProto:
    """Return what says of an input or output that it is float32[1, tokens, 384]."""
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, tokens, WIDTH])


def write_graphs(
    weights: ModelWeights, models: Mapping[Path, Callable[[Tensors], onnx.ModelProto]]
) -> None:
    """Build graphs from verified weights, each at its path with its constants beside it.

    Takes about a second. Raises `WeightsMissing`, or `OSError` when the cache cannot be written.
    """
    verify(weights)
    tensors = read(weights.tensors)
    for path, model in models.items():
        _write(model(tensors), path)


def _write(model: onnx.ModelProto, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    room = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    room.mkdir()
    try:
        # Constants in a file of their own are mapped, not parsed: loading takes 0.06 s, not 0.15 s.
        constants = path.with_suffix(".data").name
        onnx.save_model(
            model,
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


class GraphDraft:
    """Collects nodes and constants; each method adds one part and returns its output's name."""

    def __init__(self, tensors: Tensors) -> None:
        """Take the tensors by name."""
        self._tensors = tensors
        self._known: dict[str, str] = {}
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

    def embeddings(self, ids: str) -> str:
        """Add the sum of word, position and type embeddings of token ids, normalised."""
        table = "embeddings.{}_embeddings.weight".format
        kinds = self._tensors[table("token_type")][0]
        places = self._named("places", lambda: self._tensors[table("position")] + kinds)
        length = self._node("Shape", [ids], start=1, end=2)
        start = self._constant(np.array([0], np.int64))
        place = self._node("Slice", [places, start, length])
        word = self._node("Gather", [self._tensor(table("word")), ids])
        return self._normalise(self._node("Add", [word, place]), "embeddings.LayerNorm")

    def layers(self, states: str, numbers: Iterable[int]) -> str:
        """Add some of the layers, each a text's own attention and its dense part."""
        for layer in numbers:
            prefix = f"encoder.layer.{layer}."
            states = self.attention(states, prefix + "attention.")
            states = self.feed_forward(states, prefix)
        return states

    def attention(self, states: str, prefix: str, *, only: str = "") -> str:
        """Add multi-head attention with its residual, of the states or of some of them `only`."""
        asking = only or states
        parts = {"self.query": asking, "self.key": states, "self.value": states}
        heads = {
            part: self._node("Reshape", [self._linear(own, prefix + part), self._by_head])
            for part, own in parts.items()
        }
        query = self._node("Transpose", [heads["self.query"]], perm=[0, 2, 1, 3])
        key = self._node("Transpose", [heads["self.key"]], perm=[0, 2, 3, 1])
        value = self._node("Transpose", [heads["self.value"]], perm=[0, 2, 1, 3])
        scores = self._node("Mul", [self._node("MatMul", [query, key]), self._scale])
        mixed = self._node("MatMul", [self._node("Softmax", [scores], axis=-1), value])
        turned = self._node("Transpose", [mixed], perm=[0, 2, 1, 3])
        joined = self._node("Reshape", [turned, self._joined])
        return self._residual(joined, asking, prefix=prefix + "output.")

    def feed_forward(self, states: str, prefix: str) -> str:
        """Add the two dense layers with exact GELU between them, and their residual."""
        wide = self._linear(states, prefix + "intermediate.dense")
        bent = self._node("Erf", [self._node("Mul", [wide, self._root_half])])
        gate = self._node("Add", [bent, self._one])
        active = self._node("Mul", [self._node("Mul", [wide, self._half]), gate])
        return self._residual(active, states, prefix=prefix + "output.")

    def first(self, states: str) -> str:
        """Add the choice of the first token, the states of one still."""
        start, end, axis = (self._constant(np.array([n], np.int64)) for n in (0, 1, 1))
        return self._node("Slice", [states, start, end, axis])

    def joined(self, texts: Sequence[str], marks: Sequence[Array]) -> str:
        """Add the states of several texts one after another, each text marked by a vector."""
        marked = [
            self._node("Add", [text, self._constant(mark)])
            for text, mark in zip(texts, marks, strict=True)
        ]
        return self._node("Concat", marked, axis=1)

    def linear(self, value: str, name: str) -> str:
        """Add a dense layer."""
        return self._linear(value, name)

    def name(self, value: str, name: str) -> None:
        """Give an output its name."""
        self._nodes.append(helper.make_node("Identity", [value], [name]))

    def finish(
        self, inputs: Sequence[onnx.ValueInfoProto], output: onnx.ValueInfoProto
    ) -> onnx.ModelProto:
        """Return the model."""
        graph = helper.make_graph(self._nodes, "minilm", inputs, [output], self._constants)
        opset = helper.make_opsetid("", _OPSET)
        return helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION)

    def _residual(self, change: str, states: str, *, prefix: str) -> str:
        added = self._node("Add", [self._linear(change, prefix + "dense"), states])
        return self._normalise(added, prefix + "LayerNorm")

    def _linear(self, value: str, name: str) -> str:
        weight = self._named(name, lambda: self._tensors[name + ".weight"].T)
        bias = self._tensor(name + ".bias")
        return self._node("Add", [self._node("MatMul", [value, weight]), bias])

    def _normalise(self, value: str, name: str) -> str:
        inputs = [value, self._tensor(name + ".weight"), self._tensor(name + ".bias")]
        return self._node("LayerNormalization", inputs, axis=-1, epsilon=EPSILON)

    def _tensor(self, name: str) -> str:
        return self._named(name, lambda: self._tensors[name])

    def _named(self, name: str, make: Callable[[], Array]) -> str:
        """Return a constant that several texts go through, which is held once."""
        if name not in self._known:
            self._known[name] = self._constant(make())
        return self._known[name]

    def _node(self, operation: str, inputs: Iterable[str], **attributes: Any) -> str:
        output = f"t{next(self._count)}"
        self._nodes.append(helper.make_node(operation, list(inputs), [output], **attributes))
        return output

    def _constant(self, value: npt.NDArray[np.float32] | npt.NDArray[np.int64]) -> str:
        name = f"c{next(self._count)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name
