"""Tables of web pages: what a cell says, and a cell in each place that one reaches over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import TypeAlias

from lxml import etree

from weft.adapters.reader.column_names import joined_name, said_again
from weft.language.layout import with_names

_Grid: TypeAlias = list[list[etree._Element]]

INLINE = frozenset(
    "a abbr b bdi bdo big cite code del em font hi i img ins kbd label lb br mark q ref s samp "
    "small span strong sub sup time tt u var wbr graphic".split()
)
# Where a line ends: white space that no page has in its source.
_LINE_ENDS = "\v"
_CELLS = ("td", "th")
# Wider or larger than this it is no table that anybody reads, and stays as it is.
_MOST_COLUMNS, _MOST_CELLS, _MOST_CHARACTERS = 60, 20_000, 500_000


def spread_tables(tree: etree._Element) -> None:
    """Give each row of a page's tables a cell for every column, names over two lines in one row.

    A cell that reaches over several places is in each of them; a row of one cell above the names
    stands before the table.
    """
    for table in list(tree.iter("table")):
        spans = any(_reach(cell, "colspan") * _reach(cell, "rowspan") > 1 for cell in _of(table))
        if next(table.iterdescendants("table"), None) is not None:
            continue
        if spans:
            _spread(table)
        _name_rows(table)


def inline(element: etree._Element) -> Iterator[str]:
    """Yield the text of an element; between the blocks within it a line ends."""
    if element.tag in ("lb", "br"):
        yield _LINE_ENDS
    if element.text:
        yield element.text
    for child in element:
        ends = "" if child.tag in INLINE else _LINE_ENDS
        yield ends
        yield from inline(child)
        yield ends
        if child.tail:
            yield child.tail


def words_of(element: etree._Element) -> str:
    """Return what a cell or heading says in one line.

    Figures that stand below each other are two, never one that is written in groups of digits.
    """
    lines = (" ".join(line.split()) for line in "".join(inline(element)).split(_LINE_ENDS))
    said: list[str] = []
    for line in filter(None, lines):
        if said:
            said.append("; " if said[-1][-1].isdigit() and line[0].isdigit() else " ")
        said.append(line)
    return "".join(said)


def _name_rows(table: etree._Element) -> None:
    """Put the name that stands over several rows into each of them."""
    rows = [[cell for cell in row if cell.tag in _CELLS] for row in table.iter("tr")]
    named = next((at for at, row in enumerate(rows) if any(c.tag != "th" for c in row)), 0)
    texts = [[words_of(cell) for cell in row] for row in rows]
    for row, said in zip(rows, with_names(texts, named=max(1, named)), strict=True):
        if row and said[0] and not words_of(row[0]):
            row[0].text = said[0]


def _of(table: etree._Element) -> list[etree._Element]:
    return [cell for cell in table.iter(*_CELLS) if isinstance(cell.tag, str)]


def _reach(cell: etree._Element, way: str) -> int:
    said = (cell.get(way) or "1").strip()
    return max(1, int(said)) if said.isdecimal() and len(said) <= 4 else 1


def _spread(table: etree._Element) -> None:
    rows = list(table.iter("tr"))
    grid = _grid(rows)
    if grid is None:
        return
    _lift_titles(table, rows, grid)
    _join_names(rows, grid)
    above: list[etree._Element] = []
    for row, cells in zip(rows, grid, strict=True):
        for old in list(row):
            row.remove(old)
        is_part = len(cells) > 1 and all(cell is cells[0] for cell in cells)
        for at, cell in enumerate(cells):
            is_again = cell in (*above[at : at + 1], *cells[:at])
            # What heads a part of the table is said once.
            is_figure = cell.tag == "td" and not said_again(words_of(cell), column=at)
            is_left_out = is_again and (is_part or is_figure)
            new = etree.Element(str(cell.tag)) if is_left_out else deepcopy(cell)
            for way in ("colspan", "rowspan"):
                new.attrib.pop(way, None)
            row.append(new)
        above = cells


def _lift_titles(table: etree._Element, rows: list[etree._Element], grid: _Grid) -> None:
    """Put first rows of one cell alone before their table."""
    while len(grid) > 1 and len(grid[0]) > 1 and all(one is grid[0][0] for one in grid[0]):
        above = etree.Element("p")
        above.text = words_of(grid.pop(0)[0])
        table.addprevious(above)
        _remove(rows.pop(0))


def _join_names(rows: list[etree._Element], grid: _Grid) -> None:
    """Make one row of the first ones, where they have nothing but names."""
    named = next((at for at, row in enumerate(grid) if any(c.tag != "th" for c in row)), 0)
    if named > 1:
        grid[:named] = [[_joined([row[at] for row in grid[:named]]) for at in range(len(grid[0]))]]
        for row in rows[1:named]:
            _remove(row)
        del rows[1:named]


def _grid(rows: Sequence[etree._Element]) -> _Grid | None:
    """Return for each row the cell at every column; None where the cells do not fill a table."""
    grid: _Grid = []
    below: dict[int, tuple[int, etree._Element]] = {}
    for row in rows:
        found: list[etree._Element] = []
        cells = [cell for cell in row if cell.tag in _CELLS]
        while cells or below.get(len(found), (0, None))[0]:
            left, held = below.get(len(found), (0, None))
            if left and held is not None:
                below[len(found)] = (left - 1, held)
                found.append(held)
                continue
            cell = cells.pop(0)
            for _ in range(_reach(cell, "colspan")):
                below[len(found)] = (_reach(cell, "rowspan") - 1, cell)
                found.append(cell)
                if len(found) > _MOST_COLUMNS:
                    return None
        grid.append(found)
        if sum(map(len, grid)) > _MOST_CELLS:
            return None
    if not grid or len({len(row) for row in grid}) != 1:
        return None
    size = sum(len(words_of(cell)) for row in grid for cell in row)
    return grid if size <= _MOST_CHARACTERS else None


def _joined(cells: Sequence[etree._Element]) -> etree._Element:
    """Return one name of those that stand above each other, each said once."""
    name = etree.Element("th")
    name.text = joined_name(map(words_of, cells))
    return name


def _remove(row: etree._Element) -> None:
    parent = row.getparent()
    if parent is not None:
        parent.remove(row)
