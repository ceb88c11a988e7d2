"""How fast passages are embedded: the bare network against the whole of `passages()`, in one run.

Usage: python bench/bench_embed.py [--passages 400] [--cache DIR]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from weft.adapters.onnx.encoder import MiniLm, open_embedder
from weft.adapters.onnx.session import OnnxNetwork, open_network
from weft.adapters.onnx.tokens import Wordpieces
from weft.adapters.onnx.weights import find
from weft.domain.document import Span
from weft.ports.embedder import PassageText

VOCABULARY = (
    "the a of in river valve committee approved measured temperature harbour budget Petrov winter"
    " pressure supplier contract signed after engineers replaced damaged bearing turbine annual"
    " report lists every station between north and south with its capacity cost owner since 1998"
)
ROUNDS = 10


def passage(random_words: random.Random, sentences: int) -> PassageText:
    """Return a passage of sentences of 20 words, some 22 tokens each."""
    text, spans = "", []
    for _ in range(sentences):
        start = len(text)
        text += " ".join(random_words.choices(VOCABULARY.split(), k=20)).capitalize() + ". "
        spans.append(Span(start=start, end=len(text) - 1))
    return PassageText(title="Station report", text=text, sentences=tuple(spans))


def seconds(action: Callable[[], object]) -> float:
    """Return how long the action takes."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def main() -> None:
    """Embed the same passages both ways, in turn, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=400)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "weft-bench")
    wanted = parser.parse_args()
    source = random.Random(7)
    texts = [passage(source, source.randint(7, 11)) for _ in range(wanted.passages)]
    open_embedder(wanted.cache)  # builds the graph where it is not yet
    begin = time.perf_counter()
    embedder = open_embedder(wanted.cache)
    load = time.perf_counter() - begin
    bare, ours, tokens = compare(embedder, texts, wanted.cache)
    # Linux counts in kilobytes, macOS in bytes.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak //= 1 << (20 if sys.platform == "darwin" else 10)
    print(f"{embedder.fingerprint}: {len(texts)} passages of {tokens:.0f} tokens")
    print(f"{'':<14}{'passages/s':>12}{'ratio':>8}")
    print(f"{'bare network':<14}{bare:>12.1f}{1:>8.3f}")
    print(f"{'passages()':<14}{ours:>12.1f}{bare / ours:>8.3f}")
    print(f"load again {load:.3f} s; highest memory {peak} MB")


def compare(embedder: MiniLm, texts: list[PassageText], cache: Path) -> tuple[float, float, float]:
    """Return passages a second, bare and ours, and tokens a passage."""
    weights = find(cache)
    network, wordpieces = open_network(weights, cache), Wordpieces(weights.tokenizer)
    encoded = [wordpieces.encode(f"{text.title}\n{text.text}").ids for text in texts]
    size = -(-len(texts) // ROUNDS)
    bare = ours = 0.0
    with ThreadPoolExecutor(network.lanes) as threads, asyncio.Runner() as runner:
        for begin in range(0, len(texts), size):
            ids, part = encoded[begin : begin + size], texts[begin : begin + size]
            bare += seconds(partial(run_bare, threads, network, ids=ids))
            ours += seconds(partial(runner.run, embedder.passages(part)))
    tokens = sum(len(ids) for ids in encoded) / len(encoded)
    return len(texts) / bare, len(texts) / ours, tokens


def run_bare(
    threads: ThreadPoolExecutor, network: OnnxNetwork, *, ids: list[npt.NDArray[np.int64]]
) -> None:
    """Run every pass on the threads and keep nothing of it."""
    for _ in threads.map(network.states, ids):
        pass


if __name__ == "__main__":
    main()
