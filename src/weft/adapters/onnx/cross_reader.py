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
from weft.adapters.onnx.reader_weights import shipped_weights, unpacked
from weft.adapters.onnx.tensors import read
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
_Opened: TypeAlias = "tuple[ReaderNetwork, Wordpieces]"


class MiniLmReader:
    """A `CrossReader`; the network is opened when something is first to be read."""

    def __init__(self, cache_dir: Path, embedder: MiniLm) -> None:
        """Take the folder of built graphs and the embedder, on whose threads texts are read."""
        self._cache_dir = cache_dir
        self._embedder = embedder
        self._opening = Lock()
        self._opened: _Opened | None = None
        self._is_lost = False
        self._is_asked_for = False

    def prepare(self) -> None:
        """Open the network on one of the embedder's threads: it takes as long as a search."""
        if not self._is_asked_for:
            self._is_asked_for = True
            self._embedder.soon(self._open)

    def read(self, question: str, texts: Sequence[TextUnder]) -> npt.NDArray[np.float64] | None:
        """Return float64[texts, 2]; None where the network cannot be had."""
        opened = self._open()
        if opened is None:
            return None
        network, wordpieces = opened
        asked = question_ids(wordpieces, question)
        jobs = [partial(network.scores, asked, text_ids(wordpieces, one)) for one in texts]
        try:
            rows = self._embedder.each(jobs)
        except (ModelUnavailable, RuntimeError):  # the threads have ended
            return None
        return np.array(rows, dtype=np.float64).reshape(len(texts), 2)

    def _open(self) -> _Opened | None:
        with self._opening:
            if self._opened is None and not self._is_lost:
                try:
                    network = _open(self._cache_dir)
                    self._opened = network, self._embedder.wordpieces
                except (ImportError, OSError, ModelUnavailable, WeightsMissing):
                    self._is_lost = True
            return self._opened


def _open(cache_dir: Path) -> ReaderNetwork:
    # Here, because the package may be missing, or built for another processor.
    from weft.adapters.onnx.session import ReaderNetwork, reader_path

    path = reader_path(cache_dir)
    if path.exists():
        try:
            return ReaderNetwork(path)
        except ModelUnavailable:  # damaged
            path.unlink(missing_ok=True)
    # Only here, because it takes 0.2 s to import and is needed once.
    from weft.adapters.onnx.reader_graph import write_reader_graph

    weights = find(cache_dir)
    write_reader_graph(weights, path, learnt=unpacked(shipped_weights(), read(weights.tensors)))
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
