"""Safetensors files: read exactly, refused when header and length disagree."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from weft.adapters.onnx.tensors import read
from weft.adapters.onnx.weights import ModelWeights
from weft.domain.errors import WeightsMissing


def written(path: Path, header: object, body: bytes = b"") -> Path:
    raw = json.dumps(header).encode()
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + body)
    return path


def test_float_tensors_come_back_and_others_are_left_out(tmp_path: Path) -> None:
    numbers = np.arange(6, dtype="<f4").reshape(2, 3)
    header = {
        "__metadata__": {"format": "pt"},
        "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
        "ids": {"dtype": "I64", "shape": [1], "data_offsets": [24, 32]},
    }
    found = read(written(tmp_path / "w", header, numbers.tobytes() + bytes(8)))
    assert set(found) == {"w"}
    assert np.array_equal(found["w"], numbers)


@pytest.mark.parametrize(
    "header",
    [
        [],
        {"w": 1},
        {"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}},
        {"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}},
        {"w": {"dtype": "F32", "shape": [-1], "data_offsets": [4, 0]}},
        {"w": {"dtype": "F32", "shape": ["1"], "data_offsets": [0, 4]}},
        {"w": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}},
    ],
)
def test_a_header_that_does_not_fit_is_refused(tmp_path: Path, header: object) -> None:
    with pytest.raises(WeightsMissing, match="damaged"):
        read(written(tmp_path / "w", header, bytes(4)))


@pytest.mark.parametrize("content", [b"", b"abc", b"\xff" * 64, b"\x02" + bytes(7) + b"{x}"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "w").write_bytes(content)
    with pytest.raises(WeightsMissing, match="damaged"):
        read(tmp_path / "w")
    with pytest.raises(WeightsMissing):
        read(tmp_path / "none")


def test_the_real_file_holds_the_network(weights: ModelWeights) -> None:
    tensors = read(weights.tensors)
    assert tensors["embeddings.word_embeddings.weight"].shape == (30522, 384)
    assert tensors["encoder.layer.5.output.dense.weight"].shape == (384, 1536)
    assert not tensors["embeddings.LayerNorm.bias"].flags.writeable
