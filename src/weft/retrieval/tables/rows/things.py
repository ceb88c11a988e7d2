"""Which rows of a table are things, and which of their cells are marks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from math import isclose

from weft.language.patterns import pattern
from weft.language.sentences import ends_with_stop
from weft.retrieval.tables.cells import Quantity, quantity
from weft.retrieval.tables.table import TableRow

# What a last row is called that adds up those above it, of which there are more than so many.
_TOTALS = frozenset({"total", "totals", "grand total", "sum", "합계", "총계", "계"})
_FEWEST_ADDED, _MOST_ADDED = 2, 1_000
_ADDS = pattern(
    r"^(?:(?:sub|grand)[- ]?)?totals?\b|\b(?:totals?|together)$|^(?:sum|all)\b"
    r"|^(?:합계|소계|총계|계)$",
    re.IGNORECASE,
)
# So many figures that are sums of those above them are none by chance.
_SURELY_SUMS = 3
_REMARK, _NAMED = 3, 2
_TICKS = frozenset({"✓", "✔", "✅", "●", "•"})
_CROSS, _DASHES = "x", frozenset({"-", "–", "—"})
_YES, _NO = "yes", "no"


def of_things(rows: tuple[TableRow, ...]) -> tuple[TableRow, ...]:
    """Return rows without what is no thing of a table: remarks at its end, and what adds up."""
    rows = _without_sums(rows)
    end = len(rows)
    while end > _FEWEST_ADDED and _is_alone(rows[end - 1], rows[end - 2]):
        end -= 1
    added = end > _FEWEST_ADDED and _is_total(rows[end - 1])
    if added and not any(map(_is_total, rows[: end - 1])):
        return rows[: end - 1]
    # Without what adds up above them only sentences are remarks, and words below figures alone: of
    # a thing less may be known.
    things = len(rows)
    while things > end and _is_remark(rows[things - 1], rows[: things - 1]):
        things -= 1
    return rows[:things]


def _is_remark(row: TableRow, above: tuple[TableRow, ...]) -> bool:
    """Tell whether a row that has words alone is a sentence, or they stand below figures alone."""
    if any(map(ends_with_stop, _names(row)[:1])):
        return True
    at = max(at for at, cell in enumerate(row.cells) if cell.strip())
    return all(quantity(one.cells[at]) is not None for one in above)


def _without_sums(rows: tuple[TableRow, ...]) -> tuple[TableRow, ...]:
    """Return rows without those that add up the ones above them.

    That is all that stand above, or those behind the last such row. Such a row says that it is one,
    has hardly anything else, or several figures.
    """
    if len(rows) > _MOST_ADDED:
        return rows
    found: list[TableRow] = []
    part, whole = _Sums(), _Sums()
    added = 0
    for row in rows:
        read = {at: quantity(cell) for at, cell in enumerate(row.cells)}
        figures = {at: one for at, one in read.items() if one is not None}
        # All that stands above may be several parts, with nothing behind what adds up the last.
        count = len(found) if whole.are(figures) else added if part.are(figures) else 0
        if count and (_may_add(row) or (count > 1 and _is_bare(row, found[-1], figures))):
            part = _Sums()
            added = 0
            continue
        part.add(figures)
        whole.add(figures)
        found.append(row)
        added += 1
    return tuple(found)


class _Sums:
    """What the figures of some rows add up to: of each column all of them, and those of each unit.

    Among sums of money may stand "7 new sponsors".
    """

    def __init__(self) -> None:
        self._all: defaultdict[int, float] = defaultdict(float)
        self._alike: defaultdict[tuple[int, str], float] = defaultdict(float)

    def add(self, figures: Mapping[int, Quantity]) -> None:
        """Add the figures of a row, by column."""
        for at, one in figures.items():
            self._all[at] += one.value
            self._alike[at, one.unit] += one.value

    def are(self, figures: Mapping[int, Quantity]) -> bool:
        """Tell whether some figures, by column, are what was added up."""
        return bool(figures) and all(
            any(
                isclose(one.value, added, rel_tol=1e-6, abs_tol=0.01)
                for added in (self._all[at], self._alike[at, one.unit])
            )
            for at, one in figures.items()
        )


def _is_bare(row: TableRow, above: TableRow, figures: Mapping[int, Quantity]) -> bool:
    """Tell whether a row has several figures that are not 0, or half the cells of one above it.

    What it has in common with that one, as the name over both, counts for neither.
    """
    if sum(one.value != 0 for one in figures.values()) >= _SURELY_SUMS:
        return True
    differ = [pair for pair in zip(row.cells, above.cells, strict=True) if pair[0] != pair[1]]
    own, other = (sum(bool(pair[at].strip()) for pair in differ) for at in range(2))
    return own * 2 <= other and any(one.value for one in figures.values())


def _is_alone(row: TableRow, above: TableRow) -> bool:
    """Tell whether a row has some words in one cell and nothing in the others.

    What it is of, as the row above it, is nothing of its own.
    """
    own = row.cells[1:] if row.cells[0] == above.cells[0] else row.cells
    filled = _names(replace(row, cells=own))
    return len(row.cells) > 2 and len(filled) == 1 and len(filled[0].split()) >= _REMARK


def _may_add(row: TableRow) -> bool:
    return any(_ADDS.search(name) for name in _names(row))


def _is_total(row: TableRow) -> bool:
    return any(name.casefold() in _TOTALS for name in _names(row))


def _names(row: TableRow) -> list[str]:
    """Return what a row is called: what stands in the first of its cells that say something.

    Before that may stand what several rows are of.
    """
    return [one for cell in row.cells if (one := cell.strip("*_: \t"))][:_NAMED]


def with_marks(rows: tuple[TableRow, ...]) -> tuple[TableRow, ...]:
    """Return rows with yes and no where a column has one mark alone, or nothing or a dash.

    A cross is a no beside a tick, and a yes where it is the only mark.
    """
    width = len(rows[0].cells) if rows else 0
    marked = {at for at in range(width) if _is_marked({row.cells[at] for row in rows})}
    if not marked:
        return rows
    return tuple(
        replace(
            row,
            cells=tuple(
                _read_mark(cell) if at in marked else cell for at, cell in enumerate(row.cells)
            ),
        )
        for row in rows
    )


def _is_marked(cells: set[str]) -> bool:
    said = {cell.strip().casefold() for cell in cells}
    marks = said - {""} - _DASHES
    return len(said) > 1 and len(marks) == 1 and marks <= _TICKS | {_CROSS}


def _read_mark(cell: str) -> str:
    said = cell.strip()
    return _NO if not said or said in _DASHES else _YES
