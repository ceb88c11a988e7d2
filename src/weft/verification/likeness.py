"""How likely it is that a text bears a sentence out, 0 to 1: for ordering and for nothing else.

Three facts about what is found and what lacks, in a logistic sum. They are few so that the score
holds on claims it was not learnt from. It is blind to small edits, so that it never decides what
counts as supported; its weights are data, learnt by `bench/learn_support.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import sheet
from weft.language.hangul import has_hangul
from weft.language.patterns import pattern
from weft.verification.words import Word, WordKind

FEATURES = ("best three", "names lacking", "figures lacking")
# Which way each may count: what is found speaks for a sentence, what lacks against it.
SIGNS = (1, -1, -1)
_CHOSEN = 3
# A word as long as this weighs as much as a name: in English the long words are the rare ones.
_LONG = 9
_LETTERS_A_SYLLABLE = 3
_JOINED = pattern(r"(?<=\d)[-/:](?=\d)")


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
    read = sheet("weft.verification", "likeness")
    if tuple(read["features"]) != FEATURES:
        raise ValueError("these weights are for other features")
    return Likeness(
        mean=read["mean"],
        scale=read["scale"],
        weights=read["weights"],
        intercept=read["intercept"],
    )


def features(claim: Sequence[Word], sources: Sequence[Sequence[Word]]) -> tuple[float, ...]:
    """Return what is found of a claim in a text's sentences, as `FEATURES` names it.

    The share of the claim that the best three sentences hold together, 0 to 1, each word by its
    weight; the roots of how many of its names and of its figures stand nowhere in the text, since
    each further one tells less than the first.
    """
    wanted = _wanted(claim)
    held = [{part.key for word in source for part in _parts(word)} for source in sources]
    lacking = wanted.keys() - frozenset[str]().union(*held)
    kinds = [wanted[key].kind for key in lacking]
    return (
        _covered({key: _weight(word) for key, word in wanted.items()}, held),
        math.sqrt(kinds.count(WordKind.NAME)),
        math.sqrt(kinds.count(WordKind.NUMBER)),
    )


def _wanted(claim: Sequence[Word]) -> Mapping[str, Word]:
    """Return the content of a claim by stem, each as the most exact of its kinds."""
    found: dict[str, Word] = {}
    for word, after in zip(claim, [*claim[1:], None], strict=True):
        for part in _parts(_told(word, after)) if word.is_content else ():
            if part.key not in found or part.is_exact:
                found[part.key] = part
    return found


def _told(word: Word, after: Word | None) -> Word:
    """Return a capital at the beginning as a plain word: it names only where a name follows."""
    named = after is not None and after.kind is WordKind.NAME
    plain = word.first and word.kind is WordKind.NAME and not named
    return replace(word, kind=WordKind.WORD) if plain else word


def _parts(word: Word) -> Iterator[Word]:
    """Yield the figures of a range, a score or a time: "5-4" may stand there as "5–4"."""
    if word.kind is not WordKind.NUMBER or not _JOINED.search(word.key):
        yield word
        return
    for part in _JOINED.split(word.key):
        yield replace(word, key=part, form=part)


def _weight(word: Word) -> float:
    """Return how much a word tells, 0 to 1: a name and a figure all, a word by its length."""
    if word.is_exact:
        return 1.0
    letters = len(word.key) * (_LETTERS_A_SYLLABLE if has_hangul(word.key) else 1)
    return min(letters, _LONG) / _LONG


def _covered(weights: Mapping[str, float], held: Sequence[set[str]]) -> float:
    """Return the share that three sentences hold together, each chosen for what it adds."""
    left = set(weights)
    for _ in range(_CHOSEN):
        best = max(held, key=lambda keys: _sum(weights, keys & left), default=set[str]())
        left -= best
    total = _sum(weights, weights.keys())
    return 1.0 - _sum(weights, left) / total if total else 0.0


def _sum(weights: Mapping[str, float], keys: Iterable[str]) -> float:
    """Return the weights together, exactly: whatever the order, a text scores the same."""
    return math.fsum(weights[key] for key in keys)
