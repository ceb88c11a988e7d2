"""Numbers for the words and keys of a knowledge base, the same for all its segments and views.

Numbers depend on the order of arrival and on what is hidden; they only stand for the strings, so
nothing that a view computes may depend on their order.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.domain.frozen import dataclass
from weft.index.strings.numbered import Numbered
from weft.index.strings.texts import FoundTexts, nothing_found
from weft.index.tables import Facts, Hashes, Ints, Longs, Mask, StringNumbers
from weft.language.terms import STOP_WORDS

MAX_WORDS = 8
_BASE = np.uint64(0x9E3779B97F4A7C15)
_FILTER_BITS = 22


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """What is known of the keys by number: words, first and last word, order, and their text."""

    size: Ints
    first: Ints
    last: Ints
    hashes: Hashes
    words: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptLexicon:
    """A lexicon as it lies beside the arrays: strings, what is known of them, and of segments.

    `stop` is bool[words]; `codes` are those of the keys of `MAX_WORDS` words at most, in order,
    `coded` their keys; `segments` has the numbers of each segment's own words and keys.
    """

    words: FoundTexts
    keys: FoundTexts
    stop: Mask
    table: Keys
    codes: Hashes
    coded: Ints
    segments: Mapping[str, tuple[Ints, Ints]]


class _Growing:
    """Rows that are only ever added to; arrays returned before keep theirs."""

    def __init__(self, rows: npt.NDArray[Any]) -> None:
        """Begin with some rows, which are not written to."""
        self._rows = rows
        self._size = len(rows)

    def extended(self, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Add some rows and return all."""
        end = self._size + len(rows)
        if end > len(self._rows):  # with room for more, so that few additions copy what there is
            grown = np.empty((end + end // 4, *rows.shape[1:]), dtype=self._rows.dtype)
            grown[: self._size] = self._rows[: self._size]
            self._rows = grown
        self._rows[self._size : end] = rows
        self._size = end
        return self._rows[:end]


class Serials:
    """Serial numbers of passages: each is given once."""

    def __init__(self) -> None:
        """Begin with 0."""
        self._lock = threading.Lock()
        self._next = 0

    def __call__(self, count: int) -> Longs:
        """Give out the next ones."""
        with self._lock:
            self._next += count
            return np.arange(self._next - count, self._next, dtype=np.int64)


class Lexicon:
    """Append-only: a number once given keeps its string; `strings` are the words and the keys.

    Whoever counts by number holds `lock`, so that none is given meanwhile; whoever looks up need
    not, and may meet numbers that are newer than its counts.
    """

    def __init__(self, kept: KeptLexicon | None = None) -> None:
        """Know nothing yet, or what was kept."""
        self.lock = threading.RLock()
        self.serials = Serials()
        held = kept or _nothing()
        self._words = Numbered(held.words)
        self._keys = Numbered(held.keys)
        self.strings = (self._words, self._keys)
        self._segments = dict(held.segments)
        self._stop = held.stop
        self._table = held.table
        self._columns = {
            column.name: _Growing(getattr(self._table, column.name)) for column in fields(Keys)
        }
        # Codes in order beside their keys: one tuple, for readers that hold no lock.
        self._index: tuple[Hashes, Ints] = (held.codes, held.coded)
        self._filter = np.zeros(1 << _FILTER_BITS, dtype=np.bool_)
        self._filter[held.codes >> np.uint64(64 - _FILTER_BITS)] = True

    def numbers(self, name: str, facts: Facts) -> tuple[Ints, Ints]:
        """Return the numbers of a segment's own words and keys; new ones are taken in."""
        with self.lock:
            held = self._segments.get(name)
            if held is None:
                words = self._take_words(facts.words)
                keys = self._take_keys(facts.keys, facts.key_hashes)
                held = self._segments[name] = (words, keys)
            return held

    def carry_over(
        self, name: str, facts: Facts, *, parts: Sequence[tuple[str, Facts, StringNumbers]]
    ) -> None:
        """Number a merged segment as those it was made of: no string is looked up again.

        Of each: its name, its facts, and what its strings are numbered in the merged ones. Where
        none of them was numbered so far, or somebody counts by number, nothing is numbered now.
        """
        if not self.lock.acquire(blocking=False):
            return  # to look the strings up when they are asked for takes less than to wait
        try:
            if not any(part in self._segments for part, _, _ in parts):
                return
            words = np.empty(len(facts.words), dtype=np.int32)
            keys = np.empty(len(facts.keys), dtype=np.int32)
            for part, own, merged in parts:
                for kind, numbers, held in zip(
                    ("words", "keys"), (words, keys), self.numbers(part, own), strict=True
                ):
                    kept = merged[kind] >= 0
                    numbers[merged[kind][kept]] = held[kept]
            self._segments[name] = (words, keys)
        finally:
            self.lock.release()

    def keep(self, names: Iterable[str]) -> None:
        """Forget the numbers of all other segments; strings stay."""
        wanted = set(names)
        for name in list(self._segments):
            if name not in wanted:
                self._segments.pop(name, None)

    def word(self, text: str) -> int:
        """Return the number of a word, -1 where there is none."""
        return self._words.number(text)

    def key(self, text: str) -> int:
        """Return the number of a key, -1 where there is none."""
        return self._keys.number(text)

    def text(self, key: int) -> str:
        """Return a key's text."""
        return self._keys.text(key)

    @property
    def stop(self) -> Mask:
        """Return bool[words]: the stop words."""
        return self._stop

    @property
    def keys(self) -> Keys:
        """Return what is known of the keys so far."""
        return self._table

    def may_be_keys(self, codes: Hashes) -> Mask:
        """Tell which window codes may be those of a key; none is missed."""
        found: Mask = self._filter[codes >> np.uint64(64 - _FILTER_BITS)]
        return found

    def find(self, codes: Hashes, windows: Ints) -> Ints:
        """Return the key of each window, -1 where there is none; `windows` is int32[n, length].

        A code only leads to the key: the words are compared.
        """
        own, order = self._index
        if not len(order):
            return np.full(len(codes), -1, dtype=np.int32)
        table, length = self._table, windows.shape[1]
        at = np.minimum(np.searchsorted(own, codes), len(order) - 1)
        found = order[at]
        hit = own[at] == codes
        same = (table.size[found] == length) & (table.words[found, :length] == windows).all(axis=1)
        for row in np.flatnonzero(hit & ~same).tolist():  # two keys of one code: ask by the words
            found[row] = self._by_words(windows[row].tolist())
            same[row] = found[row] >= 0
        return np.where(hit & same, found, np.int32(-1)).astype(np.int32)

    def _by_words(self, numbers: Sequence[int]) -> int:
        matches = (self._table.size == len(numbers)) & (
            self._table.words[:, : len(numbers)] == np.array(numbers, dtype=np.int32)
        ).all(axis=1)
        places = np.flatnonzero(matches)
        return int(places[0]) if len(places) else -1

    def _take_words(self, texts: Sequence[str]) -> Ints:
        found, new = self._words.take(texts)
        if new:
            stop = np.array([text in STOP_WORDS for text in new], dtype=np.bool_)
            self._stop = np.concatenate([self._stop, stop])
        return np.array(found, dtype=np.int32)

    def _take_keys(self, texts: Sequence[str], hashes: Hashes) -> Ints:
        before = len(self._keys)
        numbers, new = self._keys.take(texts)
        found = np.array(numbers, dtype=np.int32)
        if new:
            # A segment names a key once, so the new numbers are in the order of their texts.
            self._append(new, hashes[np.flatnonzero(found >= before)])
        return found

    def _append(self, texts: Sequence[str], hashes: Hashes) -> None:
        split = [text.split(" ") for text in texts]
        sizes = np.fromiter(map(len, split), dtype=np.int32, count=len(split))
        held = np.minimum(sizes, MAX_WORDS)
        rows = np.full((len(split), MAX_WORDS), -1, dtype=np.int32)
        rows[np.arange(MAX_WORDS) < held[:, None]] = self._take_words(
            [word for words in split for word in words[:MAX_WORDS]]
        )
        ends = held - 1
        old = self._table
        new = {
            "size": sizes,
            "first": rows[:, 0],
            "last": rows[np.arange(len(split)), ends],
            "hashes": hashes,
            "words": rows,
        }
        self._table = Keys(**{name: self._columns[name].extended(new[name]) for name in new})
        # Windows are no longer than this: a longer key would be in the way of one that begins so.
        short = np.flatnonzero(sizes <= MAX_WORDS)
        self._insert(key_codes(rows[short], sizes[short]), short + len(old.size))

    def _insert(self, codes: Hashes, keys: Longs) -> None:
        """Keep all codes in order; a few new ones are put between the old."""
        order = np.argsort(codes, kind="stable")
        numbers = keys[order].astype(np.int32)
        at = np.searchsorted(self._index[0], codes[order])
        self._index = (
            np.insert(self._index[0], at, codes[order]),
            np.insert(self._index[1], at, numbers),
        )
        self._filter[codes >> np.uint64(64 - _FILTER_BITS)] = True


def _nothing() -> KeptLexicon:
    none = np.zeros(0, dtype=np.int32)
    table = Keys(
        size=none,
        first=none,
        last=none,
        hashes=np.zeros(0, dtype=np.uint64),
        words=np.zeros((0, MAX_WORDS), dtype=np.int32),
    )
    return KeptLexicon(
        words=nothing_found(),
        keys=nothing_found(),
        stop=np.zeros(0, dtype=np.bool_),
        table=table,
        codes=table.hashes,
        coded=none,
        segments={},
    )


def word_codes(numbers: Ints) -> Hashes:
    """Return 64 well mixed bits of each word number."""
    with np.errstate(over="ignore"):
        mixed = (numbers.astype(np.uint64) + np.uint64(1)) * _BASE
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(mixed ^ (mixed >> np.uint64(31)), dtype=np.uint64)


def longer(codes: Hashes, following: Hashes) -> Hashes:
    """Return the codes of windows made one word longer."""
    with np.errstate(over="ignore"):
        return np.asarray(codes * _BASE + following, dtype=np.uint64)


def key_codes(rows: Ints, sizes: Ints) -> Hashes:
    """Return the code of each key from its words (int32[n, MAX_WORDS])."""
    words = word_codes(rows)
    codes = words[:, 0].copy()
    for at in range(1, MAX_WORDS):
        more = sizes > at
        codes[more] = longer(codes[more], words[more, at])
    return codes
