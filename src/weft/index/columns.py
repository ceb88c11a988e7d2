"""Local facts as a store feeds them to a segment: columns of one passage, then tables of many."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from weft.domain.facts import LocalFacts
from weft.domain.frozen import dataclass
from weft.index.tables import CASES, DEFINITIONS, SPANS, TOKENS, Facts, Ints, SlotTable, offsets

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


def _table(names: Sequence[str], values: Sequence[int], sizes: Iterable[int]) -> SlotTable:
    """Return the table of so many rows a slot; `values` are those of one row after the other."""
    rows = np.array(values, dtype=np.int32).reshape(-1, len(names))
    columns = {name: np.ascontiguousarray(rows[:, at]) for at, name in enumerate(names)}
    return SlotTable(ptr=offsets(np.fromiter(sizes, dtype=np.int64)), columns=columns)


def _tokens(passages: Sequence[FactColumns], numbers: Sequence[int]) -> SlotTable:
    """Return the table of tokens; `numbers` are those of each passage's words, in order."""
    sizes = np.fromiter((len(one.places) for one in passages), dtype=np.int64)
    firsts = offsets(np.fromiter((len(one.words) for one in passages), dtype=np.int64))[:-1]
    places = _joined([one.places for one in passages]) + np.repeat(firsts, sizes)
    columns = {
        "word": np.array(numbers, dtype=np.int32)[places],
        "flagged": _joined([one.flags for one in passages]),
        "sentence": _joined([one.sentences for one in passages]),
    }
    return SlotTable(ptr=offsets(sizes), columns={name: columns[name] for name in TOKENS})


def _joined(columns: Iterable[Column]) -> Ints:
    return np.fromiter(chain.from_iterable(columns), dtype=np.int32)


def facts_of(passages: Sequence[FactColumns]) -> Facts:
    """Return the facts of some passages, one slot each, over strings numbered by first use."""
    words, keys = _Numbers(), _Numbers()
    # Flat lists: a list for every row or column would be most of the time that this takes.
    own: list[int] = []
    spans: list[int] = []
    defined: list[int] = []
    cases: list[int] = []
    for one in passages:
        own += [words[word] for word in one.words]
        for key, at, reading, word in one.spans:
            spans += (keys[key], at, reading, words[word])
        for key, kind, at, reading, word in one.definitions:
            defined += (keys[key], kind, at, reading, words[word])
        for word, lower, upper in one.cases:
            cases += (words[word], lower, upper)
    return Facts(
        words=list(words),
        keys=list(keys),
        key_hashes=np.array([key_hash(key) for key in keys], dtype=np.uint64),
        tables={
            "tokens": _tokens(passages, own),
            "spans": _table(SPANS, spans, (len(one.spans) for one in passages)),
            "definitions": _table(DEFINITIONS, defined, (len(one.definitions) for one in passages)),
            "cases": _table(CASES, cases, (len(one.cases) for one in passages)),
        },
    )
