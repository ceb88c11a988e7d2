"""Where several tables stand in one grid: below each other after a gap, or side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from weft.adapters.reader.column_names import has_figures_below, names_columns
from weft.adapters.reader.columns import Cell
from weft.adapters.reader.grids.arranging import NumberedRow, is_blank
from weft.language.layout import told_apart
from weft.language.periods import period_of

_READERS = "acl"
# Rows that tell whether the first of them names columns.
_LOOKED_AT = 20


def names_readers(rows: Sequence[NumberedRow], columns: Mapping[str, str]) -> bool:
    """Tell whether a cell may name who reads its row; `columns` are names with what they mean.

    Then nothing of one row may come into another, and none loses a cell.
    """
    said = {_READERS, *(name.strip().casefold() for name, to in columns.items() if to == _READERS)}
    return any(_text(cell).casefold() in said for row in rows for cell in row.cells)


def regions(rows: Sequence[NumberedRow]) -> list[list[NumberedRow]]:
    """Return the rows of each table of a grid, with what stands above it, in order.

    `rows` have as many cells each; empty ones part tables, and are in none of them.
    """
    found: list[list[NumberedRow]] = []
    for side in _beside(rows):  # over all of the grid: what stands on one side is told by itself
        for block in _stacked(side):
            found += _beside(block)
    return [[row for row in part if _filled(row)] for part in found]


def titles(above: Sequence[Sequence[Sequence[Cell]]]) -> list[str]:
    """Return what the tables of a grid are called: the shortest line above each, else a number."""
    lines = [[" ".join(filter(None, map(_text, row))) for row in rows] for rows in above]
    return told_apart(
        [min(own, key=len, default="") or f"Table {at}" for at, own in enumerate(lines, 1)]
    )


def corners(names: Sequence[Sequence[str]]) -> list[str]:
    """Return what tables are called by the first name of each: another year or month; else none."""
    said = [own[0] if own else "" for own in names]
    periods = [period_of(one) for one in said]
    kinds = {one.kind for one in periods if one is not None}
    is_told = None not in periods and len(kinds) == 1 and len(set(periods)) == len(said) > 1
    return said if is_told else []


def _stacked(rows: Sequence[NumberedRow]) -> Iterator[list[NumberedRow]]:
    """Yield the tables that stand below each other: one begins below a gap, by its names."""
    current: list[NumberedRow] = []
    above: list[NumberedRow] = []
    for block in _blocks(rows):
        if _is_lined(block):
            above += block
            continue
        if _begins(current) and _begins([*above, *block], after=current):
            yield current
            current = []
        current, above = [*current, *above, *block], []
    if rest := [*current, *above]:
        yield rest


def _blocks(rows: Sequence[NumberedRow]) -> Iterator[list[NumberedRow]]:
    """Yield rows that stand together, anew from where most names of columns are there again."""
    block: list[NumberedRow] = []
    names: set[str] = set()
    for row in rows:
        said = {_text(cell).casefold() for cell in row.cells} - {""}
        if not said or (block and len(said) > 1 and 2 * len(said & names) > len(said)):
            # The line right above such names is what they are called.
            own = [block.pop()] if said and len(block) > 1 and _is_lined(block[-1:]) else []
            if block:
                yield block
            block = own
        if said:
            block.append(row)
            names = names or (said if len(said) > 1 else names)
    if block:
        yield block


def _filled(row: NumberedRow) -> list[int]:
    return [at for at, cell in enumerate(row.cells) if not is_blank(cell)]


def _is_lined(rows: Sequence[NumberedRow]) -> bool:
    """Tell whether rows are lines of words and no table: one cell each."""
    return all(len(_filled(row)) == 1 for row in rows)


def _names(rows: Sequence[NumberedRow]) -> tuple[list[str], list[list[str]]]:
    """Return the cells of the first row of several, and those of the next ones below it."""
    at = next((at for at, row in enumerate(rows) if len(_filled(row)) > 1), len(rows))
    said = [[_text(cell) for cell in row.cells] for row in rows[at : at + _LOOKED_AT]]
    return (said[0], said[1:]) if said else ([], [])


def _text(cell: Cell) -> str:
    return "" if is_blank(cell) else " ".join(str(cell).split())


def _begins(rows: Sequence[NumberedRow], *, after: Sequence[NumberedRow] = ()) -> bool:
    """Tell whether rows begin with the names of their columns, behind those of a table before.

    The same names once more are some. Words over words may be a row as well: others stand in other
    columns than those before, or over figures.
    """
    names, below = _names(rows)
    if not below or not names_columns(names, below=below):
        return False
    if not after:
        return True
    former, _ = _names(after)
    columns = [[at for at, one in enumerate(some) if one] for some in (names, former)]
    is_again = [name.casefold() for name in names] == [name.casefold() for name in former]
    return is_again or columns[0] != columns[1] or has_figures_below(names, below=below)


def _beside(rows: Sequence[NumberedRow]) -> list[list[NumberedRow]]:
    """Return the tables that stand side by side, an empty column between them; else all rows.

    One ends before the other, or their columns are called the same: else it is one with a gap.
    """
    width = max((len(row.cells) for row in rows), default=0)
    used = [any(not is_blank(row.cells[at]) for row in rows) for at in range(width)]
    spans = list(_spans(used))
    if len(spans) < 2 or any(end - start < 2 for start, end in spans):
        return [list(rows)]
    parts = [
        [
            NumberedRow(number=row.number, cells=row.cells[start:end], first=row.first + start)
            for row in rows
        ]
        for start, end in spans
    ]
    heads = [_names(part)[0] for part in parts]
    sizes = {sum(map(bool, map(_filled, part))) for part in parts}
    is_own = len(sizes) > 1 or len({tuple(head) for head in heads}) == 1
    return parts if is_own and all(map(_begins, parts)) else [list(rows)]


def _spans(used: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Yield where columns stand together, from the first to behind the last."""
    start = -1
    for at, one in enumerate([*used, False]):
        if one and start < 0:
            start = at
        elif not one and start >= 0:
            yield start, at
            start = -1
