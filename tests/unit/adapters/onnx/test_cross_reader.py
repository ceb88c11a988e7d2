"""A question and a text read together: the graph, what is cut, and what happens without it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import numpy as np
import pytest

from weft.adapters.onnx.cross_reader import (
    HEAD_TOKENS,
    QUESTION_TOKENS,
    TEXT_TOKENS,
    MiniLmReader,
    question_ids,
    text_ids,
)
from weft.adapters.onnx.encoder import MiniLm, open_embedder
from weft.adapters.onnx.reader_weights import (
    PLANS,
    UNITS,
    Teaching,
    packed,
    shipped_weights,
    taught,
    taught_names,
    unpacked,
)
from weft.adapters.onnx.tensors import read
from weft.adapters.onnx.tokens import Wordpieces
from weft.adapters.onnx.weights import ModelWeights
from weft.ports.embedder import TextUnder

QUESTION = "Who founded the mill?"
ANSWER = TextUnder(head=("The mill",), text="The mill was founded by Ann Oak in 1911.")
OTHER = TextUnder(head=("The mill",), text="Flour is sold on Tuesdays.")


def test_what_answers_stands_before_what_does_not(onnx_embedder: MiniLm, cache: Path) -> None:
    found = MiniLmReader(cache, onnx_embedder).read(QUESTION, [OTHER, ANSWER])
    assert found is not None
    assert found.shape == (2, 2)
    assert (found[1] > found[0]).all()


def test_a_text_is_read_alike_in_any_company(onnx_embedder: MiniLm, cache: Path) -> None:
    reader = MiniLmReader(cache, onnx_embedder)
    alone, beside = reader.read(QUESTION, [ANSWER]), reader.read(QUESTION, [OTHER, ANSWER])
    assert alone is not None
    assert beside is not None
    assert np.array_equal(alone[0], beside[1])


def test_a_damaged_graph_is_built_again(onnx_embedder: MiniLm, tmp_path: Path) -> None:
    wanted = MiniLmReader(tmp_path, onnx_embedder).read(QUESTION, [ANSWER])
    (graph,) = tmp_path.glob("minilm-reader-*.onnx")
    graph.write_bytes(b"x")
    found = MiniLmReader(tmp_path, onnx_embedder).read(QUESTION, [ANSWER])
    assert found is not None
    assert wanted is not None
    assert np.array_equal(found, wanted)


def test_nothing_is_read_where_the_network_cannot_be_had(
    onnx_embedder: MiniLm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "weft.adapters.onnx.session", None)
    assert MiniLmReader(tmp_path, onnx_embedder).read(QUESTION, [ANSWER]) is None


def test_it_is_opened_while_others_work_and_not_once_they_ended(
    weights: ModelWeights, cache: Path
) -> None:
    embedder = open_embedder(cache)
    reader = MiniLmReader(cache, embedder)
    reader.prepare()
    reader.prepare()
    assert reader.read(QUESTION, [ANSWER]) is not None
    asyncio.run(embedder.close())
    late = MiniLmReader(cache, embedder)
    late.prepare()
    assert late.read(QUESTION, [ANSWER]) is None


def test_long_texts_are_cut(wordpieces: Wordpieces) -> None:
    long = "mill " * 300
    assert len(question_ids(wordpieces, long)) == QUESTION_TOKENS + 2
    ids = text_ids(wordpieces, TextUnder(head=(long,), text=long))
    assert len(ids) == HEAD_TOKENS + 1 + TEXT_TOKENS + 2


def test_a_text_without_headings_begins_with_itself(wordpieces: Wordpieces) -> None:
    assert np.array_equal(
        text_ids(wordpieces, TextUnder(head=(), text="flour")), wordpieces.encode("flour").ids
    )


def test_what_was_taught_is_kept_in_eight_bits() -> None:
    rng = np.random.default_rng(0)
    base = {"a.weight": rng.normal(size=(4, 8)).astype(np.float32)}
    learnt = {
        "a.weight": base["a.weight"] + rng.normal(0, 0.01, (4, 8)).astype(np.float32),
        "a.bias": np.ones(4, np.float32),
    }
    found = unpacked(packed(learnt, base), base)
    assert np.allclose(found["a.weight"], learnt["a.weight"], atol=2e-4)
    assert np.array_equal(found["a.bias"], learnt["a.bias"])


def test_a_row_that_was_not_changed_stays() -> None:
    base = {"a.weight": np.ones((2, 2), np.float32)}
    assert np.array_equal(unpacked(packed(base, base), base)["a.weight"], base["a.weight"])


@pytest.mark.parametrize("of", [UNITS, PLANS])
def test_the_shipped_weights_have_their_name(of: Teaching) -> None:
    assert taught(shipped_weights(of)) == of.name, "new weights: write their name into the module"


@pytest.mark.parametrize("of", [UNITS, PLANS])
def test_the_shipped_weights_are_of_the_taught_layers(weights: ModelWeights, of: Teaching) -> None:
    base = read(weights.tensors)
    assert set(taught_names(base)) == set(unpacked(shipped_weights(of), base)) & set(base)


def test_a_plan_that_is_meant_stands_before_one_that_is_not(
    onnx_embedder: MiniLm, cache: Path
) -> None:
    plans = ["cell: boats; Name is Heron; show built", "cell: boats; Name is Heron; show length"]
    found = MiniLmReader(cache, onnx_embedder).read_plans("How long is the Heron?", plans)
    assert found is not None
    assert found.shape == (2, 2)
    assert found[1, 1] > found[0, 1]
