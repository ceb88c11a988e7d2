"""The reader of a question and a text together, on the embedder's threads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from weft.adapters.onnx.encoder import MiniLm
from weft.adapters.onnx.reader_weights import (
    PLANS,
    UNITS,
    Teaching,
    shipped_weights,
    unpacked,
)
from weft.adapters.onnx.tensors import Array, read
from weft.adapters.onnx.tokens import Wordpieces
from weft.adapters.onnx.weights import find
from weft.domain.errors import ModelUnavailable, WeightsMissing
from weft.ports.embedder import TextUnder

if TYPE_CHECKING:
    from weft.adapters.onnx.session import ReaderNetwork

QUESTION_TOKENS, HEAD_TOKENS, TEXT_TOKENS = 30, 20, 72
# Of a long heading the beginning of its title and what it ends in.
_OF_TITLE = 6
_ABOVE = " > "

Ids: TypeAlias = npt.NDArray[np.int64]
Scores: TypeAlias = npt.NDArray[np.float64]


class MiniLmReader:
    """A `CrossReader`; each of its networks is opened when something is first to be read by it."""

    def __init__(self, cache_dir: Path, embedder: MiniLm) -> None:
        """Take the folder of built graphs and the embedder, on whose threads texts are read."""
        self._embedder = embedder
        self._units = _Network(cache_dir, UNITS)
        self._plans = _Network(cache_dir, PLANS)
        self._is_asked_for = False

    def prepare(self) -> None:
        """Open the network on one of the embedder's threads: it takes as long as a search."""
        if not self._is_asked_for:
            self._is_asked_for = True
            self._embedder.soon(self._units.opened)

    def read(self, question: str, texts: Sequence[TextUnder]) -> Scores | None:
        """Return float64[texts, 2]; None where the network cannot be had."""
        return self._read(self._units, question, texts)

    def read_plans(self, question: str, plans: Sequence[str]) -> Scores | None:
        """Return float64[plans, 2]; None where the network cannot be had."""
        return self._read(self._plans, question, [TextUnder(head=(), text=one) for one in plans])

    def _read(self, by: _Network, question: str, texts: Sequence[TextUnder]) -> Scores | None:
        network, wordpieces = by.opened(), self._embedder.wordpieces
        if network is None:
            return None
        lower = self._embedder.lower

        def scores(asked: Array, text: Ids) -> Array:
            return network.scores(asked, lower(text))

        try:
            asked = lower(question_ids(wordpieces, question))
            rows = self._embedder.each(
                [partial(scores, asked, text_ids(wordpieces, one)) for one in texts]
            )
        except (ModelUnavailable, RuntimeError):  # the threads have ended
            return None
        return np.array(rows, dtype=np.float64).reshape(len(texts), 2)


class _Network:
    """A reader's network, opened once; None where it cannot be had."""

    def __init__(self, cache_dir: Path, of: Teaching) -> None:
        self._cache_dir = cache_dir
        self._of = of
        self._opening = Lock()
        self._opened: ReaderNetwork | None = None
        self._is_lost = False

    def opened(self) -> ReaderNetwork | None:
        with self._opening:
            if self._opened is None and not self._is_lost:
                try:
                    self._opened = _open(self._cache_dir, self._of)
                except (ImportError, OSError, ModelUnavailable, WeightsMissing):
                    self._is_lost = True
            return self._opened


def _open(cache_dir: Path, of: Teaching) -> ReaderNetwork:
    # Here, because the package may be missing, or built for another processor.
    from weft.adapters.onnx.session import ReaderNetwork, reader_path

    path = reader_path(cache_dir, of)
    if path.exists():
        try:
            return ReaderNetwork(path)
        except ModelUnavailable:  # damaged
            path.unlink(missing_ok=True)
    # Only here, because it takes 0.2 s to import and is needed once.
    from weft.adapters.onnx.reader_graph import write_reader_graph

    weights = find(cache_dir)
    learnt = unpacked(shipped_weights(of), read(weights.tensors))
    write_reader_graph(weights, path, learnt=learnt)
    return ReaderNetwork(path)


def question_ids(wordpieces: Wordpieces, question: str) -> Ids:
    """Return a question's tokens, int64[n], its first where they are many."""
    ids = wordpieces.encode(question).ids
    return np.concatenate([ids[:1], ids[1:-1][:QUESTION_TOKENS], ids[-1:]])


def text_ids(wordpieces: Wordpieces, one: TextUnder) -> Ids:
    """Return the tokens of a text behind its headings, int64[n]."""
    head = wordpieces.encode(_ABOVE.join(one.head)).ids[1:-1]
    if len(head) > HEAD_TOKENS:
        head = np.concatenate([head[:_OF_TITLE], head[-(HEAD_TOKENS - _OF_TITLE) :]])
    colon = wordpieces.encode(":").ids[1:-1] if len(head) else head
    ids = wordpieces.encode(one.text).ids
    return np.concatenate([ids[:1], head, colon, ids[1:-1][:TEXT_TOKENS], ids[-1:]])
