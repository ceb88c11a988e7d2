"""The installed weights, the graph built from them once, and the embedder over it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.adapters.onnx.encoder import MiniLm, open_embedder
from weft.adapters.onnx.tokens import Wordpieces
from weft.adapters.onnx.weights import ModelWeights, find
from weft.domain.errors import WeightsMissing


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def weights(cache: Path) -> ModelWeights:
    try:
        return find(cache)
    except WeightsMissing:
        pytest.skip("the weights of the local embedding model are not installed")


@pytest.fixture(scope="session")
def wordpieces(weights: ModelWeights) -> Wordpieces:
    return Wordpieces(weights.tokenizer)


@pytest.fixture(scope="session")
def onnx_embedder(weights: ModelWeights, cache: Path) -> Iterator[MiniLm]:
    assert weights.folder.is_dir()
    embedder = open_embedder(cache)
    yield embedder
    asyncio.run(embedder.close())
