"""The local embedder: the same bits whatever else is embedded, late sentences, fair threads."""

from __future__ import annotations

import asyncio
import random
import threading
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.adapters.onnx.encoder import MiniLm
from weft.adapters.onnx.numpy_encoder import NumpyNetwork
from weft.adapters.onnx.pooling import pool
from weft.adapters.onnx.tensors import Array
from weft.adapters.onnx.tokens import Wordpieces
from weft.adapters.onnx.weights import ModelWeights
from weft.domain.document import Span
from weft.domain.errors import ModelUnavailable
from weft.domain.facts import Vectors
from weft.ports.embedder import PassageText

SENTENCES = [
    "Marie Curie found polonium in 1898.",
    "The valve of pump 7 was replaced after the pressure fell.",
    "한국어 문장도 있습니다.",
    "See the report, é\u0301 and 👩‍👩‍👧.",
    "x",
]


def passage(title: str, *sentences: str) -> PassageText:
    text, spans = "", []
    for sentence in sentences:
        spans.append(Span(start=len(text), end=len(text) + len(sentence)))
        text += sentence + " "
    return PassageText(title=title, text=text, sentences=tuple(spans))


def some_passages(seed: int, count: int) -> list[PassageText]:
    source = random.Random(seed)
    return [
        passage(source.choice(["", "Title", "제목"]), *source.choices(SENTENCES, k=1 + number % 7))
        for number in range(count)
    ]


def bits(found: Vectors) -> tuple[bytes, bytes]:
    return found.passage.tobytes(), found.sentences.tobytes()


class CountingNetwork:
    """Gives states made from the ids, counts its passes, and can hold or fail them."""

    variant = "counting"
    lanes = 2
    note = ""

    def __init__(self) -> None:
        self.passes = 0
        self.lock = threading.Lock()
        self.gate = threading.Event()
        self.gate.set()
        self.failing = False

    def prepare(self) -> None:
        """Do nothing."""

    def lower(self, ids: npt.NDArray[np.int64]) -> Array:
        return self.states(ids)

    def states(self, ids: npt.NDArray[np.int64]) -> Array:
        assert threading.current_thread() is not threading.main_thread()
        assert self.gate.wait(10)
        with self.lock:
            self.passes += 1
        if self.failing:
            raise ModelUnavailable
        states: Array = np.cos(ids[:, None] * np.arange(1, 385)).astype(np.float32)
        return states


@pytest.fixture
def counting() -> CountingNetwork:
    return CountingNetwork()


@pytest.fixture
def counted(counting: CountingNetwork, wordpieces: Wordpieces) -> MiniLm:
    return MiniLm(counting, wordpieces)


@pytest.mark.slow
async def test_bits_depend_on_the_text_alone(onnx_embedder: MiniLm) -> None:
    texts = some_passages(1, 30)
    alone = [bits((await onnx_embedder.passages([text]))[0]) for text in texts]
    assert [bits(found) for found in await onnx_embedder.passages(texts)] == alone
    backwards = await onnx_embedder.passages(texts[::-1])
    assert [bits(found) for found in backwards[::-1]] == alone
    for found in await asyncio.gather(*(onnx_embedder.passages(texts) for _ in range(3))):
        assert [bits(vectors) for vectors in found] == alone


async def test_another_session_gives_the_same_bits(
    onnx_embedder: MiniLm, weights: ModelWeights, cache: Path, wordpieces: Wordpieces
) -> None:
    from weft.adapters.onnx.session import open_network

    other = MiniLm(open_network(weights, cache), wordpieces)
    texts = some_passages(2, 8)
    theirs, ours = await other.passages(texts), await onnx_embedder.passages(texts)
    await other.close()
    assert [bits(found) for found in theirs] == [bits(found) for found in ours]


@pytest.mark.slow
async def test_numpy_agrees(
    onnx_embedder: MiniLm, weights: ModelWeights, wordpieces: Wordpieces
) -> None:
    plain = MiniLm(NumpyNetwork(weights.tensors), wordpieces)
    texts = [*some_passages(3, 10), passage("Long", *SENTENCES * 12), passage("")]
    ours, theirs = await onnx_embedder.passages(texts), await plain.passages(texts)
    again = await plain.passages(texts[::-1])
    await plain.close()
    for left, right in zip(ours, theirs, strict=True):
        assert left.passage @ right.passage >= 0.99999
        assert np.all((left.sentences * right.sentences).sum(axis=1) >= 0.99999)
    assert [bits(found) for found in again[::-1]] == [bits(found) for found in theirs]
    assert plain.fingerprint != onnx_embedder.fingerprint


async def test_meaning_is_near(onnx_embedder: MiniLm) -> None:
    question, near, far = await onnx_embedder.queries(
        ["Who discovered polonium?", SENTENCES[0], SENTENCES[1]]
    )
    assert question @ near > 0.6
    assert question @ far < 0.2


async def test_sentences_are_pooled_from_the_passage_s_own_pass(
    onnx_embedder: MiniLm, weights: ModelWeights, wordpieces: Wordpieces
) -> None:
    text = passage("Pump 7", SENTENCES[1], SENTENCES[2])
    [found] = await onnx_embedder.passages([text])
    tokens = wordpieces.encode(f"{text.title}\n{text.text}")
    states = NumpyNetwork(weights.tensors).states(tokens.ids)
    shifted = [Span(start=span.start + 7, end=span.end + 7) for span in text.sentences]
    wanted = pool(states, tokens.starts, sentences=shifted)
    assert np.all((found.sentences * wanted.sentences).sum(axis=1) >= 0.99999)


async def test_sentences_past_the_truncation_get_the_passage_s_vector(
    onnx_embedder: MiniLm,
) -> None:
    text = passage("Long", *SENTENCES[:2] * 20)
    [found] = await onnx_embedder.passages([text])
    cut = onnx_embedder.token_ends(f"Long\n{text.text}")[onnx_embedder.max_tokens - 3] - 5
    past = [span.start >= cut for span in text.sentences]
    assert 0 < sum(past) < len(past)
    for row, is_past in zip(found.sentences, past, strict=True):
        assert np.array_equal(row, found.passage) == is_past


async def test_equal_texts_take_one_pass(counted: MiniLm, counting: CountingNetwork) -> None:
    one = passage("T", "a b.", "c d.")
    other_marks = PassageText(title="T", text=one.text, sentences=one.sentences[1:])
    first, second, third, fourth = await counted.passages(
        [one, other_marks, passage("U", "a b."), one]
    )
    await counted.close()
    assert counting.passes == 2
    assert bits(first) == bits(fourth)
    assert np.array_equal(first.sentences[1:], second.sentences)
    assert not np.array_equal(first.passage, third.passage)


async def test_a_question_is_read_once(
    onnx_embedder: MiniLm, counted: MiniLm, counting: CountingNetwork
) -> None:
    first = await counted.queries(["who?", "why?", "who?"])
    again = await counted.queries(["why?", "how?", "who?"])
    assert counting.passes == 3
    assert again[2].tobytes() == first[0].tobytes() == first[2].tobytes()
    assert again[0].tobytes() == first[1].tobytes()
    assert (await counted.queries([])).shape == (0, 384)
    kept, read = [await onnx_embedder.queries(["who?"]) for _ in range(2)]
    assert kept.tobytes() == read.tobytes()


async def test_many_questions_are_not_all_kept(counted: MiniLm, counting: CountingNetwork) -> None:
    await counted.queries(["who?"])
    many = await counted.queries([f"who is {n}?" for n in range(100)])
    assert len(many) == 100
    before = counting.passes
    await counted.queries(["who?"])
    assert counting.passes == before + 1


async def test_a_question_need_not_wait_for_a_long_ingest(
    counted: MiniLm, counting: CountingNetwork
) -> None:
    counting.gate.clear()
    ingest = asyncio.create_task(counted.passages([passage("", str(n)) for n in range(500)]))
    await asyncio.sleep(0.05)
    question = asyncio.create_task(counted.queries(["?"]))
    await asyncio.sleep(0.05)
    counting.gate.set()
    await question
    assert counting.passes < 100
    assert len(await ingest) == 500
    await counted.close()


async def test_a_cancelled_call_stops(counted: MiniLm, counting: CountingNetwork) -> None:
    counting.gate.clear()
    ingest = asyncio.create_task(counted.passages([passage("", str(n)) for n in range(500)]))
    await asyncio.sleep(0.05)
    ingest.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ingest
    counting.gate.set()
    await counted.queries(["still works"])
    assert counting.passes <= 5
    await counted.close()


async def test_an_error_of_the_network_arrives(counted: MiniLm, counting: CountingNetwork) -> None:
    counting.failing = True
    with pytest.raises(ModelUnavailable):
        await counted.passages([passage("", str(n)) for n in range(50)])
    counting.failing = False
    assert (await counted.queries(["works again"])).shape == (1, 384)
    assert counting.passes < 50
    await counted.close()


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=40), max_size=5))
@settings(max_examples=15)
def test_any_text_has_unit_vectors(onnx_embedder: MiniLm, texts: list[str]) -> None:
    rows = asyncio.run(onnx_embedder.queries(texts))
    assert rows.shape == (len(texts), 384)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-6)
