"""Sums over rows are those of the plain table, however long rows are and however few values."""

from __future__ import annotations

import numpy as np
import pytest

from weft.index.walks.diagonals import Diagonals, carried, diagonals


def table(pairs: list[tuple[int, int]], rows: int) -> Diagonals:
    ordered = sorted(pairs)
    sizes = np.bincount(np.array([row for row, _ in ordered], np.int64), minlength=rows)
    return diagonals(sizes, np.array([column for _, column in ordered], np.int32))


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
@pytest.mark.parametrize(
    ("rows", "columns", "pairs"), [(1, 1, 0), (1, 3, 4), (40, 7, 900), (300, 200, 900)]
)
def test_what_is_carried_is_the_sum_over_the_pairs(
    rows: int, columns: int, pairs: int, share: float
) -> None:
    drawn = np.random.default_rng(7)
    row, column = drawn.integers(0, rows, pairs), drawn.integers(0, columns, pairs)
    row[: pairs // 3] = 0  # one row that is longer than any other, with columns more than once
    held = list(zip(row.tolist(), column.tolist(), strict=True))
    by_row = table(held, rows)
    by_column = table([(c, r) for r, c in held], columns)
    values = np.rint(drawn.random(rows) * 2.0**30) * (drawn.random(rows) < share)
    found = np.full(columns, -1.0)
    carried(values, by_row, to=by_column, out=found)
    plain = np.zeros(columns)
    np.add.at(plain, column, values[row])
    assert found.tolist() == plain.tolist()


def test_nothing_is_carried_where_there_is_nothing() -> None:
    none = diagonals(np.zeros(0, np.int64), np.zeros(0, np.int32))
    found = np.zeros(0)
    carried(np.zeros(0), none, to=none, out=found)
    assert found.tolist() == []
