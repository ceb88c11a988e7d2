"""The graph that reads a question and a text together, built once and kept in the cache."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from weft.adapters.onnx.graph import GraphDraft, Tensors, states_named, write_graphs
from weft.adapters.onnx.reader_weights import MARKS, SCORE
from weft.adapters.onnx.tensors import LAYERS, LOWER_LAYERS, Array
from weft.adapters.onnx.weights import ModelWeights


def write_reader_graph(weights: ModelWeights, path: Path, *, learnt: Mapping[str, Array]) -> None:
    """Build the graph from the embedder's weights and the layers learnt in place of its last.

    Inputs `question` and `text`, float32[1, tokens, 384], what the lower half of the embedder's
    network gives for each; output `scores` float32[1, 1, 2].
    Raises `WeightsMissing`, or `OSError` when the cache cannot be written.
    """
    write_graphs(weights, {path: partial(_model, learnt=learnt)})


def _model(tensors: Tensors, *, learnt: Mapping[str, Array]) -> onnx.ModelProto:
    draft = GraphDraft({**tensors, **learnt})
    # Far from its end the network makes words of a text's own: there each is read alone, as the
    # embedder reads it.
    both = draft.joined(["question", "text"], list(learnt[MARKS]))
    last = f"encoder.layer.{LAYERS - 1}."
    both = draft.layers(both, range(LOWER_LAYERS, LAYERS - 1))
    # Only the first token is scored, so that nothing else goes through the last layer.
    first = draft.attention(both, last + "attention.", only=draft.first(both))
    draft.name(draft.linear(draft.feed_forward(first, last), SCORE), "scores")
    inputs = [states_named(name, f"{name}_tokens") for name in ("question", "text")]
    out = helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 1, 2])
    return draft.finish(inputs, out)
