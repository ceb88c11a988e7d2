"""Pooling: which tokens belong to a sentence, and means of them with length one."""

from __future__ import annotations

import numpy as np
import pytest

from weft.adapters.onnx.pooling import pool
from weft.domain.document import Span

STATES = np.eye(6, dtype=np.float32) * np.array([1, 2, 3, 4, 5, 6], np.float32)[:, None]
STARTS = np.array([0, 4, 10, 14], np.int64)


def expected(rows: list[int]) -> list[float]:
    total = STATES[rows].mean(axis=0)
    return list(total / np.linalg.norm(total))


def test_the_passage_is_the_mean_of_all_states() -> None:
    found = pool(STATES, STARTS, sentences=())
    assert found.passage == pytest.approx(expected([0, 1, 2, 3, 4, 5]))
    assert found.sentences.shape == (0, 6)
    assert found.sentences.dtype == found.passage.dtype == np.float32


def test_a_token_belongs_where_it_begins() -> None:
    spans = [Span(start=0, end=10), Span(start=10, end=12), Span(start=12, end=99)]
    rows = pool(STATES, STARTS, sentences=spans).sentences
    for row, wanted in zip(rows, ([1, 2], [3], [4]), strict=True):
        assert row == pytest.approx(expected(wanted))


def test_a_sentence_without_tokens_gets_the_passage_s_vector() -> None:
    spans = [Span(start=15, end=40), Span(start=5, end=5), Span(start=1, end=4)]
    found = pool(STATES, STARTS, sentences=spans)
    assert np.array_equal(found.sentences, np.stack([found.passage] * 3))


def test_a_passage_without_tokens_has_a_vector() -> None:
    found = pool(STATES[:2], STARTS[:0], sentences=[Span(start=0, end=0)])
    assert found.passage == pytest.approx(expected([0, 1]))
