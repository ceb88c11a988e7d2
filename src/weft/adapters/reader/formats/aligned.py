"""Tables of a page that no line or bar tells of: words that stand below each other in columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

from weft.domain.frozen import dataclass

# How a table begins in a page's text.
ROW = "| "
_CELL = re.compile(r"\S+(?: \S+)*")
_VALUE = re.compile(r"[^\w]*[-+−(]?[€$£¥₩]?\s?\d[\d.,:/%'’-]*\s?[^\W\d]{0,4}[%)]?|[-–—]|n/?a", re.I)
_SPACE = re.compile(r"\s+")
_FEWEST_ROWS, _MOST_COLUMNS = 3, 20
_LONGEST_CELL, _MOSTLY = 40, 0.6
# Lines without a figure among so many words are prose.
_FEWEST_LINES = 3
_FIGURE = re.compile(r"\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    start: int
    end: int
    text: str


_Line = list[_Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedTable:
    """Rows of equally many cells, the first of them names; `bare` is all its text without space."""

    rows: tuple[tuple[str, ...], ...]
    bare: str

    def written(self) -> str:
        """Return it as Markdown: rows between bars."""
        rows = [[cell.replace("|", "\\|") for cell in row] for row in self.rows]
        lines = [f"{ROW}{' | '.join(row)} |" for row in rows]
        lines.insert(1, "|" + "---|" * len(self.rows[0]))
        return "\n".join(lines)


def may_hold_tables(text: str) -> bool:
    """Tell whether a page is worth a second look: some of its lines are short and have figures."""
    lines = [line for line in text.splitlines() if _FIGURE.search(line)]
    return sum(len(line.split()) <= _MOST_COLUMNS for line in lines) >= _FEWEST_LINES


def aligned_tables(layout: str) -> Iterator[AlignedTable]:
    """Yield the tables of a page's text whose words stand where they stand on the page."""
    loose: list[_Line] = []
    for block in _blocks(layout):
        found = list(_table(block))
        if found or len(block) != 1:
            yield from _table(loose)
            loose = []
            yield from found
        else:
            loose += block  # rows that stand apart from each other
    yield from _table(loose)


def _blocks(layout: str) -> Iterator[list[_Line]]:
    """Yield the lines of several cells that stand below each other without a blank line."""
    block: list[_Line] = []
    for line in [*layout.splitlines(), ""]:
        cells = [_Cell(start=m.start(), end=m.end(), text=m.group()) for m in _CELL.finditer(line)]
        if len(cells) > 1 or (block and cells and _is_within(cells[0], block)):
            block.append(cells)
        elif block:
            yield block
            block = []
        if len(cells) == 1 and not block:
            yield []  # a line of prose parts what stands above from what stands below


def with_tables(text: str, layout: str) -> str:
    """Return a page's text with its tables between bars, where it has their words in one place.

    A text in another order than the rows' stays as it is.
    """
    for table in aligned_tables(layout):
        span = _where(text, table.bare)
        if span is not None:
            before, after = text[: span[0]].rstrip(), text[span[1] :].lstrip()
            text = "\n\n".join(part for part in (before, table.written(), after) if part)
    return text


def _is_within(cell: _Cell, block: Sequence[Sequence[_Cell]]) -> bool:
    """Tell whether a lone cell goes on from one of the row above, which is not its first."""
    above = block[-1]
    return any(cell.start == one.start for one in above[1:]) and not _VALUE.fullmatch(cell.text)


def _table(block: Sequence[_Line]) -> Iterator[AlignedTable]:
    """Yield the table that some lines are: columns apart on all of them, names over values.

    A title may stand right above it, and a remark below.
    """
    for first, last in product(range(2), range(2)):
        lines = block[first : len(block) - last]
        if len(lines) < _FEWEST_ROWS:
            continue
        rows = _named_over(lines) or _joined([_row(line, _columns(lines)) for line in lines])
        if len(rows) >= _FEWEST_ROWS and _is_table(rows):
            bare = _SPACE.sub("", "".join(cell.text for line in lines for cell in line))
            yield AlignedTable(rows=tuple(rows), bare=bare)
            return


def _named_over(lines: Sequence[_Line]) -> list[tuple[str, ...]]:
    """Return the rows of a table whose first line stands over names that are there once for each.

    "Visitors" and "Income" over "2023 2024 2023 2024": where they stand says nothing surer.
    """
    over, *below = lines
    if len(below) < _FEWEST_ROWS:
        return []
    columns = _columns(below)
    names, *rows = [_row(line, columns) for line in below]
    for ahead in range(1, len(names)):
        each, left = divmod(len(names) - ahead, len(over))
        own = names[ahead : ahead + each]
        if each > 1 and not left and names[ahead:] == own * len(over):
            spread = [f"{cell.text} {name}" for cell in over for name in own]
            return [(*names[:ahead], *spread), *_joined(rows)]
    return []


def _columns(lines: Sequence[Sequence[_Cell]]) -> list[tuple[int, int]]:
    """Return the stretches that no blank column of characters goes through."""
    spans = sorted((cell.start, cell.end) for line in lines for cell in line)
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _row(line: Sequence[_Cell], columns: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    return tuple(
        " ".join(cell.text for cell in line if start <= cell.start < end) for start, end in columns
    )


def _joined(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return rows with those that only go on in one cell put to the row above."""
    found: list[tuple[str, ...]] = []
    for row in rows:
        filled = [at for at, cell in enumerate(row) if cell]
        if found and len(row) > 1 and len(filled) == 1 and filled[0] > 0:
            found[-1] = tuple(
                f"{above} {cell}".strip() for above, cell in zip(found[-1], row, strict=True)
            )
        else:
            found.append(row)
    return found


def _is_table(rows: Sequence[tuple[str, ...]]) -> bool:
    names, values = rows[0], rows[1:]
    if not 2 <= len(names) <= _MOST_COLUMNS or not all(names):
        return False
    if any(_VALUE.fullmatch(name) for name in names) or len(set(names)) < len(names):
        return False
    cells = [cell for row in values for cell in row]
    filled = [cell for cell in cells if cell]
    if len(filled) < _MOSTLY * len(cells):
        return False
    if sum(map(len, filled)) > _LONGEST_CELL * len(filled):
        return False
    figures = [
        sum(bool(_VALUE.fullmatch(cell)) for cell in column) for column in zip(*values, strict=True)
    ]
    return max(figures) >= _MOSTLY * len(values)


def _where(text: str, bare: str) -> tuple[int, int] | None:
    """Return where a text has just these characters, however they are spaced."""
    places = [at for at, char in enumerate(text) if not char.isspace()]
    at = "".join(text[place] for place in places).find(bare)
    return (places[at], places[at + len(bare) - 1] + 1) if at >= 0 and bare else None
