"""The graphs: built once, mended when damaged, replaced by numpy where it cannot be had."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from weft.adapters.onnx import session as room
from weft.adapters.onnx.encoder import open_embedder
from weft.adapters.onnx.numpy_encoder import NumpyNetwork
from weft.adapters.onnx.session import LateNetwork, OnnxNetwork, graph_paths, open_network
from weft.adapters.onnx.weights import ModelWeights
from weft.domain.errors import ModelUnavailable, WeightsMissing

IDS = np.array([101, 7592, 2088, 102], np.int64)


@pytest.fixture(scope="module")
def built(weights: ModelWeights, tmp_path_factory: pytest.TempPathFactory) -> Path:
    cache = tmp_path_factory.mktemp("built")
    open_network(weights, cache)
    return cache


def test_the_graph_is_built_once(
    weights: ModelWeights, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {path.name for path in built.iterdir()}
    assert names == {
        path.with_suffix(suffix).name
        for path in graph_paths(built)
        for suffix in (".onnx", ".data")
    }
    # With None in its place a module cannot be imported: nothing is built a second time.
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.delitem(sys.modules, "weft.adapters.onnx.graph", raising=False)
    states = open_network(weights, built).states(IDS)
    assert states.shape == (4, 384)
    assert states.dtype == np.float32


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("suffix", [".onnx", ".data"])
@pytest.mark.parametrize("kept", [None, 0, 5000])
def test_a_damaged_graph_is_built_again(
    weights: ModelWeights, built: Path, half: int, suffix: str, kept: int | None
) -> None:
    wanted = open_network(weights, built).states(IDS)
    victim = graph_paths(built)[half].with_suffix(suffix)
    whole = victim.read_bytes()
    victim.unlink()
    if kept is not None:
        victim.write_bytes(whole[:kept])
    assert np.array_equal(open_network(weights, built).states(IDS), wanted)
    assert victim.read_bytes() == whole


@pytest.mark.parametrize(("half", "begin"), [(0, 0.0), (0, 0.4), (0, 0.85), (1, 0.0), (1, 0.5)])
def test_constants_that_were_damaged_at_their_full_length_are_built_again(
    weights: ModelWeights, built: Path, half: int, begin: float
) -> None:
    wanted = open_network(weights, built).states(IDS)
    victim = graph_paths(built)[half].with_suffix(".data")
    whole = victim.read_bytes()
    at = int(begin * len(whole))
    victim.unlink()
    victim.write_bytes(whole[:at] + bytes(8_000_000) + whole[at + 8_000_000 :])
    assert np.array_equal(open_network(weights, built).states(IDS), wanted)
    assert victim.read_bytes() == whole


def test_an_embedder_mends_a_graph_that_it_finds_damaged(
    weights: ModelWeights, tmp_path: Path
) -> None:
    async def asked() -> tuple[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
        embedder = open_embedder(tmp_path)
        try:
            return embedder.fingerprint, await embedder.queries(["hello"])
        finally:
            await embedder.close()

    assert weights.folder.is_dir()
    wanted = asyncio.run(asked())
    graph_paths(tmp_path)[1].write_bytes(b"no graph")
    found = asyncio.run(asked())
    assert found[0] == wanted[0] == "minilm-l6-v2/onnx-fp32/384/mean/late"
    assert np.array_equal(found[1], wanted[1])


def test_a_graph_that_cannot_be_mended_is_named(
    weights: ModelWeights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in graph_paths(tmp_path):
        path.write_bytes(b"no graph")
    late = LateNetwork(weights, tmp_path)
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.delitem(sys.modules, "weft.adapters.onnx.graph", raising=False)
    late.prepare()  # says nothing
    with pytest.raises(ModelUnavailable, match=str(tmp_path)):
        late.states(IDS)


def test_what_killed_builds_left_is_swept(weights: ModelWeights, tmp_path: Path) -> None:
    old, young = (Path(f"{graph_paths(tmp_path)[0]}.{name}.part") for name in ("old", "young"))
    for room_left in (old, young):
        room_left.mkdir()
        (room_left / "half.data").write_bytes(b"x")
    os.utime(old, (1, 1))
    open_network(weights, tmp_path)
    assert not old.exists()
    assert young.exists()


def test_damaged_weights_build_nothing(tmp_path: Path, weights: ModelWeights) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "tokenizer.json").write_bytes(weights.tokenizer.read_bytes())
    raw = bytearray(weights.tensors.read_bytes())
    raw[-1] ^= 1
    (bad / "model.safetensors").write_bytes(raw)
    with pytest.raises(WeightsMissing, match="damaged"):
        open_network(ModelWeights(folder=bad), tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_a_failing_pass_is_an_error_of_ours(weights: ModelWeights, built: Path) -> None:
    network = open_network(weights, built)
    with pytest.raises(ModelUnavailable):
        network.states(np.array([99_999_999], np.int64))


def test_numpy_has_the_same_lower_half(weights: ModelWeights, built: Path) -> None:
    found, wanted = (
        NumpyNetwork(weights.tensors).lower(IDS),
        open_network(weights, built).lower(IDS),
    )
    assert found.shape == wanted.shape == (4, 384)
    assert np.abs(found - wanted).max() < 1e-4


def test_no_graph_at_all(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="not a usable graph"):
        OnnxNetwork(tmp_path / "none.onnx", tmp_path / "none.onnx")


@pytest.mark.parametrize("missing", ["onnxruntime", "onnx"])
def test_numpy_steps_in(
    weights: ModelWeights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    assert weights.folder.is_dir()
    monkeypatch.setitem(sys.modules, missing, None)
    for name in ("session", "graph"):
        monkeypatch.delitem(sys.modules, f"weft.adapters.onnx.{name}", raising=False)
    embedder = open_embedder(tmp_path)
    asyncio.run(embedder.close())
    assert embedder.fingerprint == "minilm-l6-v2/numpy-fp32/384/mean/late"


def test_numpy_steps_in_when_the_cache_cannot_be_written(
    weights: ModelWeights, tmp_path: Path
) -> None:
    assert weights.folder.is_dir()
    (tmp_path / "file").write_bytes(b"")
    embedder = open_embedder(tmp_path / "file")
    asyncio.run(embedder.close())
    assert "numpy" in embedder.fingerprint
    assert "without ONNX Runtime" in embedder.note
    assert str(tmp_path) in embedder.note


def test_another_builder_makes_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = graph_paths(tmp_path)
    monkeypatch.setattr(room, "_GRAPH_VERSION", "other")
    assert not set(graph_paths(tmp_path)) & set(before)
