"""Rows that belong to passages: a table with the rows of each slot side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from weft.domain.frozen import dataclass

Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
Hashes = npt.NDArray[np.uint64]

# Beyond so many slots a piece it is quicker to copy row by row.
_SHORT_RUN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotTable:
    """Columns of int32; the rows of slot i are `ptr[i]:ptr[i + 1]` (`ptr` is int64[slots + 1])."""

    ptr: Longs
    columns: Mapping[str, Ints]

    @property
    def size(self) -> int:
        """Return the number of rows."""
        return int(self.ptr[-1])


def offsets(sizes: Longs) -> Longs:
    """Return where each run of rows begins, and where the last one ends."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])


def distinct(values: Longs) -> Longs:
    """Return the values in ascending order, each once: `np.unique`, by sorting.

    That one counts by hashes, which took thirty times as long for 700,000 numbers.
    """
    ordered = np.sort(values)
    fresh = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return ordered[fresh]


def joined(one: Longs, other: Longs) -> Longs:
    """Return the values of either in ascending order, each once."""
    return distinct(np.concatenate([one, other]))


def stable_order(numbers: Longs | Ints) -> Longs:
    """Return what puts whole numbers from 0 to 2^32 - 1 in ascending order, equal ones as they lie.

    Half a number at a time: NumPy sorts 16 bits by their value, which is four times as quick as
    comparing 1.2 million numbers.
    """
    low = np.argsort((numbers & 0xFFFF).astype(np.uint16), kind="stable")
    high = (numbers >> 16).astype(np.uint16)
    if not high.any():
        return low
    order: Longs = low[np.argsort(high[low], kind="stable")]
    return order


def ranges(starts: Longs, sizes: Longs) -> Longs:
    """Return the row numbers of several runs of rows, one run after the other."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()), dtype=np.int64)


def rows_of(table: SlotTable, slots: Longs) -> tuple[Longs, Longs]:
    """Return the row numbers of some slots, and for each row its place in `slots`."""
    starts = table.ptr[slots]
    sizes = table.ptr[slots + 1] - starts
    return ranges(starts, sizes), np.repeat(np.arange(len(slots), dtype=np.int64), sizes)


TOKENS = ("word", "flagged", "sentence")
SPANS = ("key", "sentence", "reading", "word0")
DEFINITIONS = ("key", "kind", "order", "reading", "word0")
CASES = ("word", "lower", "upper")
TABLES = {"tokens": TOKENS, "spans": SPANS, "definitions": DEFINITIONS, "cases": CASES}
_STRINGS = {"word": "words", "word0": "words", "key": "keys"}
# The numbers of "words" and "keys" elsewhere, -1 where they are not: int32 for each kind.
StringNumbers: TypeAlias = Mapping[str, Ints]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The local facts of a segment's passages as tables over its own words and keys.

    `words` and `keys` are the strings that the columns `word`, `word0` and `key` number; word0 is
    -1 where a row has none, `sentence` -1 in a title. `key_hashes` orders keys the same in every
    store.
    """

    words: Sequence[str]
    keys: Sequence[str]
    key_hashes: Hashes
    tables: Mapping[str, SlotTable]


def merge_facts(pairs: Sequence[tuple[Facts, Mask]]) -> tuple[Facts, list[StringNumbers]]:
    """Return the facts of the living slots of several segments, in order.

    With them, for each of the segments, what its words and keys are numbered in them.
    """
    if len(pairs) == 1:
        thinned, numbered = _thinned(*pairs[0])
        return thinned, [numbered]
    numbers: dict[str, dict[str, int]] = {"words": {}, "keys": {}}
    used = [_used(facts, alive) for facts, alive in pairs]
    maps: list[StringNumbers] = []
    hashes: dict[str, int] = {}
    for (facts, _), kept in zip(pairs, used, strict=True):
        own: dict[str, Ints] = {}
        for kind, texts in (("words", facts.words), ("keys", facts.keys)):
            own[kind] = _renumbered(texts, kept[kind], numbers[kind])
        for at in np.flatnonzero(kept["keys"]).tolist():
            hashes[facts.keys[at]] = int(facts.key_hashes[at])
        maps.append(own)
    tables = {
        name: _merged_table([(f.tables[name], alive) for f, alive in pairs], columns, maps)
        for name, columns in TABLES.items()
    }
    merged = Facts(
        words=list(numbers["words"]),
        keys=list(numbers["keys"]),
        key_hashes=np.array([hashes[key] for key in numbers["keys"]], dtype=np.uint64),
        tables=tables,
    )
    return merged, maps


def _thinned(facts: Facts, alive: Mask) -> tuple[Facts, StringNumbers]:
    """Return what `merge_facts` does for one segment, whose strings keep their order."""
    kept = _used(facts, alive)
    numbers = {
        kind: np.where(living, np.cumsum(living) - 1, -1).astype(np.int32)
        for kind, living in kept.items()
    }
    thinned = Facts(
        words=chosen(facts.words, np.flatnonzero(kept["words"])),
        keys=chosen(facts.keys, np.flatnonzero(kept["keys"])),
        key_hashes=facts.key_hashes[kept["keys"]],
        tables={
            name: _merged_table([(facts.tables[name], alive)], columns, [numbers])
            for name, columns in TABLES.items()
        },
    )
    return thinned, numbers


def chosen(texts: Sequence[str], places: Longs) -> list[str]:
    """Return the strings at some places, most of all there are: so all are decoded at once."""
    every = list(texts)
    return [every[at] for at in places.tolist()]


def _used(facts: Facts, alive: Mask) -> dict[str, Mask]:
    """Tell which words and keys the living slots still use."""
    kept = {"words": np.zeros(len(facts.words), bool), "keys": np.zeros(len(facts.keys), bool)}
    for name, columns in TABLES.items():
        table = facts.tables[name]
        living = np.repeat(alive, np.diff(table.ptr))
        for column in columns:
            if column in _STRINGS:
                values = table.columns[column][living]
                kept[_STRINGS[column]][values[values >= 0]] = True
    return kept


def _renumbered(texts: Sequence[str], kept: Mask, numbers: dict[str, int]) -> Ints:
    own = np.full(len(texts), -1, dtype=np.int32)
    for at in np.flatnonzero(kept).tolist():
        own[at] = numbers.setdefault(texts[at], len(numbers))
    return own


def _merged_table(
    pairs: Sequence[tuple[SlotTable, Mask]], columns: Sequence[str], maps: Sequence[StringNumbers]
) -> SlotTable:
    sizes = np.concatenate([np.diff(table.ptr)[alive] for table, alive in pairs])
    merged: dict[str, Ints] = {}
    for column in columns:
        parts = []
        for (table, alive), own in zip(pairs, maps, strict=True):
            values = table.columns[column][np.repeat(alive, np.diff(table.ptr))]
            if column in _STRINGS:
                values = renumber(values, own[_STRINGS[column]])
            parts.append(values)
        merged[column] = np.concatenate(parts)
    return SlotTable(ptr=offsets(sizes), columns=merged)


def renumber(values: Ints, numbers: Ints) -> Ints:
    """Return values looked up in `numbers`; -1 stays -1."""
    if not len(numbers):
        return values
    looked: Ints = np.where(values >= 0, numbers[values], np.int32(-1))
    return looked


def spliced(old: SlotTable, new: SlotTable, *, former: Longs) -> SlotTable:
    """Return a table whose slots have their former rows, or new ones where `former` is -1.

    It is copied in as few pieces as there are.
    """
    kept = former >= 0
    bounds = np.append(old.ptr, old.ptr[-1])
    # One row lies between the old and the new: no piece goes over the border.
    starts = np.where(kept, bounds[former], old.size + 1 + new.ptr[:-1])
    sizes = np.where(kept, bounds[former + 1] - bounds[former], np.diff(new.ptr))
    pieces = _pieces(starts, sizes)
    return SlotTable(
        ptr=offsets(sizes),
        columns={
            name: _copied(values, new.columns[name], pieces) for name, values in old.columns.items()
        },
    )


def _pieces(starts: Longs, sizes: Longs) -> Longs | list[tuple[int, int]]:
    """Return where each run of neighbouring rows begins and ends, or the rows if runs are short."""
    filled = np.flatnonzero(sizes)
    first, last = starts[filled], starts[filled] + sizes[filled]
    cuts = np.flatnonzero(first[1:] != last[:-1]) + 1
    if len(cuts) * _SHORT_RUN > len(filled):
        return ranges(starts, sizes)
    begins = first[np.concatenate([[0], cuts])] if len(first) else first
    ends = last[np.concatenate([cuts - 1, [-1]])] if len(last) else last
    return list(zip(begins.tolist(), ends.tolist(), strict=True))


def _copied(old: Ints, new: Ints, pieces: Longs | list[tuple[int, int]]) -> Ints:
    between = np.zeros(1, dtype=np.int32)
    if not isinstance(pieces, list):
        return np.concatenate([old, between, new])[pieces]
    border = len(old) + 1
    parts = [
        new[begin - border : end - border] if begin >= border else old[begin:end]
        for begin, end in pieces
    ]
    return np.concatenate([between[:0], *parts])
