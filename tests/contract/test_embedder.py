"""What every embedder promises: the port's words, on each of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from unit.adapters.llm.embedding_endpoint import DIMENSIONS, serving
from weft.adapters.llm.embedder import EndpointEmbedder, EndpointModel
from weft.adapters.onnx.encoder import MiniLm, open_embedder
from weft.adapters.onnx.numpy_encoder import NumpyNetwork
from weft.adapters.onnx.tokens import Wordpieces
from weft.adapters.onnx.weights import ModelWeights, find
from weft.domain.document import Span
from weft.domain.errors import WeightsMissing
from weft.domain.facts import Vectors
from weft.ports.embedder import Embedder, PassageText

TEXTS = [
    "",
    " \n\t ",
    "One sentence. And another one!",
    "한국어 문장입니다. 두 번째 문장입니다.",
    "中文句子。日本語の文。",
    "e\u0301 ﬁ ß İ ½ \u200b\u00a0 \x00 \ufffd 👩‍👩‍👧 \U0010ffff",
    "[CLS] [SEP] <|endoftext|> {{ }}",
    "word " * 3000,
    "x" * 20_000,
]


def _weights() -> ModelWeights:
    try:
        return find(Path("nowhere"))
    except WeightsMissing:
        pytest.skip("the weights of the local embedding model are not installed")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(params=["onnx", "numpy", "endpoint"])
async def embedder(request: pytest.FixtureRequest, cache: Path) -> AsyncIterator[Embedder]:
    if request.param == "endpoint":
        with serving() as script:
            model = EndpointModel(
                provider="openai", name="m", base_url=script.url, dimensions=DIMENSIONS
            )
            remote = EndpointEmbedder(model)
            yield remote
            await remote.close()
        return
    weights = _weights()
    if request.param == "onnx":
        local = open_embedder(cache)
    else:
        local = MiniLm(NumpyNetwork(weights.tensors), Wordpieces(weights.tokenizer))
    yield local
    await local.close()


def passage(text: str, *, title: str = "Title", cuts: int = 2) -> PassageText:
    """Return the text as a passage of `cuts` sentences that cover it."""
    places = [len(text) * cut // max(cuts, 1) for cut in range(cuts + 1)]
    spans = [Span(start=a, end=b) for a, b in pairwise(places)]
    return PassageText(title=title, text=text, sentences=tuple(spans))


def check(found: Vectors, sentences: int, d: int) -> None:
    """Assert the shapes, types and lengths of one passage's vectors."""
    assert found.passage.shape == (d,)
    assert found.passage.dtype == found.sentences.dtype == np.float32
    assert np.linalg.norm(found.passage) == pytest.approx(1, abs=1e-6)
    # An embedder without token states gives no sentence vectors at all.
    assert found.sentences.shape in {(sentences, d), (0, d)}
    norms = np.linalg.norm(found.sentences, axis=1)
    assert norms == pytest.approx(np.ones(len(norms)), abs=1e-6)


async def test_passages_are_unit_vectors_in_order(embedder: Embedder) -> None:
    passages = [passage(text, cuts=number) for number, text in enumerate(TEXTS)]
    found = await embedder.passages(passages)
    assert len(found) == len(passages)
    for number, vectors in enumerate(found):
        check(vectors, number, embedder.dimensions)


async def test_the_same_text_gives_the_same_bits(embedder: Embedder) -> None:
    passages = [passage(text) for text in TEXTS]
    together = await embedder.passages(passages)
    for one, wanted in zip(passages[::-1], together[::-1], strict=True):
        [alone] = await embedder.passages([one])
        assert np.array_equal(alone.passage, wanted.passage)
        assert np.array_equal(alone.sentences, wanted.sentences)


async def test_a_query_is_a_passage_without_a_title(embedder: Embedder) -> None:
    rows = await embedder.queries(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dimensions)
    assert rows.dtype == np.float32
    found = await embedder.passages([passage(text, title="", cuts=0) for text in TEXTS])
    assert np.array_equal(rows, np.stack([vectors.passage for vectors in found]))


async def test_the_title_is_part_of_the_text(embedder: Embedder) -> None:
    titled, bare = await embedder.passages([passage("text"), passage("text", title="")])
    joined = await embedder.queries(["Title\ntext"])
    assert np.array_equal(titled.passage, joined[0])
    assert not np.array_equal(titled.passage, bare.passage)


async def test_nothing_asked_is_nothing_answered(embedder: Embedder) -> None:
    assert await embedder.passages([]) == []
    assert (await embedder.queries([])).shape == (0, embedder.dimensions)


async def test_token_ends_never_fall_and_stay_in_the_text(embedder: Embedder) -> None:
    for text in TEXTS:
        ends = list(embedder.token_ends(text))
        assert ends == sorted(ends)
        assert all(0 < end <= len(text) for end in ends)
    assert len(embedder.token_ends("word " * 3000)) >= 3000
    assert list(embedder.token_ends("")) == []


async def test_the_fingerprint_tells_the_dimensions(embedder: Embedder) -> None:
    assert str(embedder.dimensions) in embedder.fingerprint.split("/")
    assert embedder.max_tokens > 2
