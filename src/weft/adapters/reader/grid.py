"""Sheets of cells as tables: where the header is, what stands above it, a record a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from weft.adapters.reader.column_names import names_columns, told_apart, two_lined
from weft.adapters.reader.columns import Cell, RecordCollection
from weft.adapters.reader.draft import Aside, TextDraft
from weft.adapters.reader.parsed import ParsedFile, Unread
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus
from weft.domain.record import BlockKind, Record

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
    """A sheet: its name, its rows in order, and its comments in words."""

    name: str
    rows: Iterable[SheetRow]
    comments: Sequence[str] = ()


def add_sheet(found: RecordCollection, sheet: CellSheet) -> None:
    """Add a record for each row below the header, one for what stands above it and beside it.

    A sheet of one column is text: a paragraph a row.
    """
    rows = iter(sheet.rows)
    first = [row for row in islice(rows, _BEGINNING) if row.cells]
    at = _header_at(first)
    widest = max((len(row.cells) for row in first), default=0)
    above = first if widest < 2 else first[: at or 0]
    rest: Iterator[SheetRow] = chain(first[len(above) :], rows)
    header: Mapping[int, str] = {}
    if at is not None:
        header, lines = _header(first[at:])
        rest = chain(first[at + lines :], rows)
    if widest < 2:
        above, rest = [*above, *rest], iter(())
    _add_text(found, sheet, above)
    for row in rest:
        if found.is_full:
            return
        if row.cells:
            found.add(_named(row, header), row.number, sheet=sheet.name)


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
