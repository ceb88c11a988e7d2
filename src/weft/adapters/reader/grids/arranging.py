"""Rows as people lay them out, made rows that each say all they are of.

A name over several rows is in each of them, a line that names what stands below it is a column, and
a table whose rows are what things have, with a column for each thing, is turned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.adapters.reader.columns import Cell, CellText
from weft.domain.frozen import dataclass
from weft.language.layout import (
    LaidRow,
    is_turned,
    laid_rows,
    repeated,
    section_name,
    thing_name,
)

# What has more rows or columns was written by a program, a row for each thing.
MOST_ARRANGED, MOST_ACROSS = 1_000, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedRow:
    """The cells of a row, as many as there are columns, and the number it is known by.

    `first` is the column of its first cell.
    """

    number: int
    cells: Sequence[Cell]
    first: int = 0


def arranged(
    names: Sequence[str], rows: Sequence[NumberedRow]
) -> tuple[list[str], list[NumberedRow]]:
    """Return what columns are called, and rows of which each is one thing with all that it is of.

    A name may be empty. Rows that are no table laid out by hand come back as they are.
    """
    if not rows or len(rows) > MOST_ARRANGED or len(names) > MOST_ACROSS:
        return list(names), list(rows)
    rows = _as_above(rows)
    texts = [[_said(cell) for cell in row.cells] for row in rows]
    if is_turned([_said(name) for name in names], texts):
        return _turned(names, rows)
    laid = laid_rows(texts)
    if not any(one.section for one in laid):
        return list(names), [_row_of(rows[one.at], one) for one in laid]
    parted = [_row_of(rows[one.at], one, section=one.section) for one in laid]
    return [section_name(names), *names], parted


def _as_above(rows: Sequence[NumberedRow]) -> Sequence[NumberedRow]:
    """Return rows with what stands above a cell that only says so."""
    said = repeated([[_said(cell) for cell in row.cells] for row in rows])
    return [
        replace(
            row,
            cells=[
                rows[said[at, column]].cells[column] if (at, column) in said else cell
                for column, cell in enumerate(row.cells)
            ],
        )
        for at, row in enumerate(rows)
    ]


def _row_of(row: NumberedRow, laid: LaidRow, *, section: str | None = None) -> NumberedRow:
    """Return a row with what it is of in front, and with the name that stands over it."""
    own = [CellText(laid.name), *row.cells[1:]] if laid.name else row.cells
    front = [] if section is None else [CellText(section)]
    return NumberedRow(number=row.number, cells=[*front, *own])


def is_blank(cell: Cell) -> bool:
    """Tell whether a cell has nothing to be seen."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _said(cell: Cell) -> str:
    return "" if cell is None else " ".join(str(cell).split())


def _turned(
    names: Sequence[str], rows: Sequence[NumberedRow]
) -> tuple[list[str], list[NumberedRow]]:
    labels = [_said(row.cells[0]) for row in rows]
    named = [thing_name(_said(names[0]), labels), *labels]
    things = [
        NumberedRow(number=at, cells=[CellText(_said(names[at])), *(row.cells[at] for row in rows)])
        for at in range(1, len(names))
    ]
    return named, things
