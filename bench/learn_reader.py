"""Teach a reader: `learn_reader.py [--of units|plans] [--minutes M] [--further] [--write]`.

Takes what `reader_pairs.py` or `plan_reader_pairs.py` wrote, teaches the last layers of the
embedder to compare the units of a question, or the plans, and to tell of each whether it answers,
and with `--write` puts them into `src/weft/adapters/onnx/`; `--further` goes on from what units
taught. Needs JAX (see `reader_network.py`), in some 40 minutes of a core. What is read alone stays
as it is, so that it is computed once for all steps.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from reader_network import alone, beginning, layer_of, places, tensors_of, together

from weft.adapters.onnx.cross_reader import question_ids, text_ids
from weft.adapters.onnx.reader_weights import (
    PLANS,
    UNITS,
    packed,
    shipped_weights,
    unpacked,
)
from weft.adapters.onnx.tensors import LOWER_LAYERS, WIDTH, read
from weft.adapters.onnx.tokens import Wordpieces
from weft.adapters.onnx.weights import ModelWeights, find
from weft.ports.embedder import TextUnder

OUT = Path(__file__).parent / "out"
PAIRS_FILES = {"units": OUT / "reader.jsonl", "plans": OUT / "plan_reader.jsonl"}
TEACHINGS = {"units": UNITS, "plans": PLANS}
WEIGHTS = Path(__file__).parents[1] / "src" / "weft" / "adapters" / "onnx"
SEED = 1
PAIRS, QUESTIONS, LONGEST = 64, 64, 128
BOOKS_TIMES = 5
# Beside a unit that answers so many of the first six and of those behind.
LIKEST, FARTHER = 3, 1
RATE, WARM, DECAY, CLIP = 2e-4, 30, 0.01, 1.0
OF_ANSWERING = 2.0
DROPPED = 0.25
_ROUND, _TEXTS = 1024, 128


@dataclass
class Texts:
    """Texts, each once, with what the lower layers make of them."""

    ids: list[np.ndarray] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)
    states: list[np.ndarray] = field(default_factory=list)

    def add(self, key: str, ids: np.ndarray) -> int:
        """Return the number of a text."""
        if key not in self.known:
            self.known[key] = len(self.ids)
            self.ids.append(ids)
        return self.known[key]

    def read(self, tensors: Any) -> None:
        """Let the lower layers read all texts, those of a length together."""
        table = "embeddings.{}_embeddings.weight".format
        words = {
            "word": jnp.asarray(tensors[table("word")]),
            "place": jnp.asarray(tensors[table("position")] + tensors[table("token_type")][0]),
            "norm.weight": jnp.asarray(tensors["embeddings.LayerNorm.weight"]),
            "norm.bias": jnp.asarray(tensors["embeddings.LayerNorm.bias"]),
        }
        layers = [layer_of(tensors, number) for number in range(LOWER_LAYERS)]
        reading = jax.jit(alone)
        self.states = [np.empty(0)] * len(self.ids)
        order = sorted(range(len(self.ids)), key=lambda n: len(self.ids[n]))
        for start in range(0, len(order), _TEXTS):
            chosen = order[start : start + _TEXTS]
            lengths = [len(self.ids[n]) for n in chosen] + [1] * (_TEXTS - len(chosen))
            total = _rounded(sum(lengths), _ROUND)
            ids, at = np.zeros(total, np.int32), np.zeros(total, np.int32)
            held = sum(len(self.ids[n]) for n in chosen)
            ids[:held] = np.concatenate([self.ids[n] for n in chosen])
            at[:held] = np.concatenate([np.arange(len(self.ids[n])) for n in chosen])
            where = places(lengths, _rounded(max(lengths), 16), total)
            found = np.asarray(reading(words, layers, ids, at, where), np.float16)
            ends = np.cumsum(lengths)
            for n, end in zip(chosen, ends, strict=False):
                self.states[n] = found[end - len(self.ids[n]) : end]


@dataclass(frozen=True)
class Asked:
    """A question as it is and with words left out, its units, and which answer."""

    ways: tuple[int, ...]
    units: tuple[int, ...]
    right: tuple[bool, ...]
    says: tuple[bool, ...]
    there: bool
    times: int


def _rounded(count: int, step: int) -> int:
    return -(-count // step) * step


def asked_of(rows: Sequence[Any], wordpieces: Wordpieces) -> tuple[list[Asked], Texts, Texts]:
    """Return the questions with the texts of both sides."""
    rng, questions, units = Random(SEED), Texts(), Texts()
    found = []
    for row in rows:
        said = [row["question"]] + [_without(row["question"], rng)] * (2 if row["book"] else 1)
        told = [TextUnder(head=tuple(one["head"]), text=one["text"]) for one in row["units"]]
        found.append(
            Asked(
                ways=tuple(questions.add(one, question_ids(wordpieces, one)) for one in said),
                units=tuple(units.add(repr(one), text_ids(wordpieces, one)) for one in told),
                right=tuple(row["right"]),
                says=tuple(row["says"]),
                there=row["there"],
                times=BOOKS_TIMES if row["book"] else 1,
            )
        )
    return found, questions, units


def _without(question: str, rng: Random) -> str:
    """Return a question with some of its plain words masked: people ask in their own."""
    return " ".join(
        "[MASK]" if word.islower() and len(word) > 3 and rng.random() < DROPPED else word
        for word in question.split()
    )


@dataclass
class Batch:
    """Pairs of texts by number, the question of each, which answer, and what is compared."""

    pairs: list[tuple[int, int]] = field(default_factory=list)
    of: list[int] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    compared: np.ndarray = field(default_factory=lambda: np.zeros(QUESTIONS, np.float32))
    count: int = 0


def batches(every: Sequence[Asked], rng: Random) -> Iterator[Batch]:
    """Yield all questions once, those of folders more often."""
    turns = [one for one in every for _ in range(one.times)]
    rng.shuffle(turns)
    batch = Batch()
    for one in turns:
        chosen = _chosen(one, rng)
        if len(batch.pairs) + len(chosen) > PAIRS or batch.count >= QUESTIONS - 1:
            yield batch
            batch = Batch()
        way = rng.choice(one.ways) if rng.random() < 0.5 else one.ways[0]
        for n in chosen:
            batch.pairs.append((way, one.units[n]))
            batch.of.append(batch.count)
            batch.right.append(one.right[n])
        batch.compared[batch.count] = float(one.there and len(chosen) > 1)
        batch.count += 1


def _chosen(one: Asked, rng: Random) -> list[int]:
    """Return which units of a question are read: one that answers, and some that do not."""
    # What holds the words of the answer elsewhere may answer too.
    wrong = [n for n, right in enumerate(one.right) if not right and not one.says[n]]
    if not one.there:
        first = wrong[:5]
        return first[:1] + rng.sample(first[1:], min(2, max(0, len(first) - 1)))
    right = [n for n, is_right in enumerate(one.right) if is_right]
    if not right:
        return []
    likest, others = wrong[:6], wrong[6:]
    rng.shuffle(likest)
    rng.shuffle(others)
    answer = right[0] if rng.random() < 0.7 else rng.choice(right)
    return [answer, *likest[:LIKEST], *others[:FARTHER]]


def arrays_of(batch: Batch, questions: Texts, units: Texts) -> tuple[Any, ...]:
    """Return a batch as arrays whose shapes are few."""
    pairs = batch.pairs + [batch.pairs[-1]] * (PAIRS - len(batch.pairs))
    parts = [part for q, u in pairs for part in (questions.states[q], units.states[u])]
    lengths = [len(questions.ids[q]) + len(units.ids[u]) for q, u in pairs]
    total = _rounded(sum(lengths) + 1, _ROUND)
    x, which = np.zeros((total, WIDTH), np.float32), np.zeros(total, np.int32)
    x[: sum(lengths)] = np.concatenate(parts)
    which[: sum(lengths)] = np.concatenate([np.full(len(p), n % 2) for n, p in enumerate(parts)])
    more = PAIRS - len(batch.pairs)
    of = np.array(batch.of + [QUESTIONS - 1] * more, np.int32)
    right = np.array([*map(float, batch.right), *[0.0] * more], np.float32)
    counts = np.array([1.0] * len(batch.pairs) + [0.0] * more, np.float32)
    return x, which, places(lengths, LONGEST, total), of, right, counts, batch.compared


def loss(taught: Any, *arrays: Any) -> Any:
    """Return how far the units of questions are from their order, and each from what it is."""
    x, which, where, of, right, counts, compared = arrays
    scores = together(taught, x, which, where)
    top = jax.lax.stop_gradient(jax.ops.segment_max(scores[:, 0], of, QUESTIONS))
    mass = jnp.exp(scores[:, 0] - jnp.where(jnp.isfinite(top), top, 0.0)[of])
    whole = jax.ops.segment_sum(mass * counts, of, QUESTIONS)
    mine = jax.ops.segment_sum(mass * right, of, QUESTIONS)
    is_compared = compared > 0
    apart = jnp.where(
        is_compared,
        jnp.log(jnp.where(is_compared, whole, 1.0)) - jnp.log(jnp.where(is_compared, mine, 1.0)),
        0.0,
    )
    logit = scores[:, 1]
    each = jnp.maximum(logit, 0) - logit * right + jnp.log1p(jnp.exp(-jnp.abs(logit)))
    order = apart.sum() / jnp.maximum(compared.sum(), 1.0)
    return order + OF_ANSWERING * (each * counts).sum() / counts.sum()


def step(taught: Any, moved: Any, spread: Any, at: Any, *arrays: Any) -> Any:
    """Return everything after a step of Adam; `at` is its number and its rate."""
    number, rate = at
    lost, slopes = jax.value_and_grad(loss)(taught, *arrays)
    size = jnp.sqrt(sum((one * one).sum() for one in jax.tree.leaves(slopes)))
    slopes = jax.tree.map(lambda one: one * jnp.minimum(1.0, CLIP / (size + 1e-9)), slopes)
    moved = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, moved, slopes)
    spread = jax.tree.map(lambda a, b: 0.98 * a + 0.02 * b * b, spread, slopes)

    def changed(one: Any, first: Any, second: Any) -> Any:
        way = (first / (1 - 0.9**number)) / (jnp.sqrt(second / (1 - 0.98**number)) + 1e-8)
        return one - rate * (way + (DECAY * one if one.ndim == 2 else 0.0))

    return jax.tree.map(changed, taught, moved, spread), moved, spread, lost


def taught_by(
    every: Sequence[Asked], texts: tuple[Texts, Texts], taught: Any, *, minutes: float, rate: float
) -> Any:
    """Return what so many minutes teach, beginning with what is taught already."""
    moved, spread = (jax.tree.map(jnp.zeros_like, taught) for _ in range(2))
    stepping = jax.jit(step, donate_argnums=(0, 1, 2))
    rng, began, number, lost = Random(SEED), time.monotonic(), 0, []
    while True:
        for batch in batches(every, rng):
            done = (time.monotonic() - began) / 60 / minutes
            if done >= 1:
                return taught
            number += 1
            at = (float(number), rate * min(1.0, number / WARM) * max(0.03, 1 - done))
            arrays = arrays_of(batch, *texts)
            taught, moved, spread, now = stepping(taught, moved, spread, at, *arrays)
            lost.append(float(now))
            if number % 20 == 0:
                print(f"{number} steps, {done:.0%}: {np.mean(lost[-40:]):.3f}", flush=True)


def main() -> None:
    """Teach, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--of", choices=sorted(TEACHINGS), default="units")
    parser.add_argument("--minutes", type=float, default=40.0)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--model", type=Path, help="the folder of the embedder's weights")
    parser.add_argument(
        "--further",
        nargs="?",
        const="units",
        choices=sorted(TEACHINGS),
        help="go on from what units, or plans, taught",
    )
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    weights = ModelWeights(folder=wanted.model) if wanted.model else find(Path())
    tensors = read(weights.tensors)
    lines = PAIRS_FILES[wanted.of].read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line]
    every, questions, units = asked_of(rows, Wordpieces(weights.tokenizer))
    for texts in (questions, units):
        texts.read(tensors)
    start = tensors
    if wanted.further:
        start = {**tensors, **unpacked(shipped_weights(TEACHINGS[wanted.further]), tensors)}
    taught = taught_by(
        every, (questions, units), beginning(start), minutes=wanted.minutes, rate=wanted.rate
    )
    if wanted.write:
        path = WEIGHTS / TEACHINGS[wanted.of].file
        np.savez(path, **packed(tensors_of(taught), tensors))
        print(f"{path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
