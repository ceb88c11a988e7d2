"""How likely it is that a text bears a sentence out, 0 to 1: for ordering and for nothing else.

A linear score over counts of what is and is not found. It is blind to small edits, so that it
never decides what counts as supported; its weights are data, learnt by `bench/learn_support.py`.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

from rapidfuzz import fuzz

from weft.verification.words import Word, WordKind

FEATURES = (
    "best sentence",
    "best three",
    "best five",
    "all",
    "unweighted best",
    "unweighted all",
    "longest gap",
    "bigrams all",
    "bigrams best",
    "names lacking",
    "figures lacking",
    "any name lacking",
    "any figure lacking",
    "names lacking near",
    "figures lacking near",
    "plain words lacking",
    "spelt alike",
    "weakest clause",
    "length",
    "clauses",
    "negations",
    "source length",
)
_NEAR = 5
_CLAUSE = 3
_SIMILAR = 80.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """Weights for scaled features, one each, and an intercept."""

    mean: Sequence[float]
    scale: Sequence[float]
    weights: Sequence[float]
    intercept: float

    def score(self, row: Sequence[float]) -> float:
        """Return the probability, 0 to 1, for one row of features."""
        columns = zip(row, self.mean, self.scale, self.weights, strict=True)
        total = self.intercept + sum(w * (x - m) / s for x, m, s, w in columns)
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, total))))


@lru_cache(maxsize=1)
def shipped() -> Likeness:
    """Return the weights that come with the product; `ValueError` when for other features."""
    read = json.loads(
        files("weft.verification").joinpath("likeness.json").read_text(encoding="utf-8")
    )
    if tuple(read["features"]) != FEATURES:
        raise ValueError("these weights are for other features")
    return Likeness(
        mean=read["mean"],
        scale=read["scale"],
        weights=read["weights"],
        intercept=read["intercept"],
    )


def features(claim: Sequence[Word], sources: Sequence[Sequence[Word]]) -> tuple[float, ...]:
    """Return what is found of a claim in a text's sentences, as `FEATURES` names it."""
    content = [word for word in claim if word.is_content]
    wanted = {word.key for word in content}
    held = [{word.key for word in source} for source in sources]
    everything = frozenset[str]().union(*held)
    idf = _weights(wanted, held)
    order = _greedy(wanted, held, idf)
    near = frozenset[str]().union(*(held[at] for at in order[:_NEAR]))
    best = held[order[0]] if order else set[str]()
    names = {word.key for word in content if word.kind is WordKind.NAME}
    figures = {word.key for word in content if word.kind is WordKind.NUMBER}
    plain = {word.key for word in content if word.kind is WordKind.WORD}
    return (
        _share(wanted, best, idf),
        _share(wanted, frozenset[str]().union(*(held[at] for at in order[:3])), idf),
        _share(wanted, near, idf),
        _share(wanted, everything, idf),
        len(wanted & best) / max(1, len(wanted)),
        len(wanted & everything) / max(1, len(wanted)),
        _gap(content, near) / max(1, len(content)),
        _pairs(content, sources, range(len(sources))),
        _pairs(content, sources, order[:1]),
        len(names - everything) / max(1, len(names)),
        len(figures - everything) / max(1, len(figures)),
        float(bool(names - everything)),
        float(bool(figures - everything)),
        len(names - near) / max(1, len(names)),
        len(figures - near) / max(1, len(figures)),
        len(plain - everything) / max(1, len(plain)),
        _similar(wanted - everything, everything) / max(1, len(wanted)),
        _weakest(content, held, idf),
        math.log1p(len(content)),
        float(sum(word.broken for word in claim)),
        float(sum(word.kind is WordKind.NEGATION for word in claim)),
        math.log1p(len(sources)),
    )


def _weights(wanted: set[str], held: Sequence[set[str]]) -> Mapping[str, float]:
    count = Counter(key for keys in held for key in keys & wanted)
    total = len(held) + 1
    return {key: math.log1p(total / (1 + count[key])) for key in wanted}


def _share(wanted: set[str], held: set[str] | frozenset[str], idf: Mapping[str, float]) -> float:
    total = sum(idf.values())
    return sum(idf[key] for key in sorted(wanted & held)) / total if total else 0.0


def _greedy(wanted: set[str], held: Sequence[set[str]], idf: Mapping[str, float]) -> list[int]:
    """Return the sentences that together cover most, each chosen for what it adds."""
    left = set(wanted)
    order: list[int] = []
    while len(order) < _NEAR:
        gains = [
            (sum(idf[key] for key in sorted(keys & left)), -at)
            for at, keys in enumerate(held)
            if at not in order
        ]
        gain, at = max(gains, default=(0.0, 0))
        if not gain:
            break
        order.append(-at)
        left -= held[-at]
    return order


def _gap(content: Sequence[Word], held: frozenset[str]) -> int:
    longest = run = 0
    for word in content:
        run = 0 if word.key in held else run + 1
        longest = max(longest, run)
    return longest


def _pairs(
    content: Sequence[Word], sources: Sequence[Sequence[Word]], chosen: Sequence[int]
) -> float:
    """Return the share of the claim's neighbours that are neighbours in the chosen sentences."""
    mine = {(a.key, b.key) for a, b in pairwise(content)}
    theirs = set[tuple[str, str]]()
    for at in chosen:
        words = [word for word in sources[at] if word.is_content]
        theirs |= {(a.key, b.key) for a, b in pairwise(words)}
    return len(mine & theirs) / max(1, len(mine))


def _similar(lacking: set[str], held: frozenset[str]) -> float:
    """Return how many of the words that lack are spelt much like one that is there."""
    long = [key for key in held if len(key) > _CLAUSE]
    return float(
        sum(
            any(fuzz.ratio(key, other, score_cutoff=_SIMILAR) for other in long)
            for key in lacking
            if len(key) > _CLAUSE
        )
    )


def _weakest(content: Sequence[Word], held: Sequence[set[str]], idf: Mapping[str, float]) -> float:
    """Return how well the best sentence covers that clause of the claim which it covers least."""
    clauses: list[set[str]] = []
    for word in content:
        if not clauses or (word.broken and len(clauses[-1]) >= _CLAUSE):
            clauses.append(set())
        clauses[-1].add(word.key)
    shares = []
    for clause in clauses:
        own = {key: idf[key] for key in sorted(clause)}
        shares.append(max((_share(clause, keys, own) for keys in held), default=0.0))
    return min(shares, default=0.0)
