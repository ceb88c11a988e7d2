"""The local embedder: MiniLM on this machine's processors, one text to a pass."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from weft.adapters.onnx.pooling import pool
from weft.adapters.onnx.tensors import WIDTH, Array
from weft.adapters.onnx.tokens import MAX_TOKENS, VOCABULARY_NAME, Wordpieces
from weft.adapters.onnx.weights import ModelWeights, find
from weft.domain.document import Span
from weft.domain.errors import ModelUnavailable, WeightsMissing
from weft.domain.facts import Vectors
from weft.ports.embedder import PassageText

_T = TypeVar("_T")
# One answer asks the same several times, and a call may ask before its answer does.
_QUESTIONS_KEPT = 32


class Network(Protocol):
    """What turns token ids into token states: ONNX Runtime, or numpy."""

    @property
    def variant(self) -> str:
        """Return the name of the arithmetic: two variants' bits differ."""
        ...

    @property
    def lanes(self) -> int:
        """Return how many passes are best run at once."""
        ...

    @property
    def note(self) -> str:
        """Return why it stands in for the usual one, empty where it is that."""
        ...

    def prepare(self) -> None:
        """Open what the first pass would else wait for; never raises."""
        ...

    def lower(self, ids: npt.NDArray[np.int64]) -> Array:
        """Return float32[n, 384] of the lower layers for int64[n]; from any thread."""
        ...

    def states(self, ids: npt.NDArray[np.int64]) -> Array:
        """Return float32[n, 384] of the last layer for int64[n]; from any thread."""
        ...


class MiniLm:
    """An `Embedder` on threads of its own; a text's bits do not depend on what else is embedded.

    Each text takes its own pass without padding: in padded batches the bits depend on the batch.
    """

    def __init__(self, network: Network, wordpieces: Wordpieces) -> None:
        """Take the network and its tokenizer."""
        self._network = network
        # Why the arithmetic is not the usual one, empty where it is.
        self.note = network.note
        self.wordpieces = wordpieces
        self._asked: dict[str, Array] = {}
        self._threads = ThreadPoolExecutor(network.lanes, thread_name_prefix="embed")
        self._begun: list[Future[object]] = []

    @property
    def fingerprint(self) -> str:
        """Return the model, the arithmetic, d, how vectors are pooled, and where sentences are."""
        return f"minilm-l6-v2/{self._network.variant}/{WIDTH}/mean/late"

    @property
    def dimensions(self) -> int:
        """Return 384."""
        return WIDTH

    @property
    def max_tokens(self) -> int:
        """Return 256, the special tokens included."""
        return MAX_TOKENS

    def token_ends(self, text: str) -> Sequence[int]:
        """Return the end offset of each token of a text of any length."""
        return self.wordpieces.ends(text)

    async def passages(self, texts: Sequence[PassageText]) -> list[Vectors]:
        """Return the vectors of each text, in order; equal title and text take one pass."""
        alike: dict[tuple[str, str], list[int]] = {}
        for place, text in enumerate(texts):
            alike.setdefault((text.title, text.text), []).append(place)
        jobs = [
            partial(self._embed, title, text, each=[texts[place].sentences for place in places])
            for (title, text), places in alike.items()
        ]
        vectors: dict[int, Vectors] = {}
        for places, found in zip(alike.values(), await self._spread(jobs), strict=True):
            vectors.update(zip(places, found, strict=True))
        return [vectors[place] for place in range(len(texts))]

    async def queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return float32[len(texts), 384], each as a passage of that text would have it.

        The newest questions are kept in memory.
        """
        new = [text for text in dict.fromkeys(texts) if text not in self._asked]
        passages = [PassageText(title="", text=text, sentences=()) for text in new]
        found = {text: self._asked[text] for text in texts if text in self._asked}
        for text, vectors in zip(new, await self.passages(passages), strict=True):
            found[text] = self._asked[text] = vectors.passage
        while len(self._asked) > _QUESTIONS_KEPT:
            del self._asked[next(iter(self._asked))]
        rows = [found[text] for text in texts]
        return np.stack(rows) if rows else np.empty((0, WIDTH), np.float32)

    def lower(self, ids: npt.NDArray[np.int64]) -> Array:
        """Return float32[n, 384], what the lower layers give for a text's tokens int64[n].

        Raises `ModelUnavailable`.
        """
        return self._network.lower(ids)

    def soon(self, job: Callable[[], object]) -> None:
        """Run a job on one of the threads without waiting for it; none once they have ended."""
        with suppress(RuntimeError):
            self._begun.append(self._threads.submit(job))

    def each(self, jobs: Sequence[Callable[[], _T]]) -> list[_T]:
        """Run jobs on the threads and return what they give; blocks the thread that calls."""
        return list(self._threads.map(lambda job: job(), jobs))

    async def close(self) -> None:
        """Drop what waits, let what was begun soon end, and the threads with it.

        A pass that runs is left to end by itself.
        """
        self._threads.shutdown(wait=False, cancel_futures=True)
        running = [asyncio.wrap_future(one) for one in self._begun if one.running()]
        await asyncio.gather(*running, return_exceptions=True)

    def _embed(self, title: str, text: str, *, each: Sequence[tuple[Span, ...]]) -> list[Vectors]:
        """Return one `Vectors` for each way of marking sentences in the one text."""
        shift = len(title) + 1 if title else 0
        tokens = self.wordpieces.encode(f"{title}\n{text}" if title else text)
        states = self._network.states(tokens.ids)
        return [
            pool(states, tokens.starts, sentences=[_shifted(span, shift) for span in spans])
            for spans in each
        ]

    async def _spread(self, jobs: Sequence[Callable[[], _T]]) -> list[_T]:
        """Run the jobs on the threads, a few queued at a time.

        A question that comes while thousands of passages are embedded waits for a few of them only.
        """
        loop = asyncio.get_running_loop()
        waiting = iter(enumerate(jobs))
        done: dict[int, _T] = {}

        async def work() -> None:
            for place, job in waiting:
                done[place] = await loop.run_in_executor(self._threads, job)

        workers = min(2 * self._network.lanes, len(jobs))
        tasks = [asyncio.create_task(work()) for _ in range(workers)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        return [done[place] for place in range(len(jobs))]


def open_embedder(cache_dir: Path) -> MiniLm:
    """Load the model: by ONNX Runtime, or by numpy where that cannot be had.

    The model's own threads open what was built before: whoever asks waits there. The first time
    this blocks for a second, to build the graph into `cache_dir`. Raises `WeightsMissing`; the
    `fingerprint` tells which of the two it is.
    """
    weights = find(cache_dir)
    network = _network(weights, cache_dir)
    wordpieces = Wordpieces(weights.tokenizer, vocabulary=cache_dir / VOCABULARY_NAME)
    made = MiniLm(network, wordpieces)
    made.soon(network.prepare)
    made.soon(wordpieces.prepare)
    return made


def _network(weights: ModelWeights, cache_dir: Path) -> Network:
    try:
        # Here, because the package may be missing, or built for another processor.
        from weft.adapters.onnx.session import LateNetwork, is_built, open_network

        if is_built(cache_dir):
            return LateNetwork(weights, cache_dir)
        return open_network(weights, cache_dir)
    except WeightsMissing:
        raise
    except (ImportError, OSError, ModelUnavailable) as error:
        from weft.adapters.onnx.numpy_encoder import NumpyNetwork

        return NumpyNetwork(weights.tensors, instead=str(error) or type(error).__name__)


def _shifted(span: Span, shift: int) -> Span:
    return Span(start=span.start + shift, end=span.end + shift)
