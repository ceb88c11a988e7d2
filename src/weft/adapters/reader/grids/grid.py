"""Sheets of cells as tables: where the header is, what stands above it, a record a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

from weft.adapters.reader.column_names import names_columns, two_lined
from weft.adapters.reader.columns import Cell, RecordCollection
from weft.adapters.reader.draft import Aside, TextDraft
from weft.adapters.reader.grids.arranging import (
    MOST_ACROSS,
    MOST_ARRANGED,
    NumberedRow,
    arranged,
    is_blank,
)
from weft.adapters.reader.grids.heads import head_of
from weft.adapters.reader.grids.regions import corners, names_readers, regions, titles
from weft.adapters.reader.parsed import ParsedFile, Unread
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus
from weft.domain.record import BlockKind, Record
from weft.language.captions import captioned_unit, in_unit
from weft.language.layout import told_apart

# How far down a sheet its header may stand, and how much of the rows' width it must name.
_BEGINNING = 20
_LEAST_NAMED = 0.5
_LETTERS = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRow:
    """A row's number as the sheet shows it, and its cells that are not empty, by column from 0."""

    number: int
    cells: Mapping[int, Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellSheet:
    """A sheet: its name, its rows in order, its comments in words, and what its text boxes say."""

    name: str
    rows: Iterable[SheetRow]
    comments: Sequence[str] = ()
    boxes: Sequence[str] = ()


def add_sheet(found: RecordCollection, sheet: CellSheet) -> None:
    """Add a record for each row below the header, one for what stands above it and beside it.

    A sheet of one column is text: a paragraph a row. Of several tables in a sheet each is named by
    what stands above it.
    """
    rows = iter(sheet.rows)
    first = list(islice(rows, MOST_ARRANGED + 1))
    is_large = len(first) > MOST_ARRANGED or _width(first) > MOST_ACROSS
    if is_large or any(_has_readers(row, found.columns) for row in first):
        _add_as_it_stands(found, sheet, chain(first, rows))
        return
    tables = [_headed(part) or _table(part, found.columns) for part in _parts(first) or [[]]]
    named = corners([[header[key] for key in sorted(header)] for _, header, _ in tables])
    names = named or titles([[[*row.cells.values()] for row in above] for above, *_ in tables])
    for at, (above, header, below) in enumerate(tables):
        if named:  # what stands in the corner says of what all of the table is
            header = {key: header[key] for key in sorted(header)[1:]}
        name = f"{sheet.name} {names[at]}" if len(tables) > 1 else sheet.name
        own = replace(sheet, name=name, rows=())
        if at:
            own = replace(own, comments=(), boxes=())
        _add_text(found, own, above)
        unit = captioned_unit(str(cell) for row in above for cell in row.cells.values())
        _add_rows(found, own, below, header=header, unit=unit)


def _has_readers(row: SheetRow, columns: Mapping[str, str]) -> bool:
    cells = [*row.cells.values()]
    return names_readers([NumberedRow(number=row.number, cells=cells)], columns)


def _width(rows: Sequence[SheetRow]) -> int:
    """Return how many columns some rows reach over."""
    places = [at for row in rows for at in row.cells]
    return max(places) - min(places) + 1 if places else 0


def _parts(rows: Sequence[SheetRow]) -> list[list[SheetRow]]:
    """Return the rows of each table of a sheet."""
    by_number = {row.number: row.cells for row in rows if row.cells}
    columns = sorted({at for cells in by_number.values() for at in cells})
    if not columns:
        return []
    filled = [row for row in rows if row.cells]
    numbers = range(min(by_number), max(by_number) + 1)
    # A broken workbook may number two rows alike.
    if len(numbers) > MOST_ARRANGED or [row.number for row in filled] != sorted(by_number):
        return [filled]
    across = range(columns[0], columns[-1] + 1)
    empty: Mapping[int, Cell] = {}
    grid = [
        NumberedRow(
            number=number,
            cells=[by_number.get(number, empty).get(at, "") for at in across],
            first=across.start,
        )
        for number in numbers
    ]
    return [[_sheet_row(row) for row in part] for part in regions(grid)]


def _sheet_row(row: NumberedRow) -> SheetRow:
    cells = {at: cell for at, cell in enumerate(row.cells, row.first) if not is_blank(cell)}
    return SheetRow(number=row.number, cells=cells)


_Table = tuple[list[SheetRow], Mapping[int, str], list[SheetRow]]


def _headed(rows: Sequence[SheetRow]) -> _Table | None:
    """Return the same as `_table` where figures tell which lines name the columns, else None."""
    keys = sorted({at for row in rows for at in row.cells})
    head = head_of([[_name(row.cells.get(key, "")) for key in keys] for row in rows])
    if head is None:
        return None
    named = [(key, name) for key, name in zip(keys, head.names, strict=True) if name]
    names = told_apart([name for _, name in named])
    header = dict(zip([key for key, _ in named], names, strict=True))
    return list(rows[: head.above]), header, list(rows[head.above + head.lines :])


def _table(rows: Sequence[SheetRow], columns: Mapping[str, str]) -> _Table:
    """Return what stands above a table, what its columns are called, and its rows.

    A row that may have readers of its own is not read into the names.
    """
    at = _header_at(rows[:_BEGINNING])
    if max((len(row.cells) for row in rows[:_BEGINNING]), default=0) < 2:
        return list(rows), {}, []
    if at is None:
        return [], {}, list(rows)
    if _has_readers(rows[at], columns):
        names = told_apart([_name(cell) for cell in rows[at].cells.values()])
        return list(rows[:at]), dict(zip(rows[at].cells, names, strict=True)), list(rows[at + 1 :])
    header, lines = _header(rows[at:])
    return list(rows[:at]), header, list(rows[at + lines :])


def _add_as_it_stands(found: RecordCollection, sheet: CellSheet, rows: Iterator[SheetRow]) -> None:
    """Add the rows of a sheet as they come."""
    filled = (row for row in rows if row.cells)
    above, header, below = _table(list(islice(filled, _BEGINNING)), found.columns)
    is_text = not below
    _add_text(found, sheet, [*above, *filled] if is_text else above)
    for row in chain(below, filled):
        if found.is_full:
            return
        found.add(_named(row, header), row.number, sheet=sheet.name)


def _add_rows(
    found: RecordCollection,
    sheet: CellSheet,
    rows: Sequence[SheetRow],
    *,
    header: Mapping[int, str],
    unit: str,
) -> None:
    """Add the rows of a table as they are laid out, with the unit that a caption says for it."""
    columns = sorted({*header, *(at for row in rows for at in row.cells)})
    names = [header.get(at, "") for at in columns]
    cells = [
        NumberedRow(number=row.number, cells=[row.cells.get(at, "") for at in columns])
        for row in rows
    ]
    named, laid = arranged(names, cells)
    front = len(named) - len(names)
    said = told_apart(
        [
            name or f"column{columns[at - front] + 1}" if at >= front else name
            for at, name in enumerate(named)
        ]
    )
    said = in_unit(
        unit, said, columns=[[_name(row.cells[at]) for row in laid] for at in range(len(said))]
    )
    for row in laid:
        if found.is_full:
            return
        own = zip(said, row.cells, strict=True)
        found.add(
            {name: cell for name, cell in own if not is_blank(cell)}, row.number, sheet=sheet.name
        )


def whole(found: RecordCollection) -> ParsedFile:
    """Return what a workbook holds; `Unread` where that is nothing."""
    if found.records:
        return ParsedFile(records=found.records, skipped=found.notes())
    if found.skipped:
        raise Unread(FileStatus.CORRUPT, f"no row can be read; {found.skipped[0]}")
    raise Unread(FileStatus.NO_TEXT, "its sheets are empty")


def column_number(letters: str) -> int:
    """Return the column of letters as sheets write them, from 0; -1 for none."""
    number = 0
    for letter in letters.upper():
        number = number * _LETTERS + ord(letter) - ord("A") + 1
    return number - 1


def _header_at(rows: Sequence[SheetRow]) -> int | None:
    """Return which row names the columns: of those that could, the first of the widest.

    What stands above a table are words as well, but seldom as many beside each other.
    """
    best: int | None = None
    for at, row in enumerate(rows[:-1]):
        widest = max(len(other.cells) for other in rows[at + 1 :])
        enough = len(row.cells) >= max(2, widest * _LEAST_NAMED)
        if not (enough and _names(row, rows[at + 1 :])):
            if best is not None and len(row.cells) > 1:
                break  # a row with values: the names stand above it
            continue
        if best is None or len(row.cells) > len(rows[best].cells):
            best = at
    return best


def _header(rows: Sequence[SheetRow]) -> tuple[Mapping[int, str], int]:
    """Return what columns are called by the first of some rows, and by how many of them: 1 or 2."""
    named, *below = rows
    if below:
        keys = sorted({*named.cells, *below[0].cells})
        cells = [[_name(row.cells.get(key, "")) for key in keys] for row in rows]
        spread = two_lined(cells[0], cells[1], below=cells[2:])
        if spread is not None:
            return dict(zip(keys, told_apart(spread), strict=True)), 2
    names = [_name(cell) for cell in named.cells.values()]
    return dict(zip(named.cells, told_apart(names), strict=True)), 1


def _names(row: SheetRow, below: Sequence[SheetRow]) -> bool:
    """Tell whether the cells of a row name the columns of those below it."""
    told = [_name(cell) for cell in row.cells.values()]
    under = [[_name(other.cells.get(key, "")) for key in row.cells] for other in below]
    return names_columns(told, below=under)


def _named(row: SheetRow, header: Mapping[int, str]) -> dict[str, Cell]:
    return {header.get(key) or f"column{key + 1}": cell for key, cell in row.cells.items()}


def _name(cell: Cell) -> str:
    return " ".join(str(cell).split())


def _add_text(found: RecordCollection, sheet: CellSheet, above: Iterable[SheetRow]) -> None:
    draft = TextDraft()
    draft.add(sheet.name, BlockKind.HEADING, level=1)
    for row in above:
        if len(row.cells) > 1:
            draft.row([str(cell) for cell in row.cells.values()])
        else:
            draft.add(_name(*row.cells.values()), BlockKind.PARAGRAPH)
    for text in sheet.boxes:
        draft.add(text, BlockKind.PARAGRAPH)
    if sheet.comments:
        draft.aside(Aside.COMMENTS, level=2)
    for comment in sheet.comments:
        draft.add(comment, BlockKind.PARAGRAPH)
    if len(draft.found) > 1:
        found.put(
            Record(
                content=draft.content,
                title=f"{found.name} {sheet.name}",
                fragment=sheet.name,
                blocks=tuple(draft.found),
                metadata={"sheet": sheet.name},
            )
        )
