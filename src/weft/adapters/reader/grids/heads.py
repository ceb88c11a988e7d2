"""The lines that name the columns of a table laid out by hand, found by what stands below them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from weft.adapters.reader.column_names import UNIT, is_worded
from weft.domain.frozen import dataclass
from weft.language.periods import period_of

# So many first rows may name columns, in so many lines at most.
_BEGINNING, _MOST_LINES = 8, 3
# So much of what stands in a column is figures, or is none.
_MOSTLY, _HARDLY = 0.7, 0.2
_DAY = re.compile(r"\d{1,2}[/.]\d{1,2}[/.]?")
_FEWEST_BELOW, _LEAST_NAMED, _SEVERAL = 2, 0.5, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """How many rows stand above the lines that name columns, the names, and how many lines."""

    above: int
    names: tuple[str, ...]
    lines: int


def head_of(rows: Sequence[Sequence[str]]) -> Head | None:
    """Return the names of columns of rows of one width; None where figures do not tell them apart.

    Below the names stand figures in columns of figures. A name in the first column is in one line
    alone: what stands above that line is what the table is called.
    """
    rows = [[cell.strip() for cell in row] for row in rows]
    kinds = _kinds(rows)
    over = [[""] * len(kinds), *rows]
    told = (_has_values(row, kinds, above=above) for above, row in pairwise(over))
    end = next((at for at, has_values in enumerate(told) if has_values), None)
    if end is None:
        end = _behind_figures(rows[: _BEGINNING // 2], kinds)
    if not 0 < end <= _BEGINNING or len(rows) - end < _FEWEST_BELOW:
        return None
    # A line that names the rows below it stands right above them.
    while end and not any(rows[end - 1][1:]):
        end -= 1
    first = _first_line(rows, end)
    if first is None or first < 0:
        return None
    names = rows[first]
    for row in rows[first + 1 : end]:
        names = _spread(names, row)
    used = [at for at in range(len(names)) if any(row[at] for row in rows[end:])]
    named = [names[at] for at in used if names[at]]
    widest = max((sum(map(bool, row)) for row in rows[:first]), default=0)
    if widest >= max(2, len(named)):
        return None  # what stands above names as many columns
    is_once = len(set(map(str.casefold, named))) == len(named)
    if not is_once or len(named) < max(2, len(used) * _LEAST_NAMED):
        return None
    return Head(above=first, names=tuple(names), lines=end - first)


def _kinds(rows: Sequence[Sequence[str]]) -> list[bool | None]:
    """Tell of each column whether it has figures: True, False, or None where that is open.

    The first rows may be names: where there are enough others they are not looked at.
    """
    body = rows[_BEGINNING // 2 :] if len(rows) > _BEGINNING else rows[2:]
    found: list[bool | None] = []
    for at in range(len(rows[0]) if rows else 0):
        filled = [row[at] for row in body if row[at]]
        share = sum(not is_worded(cell) for cell in filled) / max(1, len(filled))
        is_figured = share >= _MOSTLY if filled else None
        found.append(None if is_figured is False and share > _HARDLY else is_figured)
    return found


def _has_values(row: Sequence[str], kinds: Sequence[bool | None], *, above: Sequence[str]) -> bool:
    """Tell whether a row has a figure in a column of figures, and not years or months alone.

    These are there once each, or again below another one of what stands above them.
    """
    places = [at for at, is_figured in enumerate(kinds) if is_figured and row[at]]
    figured = [row[at] for at in places]
    periods = {period.kind if (period := period_of(cell)) else None for cell in figured}
    if len(figured) > 1 and len(periods) == 1 and None not in periods:
        is_below = sum(map(bool, above)) > 1 and not all(above[at] for at in places)
        return len(set(figured)) < len(figured) and not is_below
    return any(not is_worded(cell) for cell in figured)


def _behind_figures(rows: Sequence[Sequence[str]], kinds: Sequence[bool | None]) -> int:
    """Return the place behind the last of the first rows that has several figures over words."""
    numbers = [
        sum(
            is_figured is False and (not is_worded(cell) or _DAY.fullmatch(cell) is not None)
            for cell, is_figured in zip(row, kinds, strict=True)
            if cell
        )
        for row in rows
    ]
    return max((at for at, count in enumerate(numbers, 1) if count >= _SEVERAL), default=0)


def _first_line(rows: Sequence[Sequence[str]], end: int) -> int | None:
    """Return the first of the lines that name columns, of which the last is right before `end`.

    None where that one stands below names of its columns, and so is a row.
    """
    first = end - 1
    while (
        first > 0 and end - first < _MOST_LINES and _stands_over(rows[first - 1], rows[first:end])
    ):
        first -= 1
        under = [at for at, cell in enumerate(rows[first + 1]) if cell]
        is_named = all(rows[first][at] for at in under)
        if is_named and any(_says_more(rows[first + 1][at]) for at in under):
            return None
    return first


def _says_more(cell: str) -> bool:
    """Tell whether a cell is no figure, day or unit, which say more of the name above it."""
    return is_worded(cell) and UNIT.fullmatch(cell) is None and _DAY.fullmatch(cell) is None


def _stands_over(row: Sequence[str], lines: Sequence[Sequence[str]]) -> bool:
    """Tell whether a row's names stand over others, or where those leave a column without one."""
    said = [at for at, cell in enumerate(row) if cell]
    below = {at for line in lines for at, cell in enumerate(line) if cell}
    if not said or (row[0] and any(line[0] not in ("", row[0]) for line in lines)):
        return False
    # A single name stands over two columns at least: else it is what the table is called.
    return len(said) > 1 or (said[0] in below and said[0] + 1 in below)


def _spread(over: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return names behind what stands over them: over several, from one with a name below it on."""
    found: list[str] = []
    above = ""
    for one, name in zip(over, names, strict=True):
        above = (one or above) if name else ""
        found.append(" ".join(dict.fromkeys(filter(None, (above or one, name)))))
    return found
