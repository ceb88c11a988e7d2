"""The local facts of some slots of a snapshot, side by side, with the lexicon's numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from weft.domain.frozen import dataclass
from weft.index.snapshot import Snapshot
from weft.index.tables import TABLES, Ints, Longs, renumber, rows_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Rows of one table: `place` is int64[rows], the place of each row's slot among those asked."""

    place: Longs
    columns: Mapping[str, Ints]

    def __getitem__(self, column: str) -> Ints:
        return self.columns[column]


def gather(snapshot: Snapshot, slots: Longs, *, names: Iterable[str]) -> dict[str, Rows]:
    """Return the rows of the slots (ascending) from some of the tables."""
    found: dict[str, list[Rows]] = {name: [] for name in names}
    start, first = 0, 0
    for live in snapshot.segments:
        last = int(np.searchsorted(slots, start + live.segment.size))
        if last > first:
            facts = live.segment.facts
            words, keys = snapshot.lexicon.numbers(live.segment.name, facts)
            own = slots[first:last] - start
            for name, rows in found.items():
                table = facts.tables[name]
                numbers, place = rows_of(table, own)
                columns = {
                    column: _numbered(values[numbers], column, words, keys)
                    for column, values in table.columns.items()
                }
                rows.append(Rows(place=place + first, columns=columns))
        start, first = start + live.segment.size, last
    return {name: _joined(name, rows) for name, rows in found.items()}


def _numbered(values: Ints, column: str, words: Ints, keys: Ints) -> Ints:
    if column == "key":
        return keys[values]
    if column == "word":
        return words[values]
    return renumber(values, words) if column == "word0" else values


def _joined(name: str, rows: list[Rows]) -> Rows:
    if len(rows) == 1:
        return rows[0]
    none = np.zeros(0, dtype=np.int32)
    return Rows(
        place=np.concatenate([np.zeros(0, dtype=np.int64), *(one.place for one in rows)]),
        columns={
            column: np.concatenate([none, *(one[column] for one in rows)])
            for column in TABLES[name]
        },
    )
