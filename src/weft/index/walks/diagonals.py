"""A table of which rows hold which columns, laid out so that sums over rows are quick.

Rows are in order of how many entries they have. The first entries of all lie side by side, then the
second ones, and so on: as many steps as the longest row has entries, each over neighbours in memory
(jagged diagonal storage, Saad 1989). The few longest rows are kept as they are.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from weft.domain.frozen import dataclass
from weft.index.tables import Ints, Longs, offsets, ranges, stable_order

Doubles = npt.NDArray[np.float64]
# Rows with more entries lie as they are: there are few, and each would be many short steps.
_LONG = 48
# A walk begins at a few nodes: while it has reached fewer than one in so many, only they are read.
_DENSE = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagonals:
    """The entries of each row: columns, one as often as it counts.

    `place` is the place of each row in the order, first those of `order`, longest first, then the
    `long` ones. Diagonal j is `entries[starts[j]:starts[j + 1]]` and has entry j of the first rows
    of the order; the entries of long row i are `aside[ptr[i]:ptr[i + 1]]`.
    """

    sizes: Longs
    place: Longs
    order: Longs
    starts: Longs
    entries: Ints
    long: Longs
    ptr: Longs
    aside: Ints


def diagonals(sizes: Longs, entries: Ints) -> Diagonals:
    """Return the table whose rows have so many of the entries each, one row after the other."""
    by_size = stable_order(np.minimum(sizes, _LONG + 1))[::-1]
    many = int(np.count_nonzero(sizes > _LONG))
    long, order = by_size[:many], by_size[many:]
    begins = offsets(sizes)
    first = begins[order]
    widths = np.searchsorted(-sizes[order], -np.arange(1, _LONG + 1), side="right")
    widths = widths[widths > 0]
    place = np.empty(len(sizes), dtype=np.int64)
    place[by_size] = np.concatenate([len(order) + np.arange(many), np.arange(len(order))])
    parts = [entries[first[:width] + at] for at, width in enumerate(widths.tolist())]
    return Diagonals(
        sizes=sizes,
        place=place,
        order=order,
        starts=offsets(widths),
        entries=np.concatenate([entries[:0], *parts]),
        long=long,
        ptr=offsets(sizes[long]),
        aside=entries[ranges(begins[long], sizes[long])],
    )


def carried(values: Doubles, source: Diagonals, *, to: Diagonals, out: Doubles) -> None:
    """Write into `out` what each row of `to` gets from the rows of `source` with these values.

    The two have the same entries, one by rows and one by columns. Exact where sums are.
    """
    if np.count_nonzero(values) * _DENSE < len(values):
        targets, given = _given(values, source, np.flatnonzero(values))
        out[:] = np.bincount(targets, given, len(out))
    else:
        _summed(values, to, out=out)


def _summed(values: Doubles, table: Diagonals, *, out: Doubles) -> None:
    """Write the sum of the values at each row's entries."""
    total = np.zeros(len(table.order))
    room = np.empty(max(len(total), len(table.aside)))
    for begin, end in pairwise(table.starts.tolist()):
        some = np.take(values, table.entries[begin:end], mode="clip", out=room[: end - begin])
        np.add(total[: end - begin], some, out=total[: end - begin])
    out[table.order] = total
    if len(table.long):
        some = np.take(values, table.aside, mode="clip", out=room[: len(table.aside)])
        out[table.long] = np.add.reduceat(some, table.ptr[:-1])


def _given(values: Doubles, table: Diagonals, rows: Longs) -> tuple[Ints, Doubles]:
    """Return the entries of some rows, and beside each the value of its row."""
    place, sizes = table.place[rows], table.sizes[rows]
    is_long = place >= len(table.order)
    short, few = place[~is_long], sizes[~is_long]
    steps = ranges(np.zeros_like(few), few)
    at = table.starts[steps] + np.repeat(short, few)
    long, many = place[is_long] - len(table.order), sizes[is_long]
    aside = ranges(table.ptr[long], many)
    targets = np.concatenate([table.entries[at], table.aside[aside]])
    own = values[rows]
    return targets, np.concatenate([np.repeat(own[~is_long], few), np.repeat(own[is_long], many)])
