"""Tables of separated values: one record a row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice, zip_longest

from weft.adapters.reader.column_names import names_columns, told_apart, two_lined
from weft.adapters.reader.columns import CellText, RecordCollection, collection_of
from weft.adapters.reader.decoding import decode
from weft.adapters.reader.draft import TextDraft
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus
from weft.domain.record import BlockKind, Record

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 20
_SAMPLE_CHARACTERS = 65_536
_LARGEST_CELL = 1_000_000
_COMMENT = "#"
_ABOVE = "above"
# Blanks before a quotation mark do not make it a part of the cell.
_reader = partial(csv.reader, skipinitialspace=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The cells of one row; `fault` says why they cannot be trusted."""

    cells: Sequence[str] = ()
    fault: str = ""


def read_table(source: RawFile) -> ParsedFile:
    """Return a record for each row below the header; rows count from 1, blank ones do not."""
    text = decode(source)
    if not text.strip():
        raise Unread(FileStatus.NO_TEXT, "the table is empty")
    csv.field_size_limit(_LARGEST_CELL)
    mark = "\t" if source.suffix in ("tsv", "tab") else delimiter(_uncommented(text))
    rows = _below_comments(_rows(text, mark))
    above, below = _titled(list(islice(rows, _SAMPLE_ROWS)))
    first = below.pop(0) if below else Row()
    is_named = names_columns(first.cells, below=[row.cells for row in below])
    names = list(first.cells) if is_named else [""] * len(first.cells)
    if is_named and below:
        under = [row.cells for row in below[1:]]
        if (whole := two_lined(names, below[0].cells, below=under)) is not None:
            names = whole
            below.pop(0)
    header = _header(names)
    found = collection_of(source)
    _add_above(found, above)
    if not is_named:
        below.insert(0, first)
    for number, row in enumerate(chain(below, rows), 1):
        if found.is_full:
            break
        _add(found, row, header=header, number=number)
    return _whole(found)


def _titled(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return the rows above a table, which have one cell where its rows have more, and the others.

    Those above are what it is called, and no names of columns.
    """
    filled = [sum(bool(cell.strip()) for cell in row.cells) for row in rows]
    at = next((at for at, count in enumerate(filled) if count > 1), 0)
    is_table = 2 * sum(count > 1 for count in filled[at:]) > len(filled[at:])
    return list(rows[: at * is_table]), list(rows[at * is_table :])


def _add_above(found: RecordCollection, above: Sequence[Row]) -> None:
    draft = TextDraft()
    for row in above:
        draft.add(" ".join(filter(None, map(str.strip, row.cells))), BlockKind.PARAGRAPH)
    if draft.found:
        found.put(
            Record(
                content=draft.content,
                title=found.name,
                fragment=_ABOVE,
                blocks=tuple(draft.found),
            )
        )


def _uncommented(text: str) -> str:
    """Return a text from its first line on that is no comment."""
    at = 0
    while text.startswith(_COMMENT, at) and (end := text.find("\n", at)) >= 0:
        at = end + 1
    return text[at:]


def _below_comments(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield the rows below the comments at the head of a table, the names of columns among them.

    The last comment names the columns where it has as many cells as the rows below it.
    """
    last = Row()
    for row in rows:
        if row.cells and row.cells[0].startswith(_COMMENT):
            last = row
            continue
        if len(last.cells) >= len(row.cells) > 1:
            yield Row(cells=[cell.lstrip("# ") for cell in last.cells])
        yield row
        break
    yield from rows


def _whole(found: RecordCollection) -> ParsedFile:
    if found.records:
        return ParsedFile(records=found.records, skipped=found.notes())
    if found.skipped:
        raise Unread(FileStatus.CORRUPT, f"no row can be read; {found.skipped[0]}")
    raise Unread(FileStatus.NO_TEXT, "the table has a header and no rows")


def _add(found: RecordCollection, row: Row, *, header: Sequence[str], number: int) -> None:
    extra = [cell for cell in row.cells[len(header) :] if cell.strip()]
    if row.fault:
        found.skip(number, row.fault)
    elif extra:
        found.skip(number, f"{len(row.cells)} cells where the header has {len(header)}")
    else:
        cells = map(CellText, row.cells)
        found.add(dict(zip_longest(header, islice(cells, len(header)), fillvalue="")), number)


def delimiter(text: str) -> str:
    """Return the separator under which the first rows have most cells and agree on how many."""
    sample = text[:_SAMPLE_CHARACTERS]
    return max(_DELIMITERS, key=lambda mark: _agreement(sample, mark))


def _agreement(sample: str, mark: str) -> tuple[float, int]:
    widths: list[int] = []
    try:
        for cells in _reader(io.StringIO(sample, newline=""), delimiter=mark):
            if cells:
                widths.append(len(cells))
            if len(widths) >= _SAMPLE_ROWS:
                break
    except csv.Error:
        return (0.0, 0)
    if not widths or widths[0] < 2:
        return (0.0, 0)
    return (sum(width == widths[0] for width in widths) / len(widths), widths[0])


def _header(names: Sequence[str]) -> list[str]:
    return told_apart([name.strip() or f"column{number}" for number, name in enumerate(names, 1)])


def _rows(text: str, mark: str) -> Iterator[Row]:
    """Yield the rows; after one with a quotation mark out of place, go on at the next line."""
    lines = text.removesuffix("\n").split("\n")
    at = 0
    while at < len(lines):
        begun = at
        reader = _reader(_from(lines, at), delimiter=mark, strict=True)
        try:
            for cells in reader:
                begun = at + reader.line_num
                if any(cell.strip() for cell in cells):
                    yield Row(cells=cells)
            return
        except csv.Error as wrong:
            yield _lenient(lines[begun], mark, fault=str(wrong))
            at = begun + 1


def _from(lines: list[str], at: int) -> Iterator[str]:
    for number in range(at, len(lines)):
        yield lines[number] + "\n"


def _lenient(line: str, mark: str, *, fault: str) -> Row:
    """Take a line for itself if its quotation marks come in pairs or are plain characters in it."""
    opened = any(cell.lstrip().startswith('"') for cell in line.split(mark))
    if opened and line.count('"') % 2:
        return Row(fault=f"not a row of the table ({fault})")
    if not opened:
        return Row(cells=line.split(mark))
    return Row(cells=next(_reader([line], delimiter=mark), []))
