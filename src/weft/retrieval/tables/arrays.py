"""What is counted, summed and grouped over one table: on arrays, a column each, made when needed.

Gives what the queries of `query.py` would; a million rows take some hundredths of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from weft.domain.frozen import dataclass
from weft.retrieval.tables.coding import CodedColumn
from weft.retrieval.tables.keeping import KeptValues, comparison, kept_values
from weft.retrieval.tables.plan import Aggregate, Filter, Function, Op

Doubles = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Ranks = npt.NDArray[np.int32]
Figure = float | None
_FEW_CODES = 4_000_000
_COMPARED: Mapping[Op, Callable[[Doubles, Doubles], Mask]] = {
    Op.IS: np.equal,
    Op.IS_NOT: np.not_equal,
    Op.OVER: np.greater,
    Op.AT_LEAST: np.greater_equal,
    Op.UNDER: np.less,
    Op.AT_MOST: np.less_equal,
}


class TableArrays:
    """The columns of a table as float64[rows], NaN where a row has no value; never changed."""

    def __init__(self, columns: Sequence[CodedColumn], rows: int) -> None:
        """Take the columns; nothing is copied yet."""
        self._columns = columns
        self._rows = rows
        self._held: dict[int, Doubles] = {}
        self._there: dict[int, Mask] = {}
        self._ranks: dict[int, Ranks] = {}

    def column(self, at: int) -> Doubles:
        """Return a column's values."""
        if at not in self._held:
            values = np.array(self._columns[at].values, dtype=np.float64)
            self._held[at], self._there[at] = values, ~np.isnan(values)
        return self._held[at]

    def _ranks_of(self, at: int) -> Ranks:
        """Return the ranks of a worded column as int32[rows], -1 where a row has no value."""
        if at not in self._ranks:
            values = self.column(at)
            self._ranks[at] = np.where(self._there[at], values, -1).astype(np.int32)
        return self._ranks[at]

    def kept(self, filters: Sequence[tuple[int, Filter, int | None]]) -> Mask:
        """Return bool[rows]: which rows meet all conditions.

        Each comes with its column's place, and that of the column it is compared with, if any.
        """
        mask = np.ones(self._rows, dtype=np.bool_)
        for at, one, than in filters:
            if than is None:
                mask &= self._fits(at, kept_values(one, self._columns[at]))
            else:
                op = comparison(one, self._columns[at].column, other=self._columns[than].column)
                values, others = self.column(at), self.column(than)
                mask &= self._there[at] & self._there[than] & _COMPARED[op](values, others)
        return mask

    def _fits(self, at: int, kept: KeptValues) -> Mask:
        values = self.column(at)
        there = self._there[at]
        if kept.filled is not None:
            return there if kept.filled else ~there
        if kept.ranks is not None:
            known = np.zeros(len(self._columns[at].keys) + 1, dtype=np.bool_)
            known[list(kept.ranks)] = True
            if kept.negated:
                known[:-1] = ~known[:-1]
            return known[self._ranks_of(at)]
        found = np.zeros(self._rows, dtype=np.bool_)
        for one in kept.ranges:
            part = there.copy()
            if one.low is not None:
                part &= values >= one.low if one.with_low else values > one.low
            if one.high is not None:
                part &= values <= one.high if one.with_high else values < one.high
            found |= part
        return there & (~found if kept.negated else found)

    def groups(self, mask: Mask, places: Sequence[int]) -> RowGroups:
        """Return the groups of the rows that are kept, in order of their values, empty ones first.

        Without columns all rows are one group.
        """
        rows = np.flatnonzero(mask)
        of = np.zeros(len(rows), dtype=np.int64)
        values: list[Doubles] = []
        for at in places:
            unique, codes = _coded(self.column(at)[rows])
            if not values:
                of, values = codes, [unique]
                continue
            # Groups that no row is in fall away at each column, so that numbers stay small.
            pairs, of = np.unique(of * len(unique) + codes, return_inverse=True)
            values = [one[pairs // len(unique)] for one in values]
            values.append(unique[pairs % len(unique)])
        count = len(values[0]) if values else 1
        return RowGroups(rows=rows, of=of, values=tuple(values), count=count)

    def worked(self, groups: RowGroups, one: Aggregate, *, at: int | None) -> list[Figure]:
        """Return an aggregate for each group; None where no row has a value."""
        if at is None:
            return [int(n) for n in np.bincount(groups.of, minlength=groups.count)]
        values = self.column(at)[groups.rows]
        there = ~np.isnan(values)
        of, values = groups.of[there], values[there]
        counts = np.bincount(of, minlength=groups.count)
        if one.function is Function.COUNT:
            return [int(n) for n in counts]
        if one.function is Function.DISTINCT:
            unique, codes = _coded(values)
            pairs = np.unique(of * max(1, len(unique)) + codes) // max(1, len(unique))
            return [int(n) for n in np.bincount(pairs, minlength=groups.count)]
        found = _figures(one.function, values, of=of, counts=counts)
        return [float(v) if n else None for v, n in zip(found, counts, strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowGroups:
    """Rows by group: `rows` int64[kept] their numbers, `of` the group of each.

    `values` has float64[groups] for each column that they are parted by.
    """

    rows: Numbers
    of: Numbers
    values: tuple[Doubles, ...]
    count: int


def _coded(values: Doubles) -> tuple[Doubles, Numbers]:
    """Return the different values in order, none of them first, and which each one is."""
    shown = np.where(np.isnan(values), -np.inf, values)
    whole = shown[np.isfinite(shown)]
    low = whole.min() if len(whole) else 0.0
    span = (whole.max() - low) if len(whole) else 0.0
    if len(whole) and span < _FEW_CODES and bool((whole == np.floor(whole)).all()):
        # Ranks, days and small numbers are counted without sorting them.
        codes = np.where(np.isfinite(shown), shown - low + 1, 0).astype(np.int64)
        used = np.flatnonzero(np.bincount(codes, minlength=int(span) + 2))
        place = np.zeros(int(span) + 2, dtype=np.int64)
        place[used] = np.arange(len(used))
        unique = np.where(used == 0, np.nan, used - 1 + low)
        return unique, place[codes]
    unique, inverse = np.unique(shown, return_inverse=True)
    return np.where(np.isfinite(unique), unique, np.nan), inverse


def _figures(function: Function, values: Doubles, *, of: Numbers, counts: Numbers) -> Doubles:
    """Return float64[groups]; what it says of a group without values means nothing."""
    if function in (Function.SUM, Function.AVERAGE, Function.SHARE):
        sums: Doubles = np.bincount(of, weights=values, minlength=len(counts)).astype(np.float64)
        return sums / np.maximum(counts, 1) if function is Function.AVERAGE else sums
    is_middle = function is Function.MEDIAN
    order = np.lexsort((values, of)) if is_middle else np.argsort(of, kind="stable")
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    result: Doubles = np.zeros(len(counts))
    filled = counts > 0
    if filled.any():
        ordered, at, sizes = values[order], starts[filled], counts[filled]
        if is_middle:
            result[filled] = (ordered[at + (sizes - 1) // 2] + ordered[at + sizes // 2]) / 2
            return result
        least = np.minimum.reduceat(ordered, at)
        most = np.maximum.reduceat(ordered, at)
        ends = {Function.LEAST: least, Function.MOST: most, Function.SPREAD: most - least}
        result[filled] = ends[function]
    return result
