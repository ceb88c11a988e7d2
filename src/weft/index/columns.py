"""Local facts as a store feeds them to a segment: columns of one passage, then tables of many."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.domain.facts import LocalFacts
from weft.index.tables import CASES, DEFINITIONS, SPANS, TOKENS, Facts, table_of

Column = Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactColumns:
    """One passage's facts; rows of `spans`, `definitions` and `cases` begin with their string.

    `places`, `flags` and `sentences` have one value a token; `places` number `words`.
    """

    words: Sequence[str]
    places: Column
    flags: Column
    sentences: Column
    spans: Sequence[tuple[str, int, int, str]]
    definitions: Sequence[tuple[str, int, int, int, str]]
    cases: Sequence[tuple[str, int, int]]


NOTHING = FactColumns(
    words=(), places=(), flags=(), sentences=(), spans=(), definitions=(), cases=()
)


def columns_of(facts: LocalFacts) -> FactColumns:
    """Return the columns of a passage's facts."""
    words = sorted({token.word for token in facts.tokens})
    number = {word: at for at, word in enumerate(words)}
    return FactColumns(
        words=words,
        places=[number[token.word] for token in facts.tokens],
        flags=[int(token.flagged) for token in facts.tokens],
        sentences=[token.sentence for token in facts.tokens],
        spans=[(row.key, row.sentence, int(row.reading), row.word0) for row in facts.spans],
        definitions=[
            (d.key, int(d.kind), d.order, int(d.reading), d.word0) for d in facts.definitions
        ],
        cases=facts.cases,
    )


def key_hash(key: str) -> int:
    """Return 64 bits that order keys the same way in every store."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "little")


class _Numbers(dict[str, int]):
    """Gives each new string the next number; the empty string is -1."""

    def __missing__(self, text: str) -> int:
        if not text:
            return -1
        self[text] = len(self)
        return self[text]


def _columns(rows: Sequence[tuple[int, ...]], names: Sequence[str]) -> list[Column]:
    return [[row[at] for row in rows] for at in range(len(names))]


def facts_of(passages: Sequence[FactColumns]) -> Facts:
    """Return the facts of some passages, one slot each, over strings numbered by first use."""
    words, keys = _Numbers(), _Numbers()
    tokens: list[list[Column]] = []
    spans: list[list[Column]] = []
    definitions: list[list[Column]] = []
    cases: list[list[Column]] = []
    for one in passages:
        own = [words[word] for word in one.words]
        tokens.append([[own[place] for place in one.places], one.flags, one.sentences])
        spans.append(
            _columns([(keys[key], at, read, words[w]) for key, at, read, w in one.spans], SPANS)
        )
        named = [(keys[key], k, at, read, words[w]) for key, k, at, read, w in one.definitions]
        definitions.append(_columns(named, DEFINITIONS))
        cases.append(_columns([(words[word], *rest) for word, *rest in one.cases], CASES))
    return Facts(
        words=list(words),
        keys=list(keys),
        key_hashes=np.array([key_hash(key) for key in keys], dtype=np.uint64),
        tables={
            "tokens": table_of(TOKENS, tokens),
            "spans": table_of(SPANS, spans),
            "definitions": table_of(DEFINITIONS, definitions),
            "cases": table_of(CASES, cases),
        },
    )
