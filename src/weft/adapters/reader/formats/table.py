"""Tables of separated values: one record a row."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, zip_longest
from operator import itemgetter

from weft.adapters.reader.column_names import names_columns, two_lined
from weft.adapters.reader.columns import CellText, RecordCollection, collection_of
from weft.adapters.reader.decoding import decode
from weft.adapters.reader.draft import TextDraft
from weft.adapters.reader.grids.arranging import MOST_ACROSS, MOST_ARRANGED, NumberedRow, arranged
from weft.adapters.reader.grids.heads import head_of
from weft.adapters.reader.grids.regions import corners, names_readers, regions, titles
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus
from weft.domain.record import BlockKind, Record
from weft.language.layout import told_apart

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
    """Return a record for each row below the header; rows count from 1, blank ones do not.

    Of several tables in one file each is named by what stands above it.
    """
    text = decode(source)
    if not text.strip():
        raise Unread(FileStatus.NO_TEXT, "the table is empty")
    csv.field_size_limit(_LARGEST_CELL)
    mark = "\t" if source.suffix in ("tsv", "tab") else delimiter(_uncommented(text))
    rows = _below_comments(_rows(text, mark))
    first = list(islice(rows, MOST_ARRANGED + 1))
    found = collection_of(source)
    parts = [] if len(first) > MOST_ARRANGED else _parts(first, columns=source.columns)
    if not parts:
        _add_as_it_stands(found, chain(first, rows))
    headed = [_headed(part, columns=source.columns) for part in parts]
    told = corners([names for _, names, _ in headed])
    named = told or titles([[row.cells for row in above] for above, *_ in headed])
    for name, (above, names, below) in zip(named, headed, strict=True):
        sheet = name if len(parts) > 1 else ""
        if told:  # what stands in the corner says of what all of the table is
            names = ["", *names[1:]]
        _add_above(found, above, sheet=sheet)
        _add_arranged(found, names, below, sheet=sheet)
    return _whole(found)


def _parts(rows: Sequence[Row], *, columns: Mapping[str, str]) -> list[list[Row]]:
    """Return the rows of each table of a file; none where they are to be taken as they stand."""
    width = max((len(row.cells) for row in rows), default=0)
    if width > MOST_ACROSS:
        return []
    padded = [
        NumberedRow(number=at, cells=[*row.cells, *[""] * (width - len(row.cells))])
        for at, row in enumerate(rows)
    ]
    if names_readers(padded, columns):
        return []
    if any(row.fault for row in rows):
        return [[row for row in rows if row.fault or any(map(str.strip, row.cells))]]
    parts = regions(padded)
    if len(parts) < 2:
        return [[rows[row.number] for row in part] for part in parts]
    return [[Row(cells=[str(cell) for cell in row.cells]) for row in part] for part in parts]


def _named(below: Sequence[Row], *, columns: Mapping[str, str]) -> tuple[list[str], int]:
    """Return what columns are called, an empty text where they are not, by how many first rows.

    A row that may have readers of its own is not read into the names.
    """
    first, *others = below or [Row()]
    cells = [row.cells for row in others[:_SAMPLE_ROWS]]
    is_named = names_columns(first.cells, below=cells)
    is_open = not names_readers([NumberedRow(number=0, cells=first.cells)], columns)
    whole = two_lined(first.cells, cells[0], below=cells[1:]) if cells and is_open else None
    if whole is not None and (is_named or all(map(str.strip, cells[0]))):
        return whole, 2
    return (list(first.cells), 1) if is_named else ([""] * len(first.cells), 0)


def _add_as_it_stands(found: RecordCollection, rows: Iterator[Row]) -> None:
    """Add the rows of a table as they come."""
    filled = (row for row in rows if row.fault or any(map(str.strip, row.cells)))
    above, below = _titled(list(islice(filled, _SAMPLE_ROWS)))
    _add_above(found, above)
    names, lines = _named(below, columns=found.columns)
    header = _header(names)
    for number, row in enumerate(chain(below[lines:], filled), 1):
        if found.is_full:
            break
        if fault := _fault_of(row, width=len(header)):
            found.skip(number, fault)
        else:
            _add(found, row.cells, header=header, number=number)


def _headed(
    rows: Sequence[Row], *, columns: Mapping[str, str]
) -> tuple[Sequence[Row], Sequence[str], Sequence[Row]]:
    """Return what stands above a table, what its columns are called, and its rows."""
    width = max((len(row.cells) for row in rows), default=0)
    is_whole = not any(row.fault for row in rows)
    head = head_of([[*row.cells, *[""] * (width - len(row.cells))] for row in rows])
    if is_whole and head is not None:
        return rows[: head.above], head.names, rows[head.above + head.lines :]
    above, below = _titled(rows)
    names, lines = _named(below, columns=columns)
    return above, names, below[lines:]


def _add_arranged(
    found: RecordCollection, names: Sequence[str], rows: Sequence[Row], *, sheet: str
) -> None:
    """Add the rows of a table as they are laid out."""
    width, faults = len(names), dict[int, str]()
    good: list[NumberedRow] = []
    for at, row in enumerate(rows, 1):
        if fault := _fault_of(row, width=width):
            faults[at] = fault
        else:
            cells = [*row.cells[:width], *[""] * (width - len(row.cells))]
            good.append(NumberedRow(number=at, cells=cells))
    named, laid = arranged(names, good)
    header = _header(named)
    told = [*((at, None) for at in faults), *((row.number, row) for row in laid)]
    for at, one in sorted(told, key=itemgetter(0)):
        if found.is_full:
            return
        if one is None:
            found.skip(at, faults[at])
        else:
            _add(found, [str(cell) for cell in one.cells], header=header, number=at, sheet=sheet)


def _titled(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return the rows above a table, which have one cell where its rows have more, and the others.

    Those above are what it is called, and no names of columns.
    """
    filled = [sum(bool(cell.strip()) for cell in row.cells) for row in rows]
    at = next((at for at, count in enumerate(filled) if count > 1), 0)
    is_table = 2 * sum(count > 1 for count in filled[at:]) > len(filled[at:])
    return list(rows[: at * is_table]), list(rows[at * is_table :])


def _add_above(found: RecordCollection, above: Sequence[Row], *, sheet: str = "") -> None:
    draft = TextDraft()
    for row in above:
        draft.add(" ".join(filter(None, map(str.strip, row.cells))), BlockKind.PARAGRAPH)
    if draft.found:
        found.put(
            Record(
                content=draft.content,
                title=found.name,
                fragment=f"{sheet}!{_ABOVE}" if sheet else _ABOVE,
                blocks=tuple(draft.found),
                metadata={"sheet": sheet} if sheet else {},
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
        if last.cells and not any(row.cells):
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


def _fault_of(row: Row, *, width: int) -> str:
    """Return why a row cannot be trusted; empty where it can."""
    if row.fault or not any(cell.strip() for cell in row.cells[width:]):
        return row.fault
    return f"{len(row.cells)} cells where the header has {width}"


def _add(
    found: RecordCollection,
    cells: Sequence[str],
    *,
    header: Sequence[str],
    number: int,
    sheet: str = "",
) -> None:
    said = islice(map(CellText, cells), len(header))
    found.add(dict(zip_longest(header, said, fillvalue="")), number, sheet=sheet)


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
    # Lines above a table have a cell each: most rows say how many it has.
    across = Counter(width for width in widths if width > 1)
    if not across:
        return (0.0, 0)
    width, count = max(across.items(), key=lambda one: (one[1], one[0]))
    return (count / len(widths), width)


def _header(names: Sequence[str]) -> list[str]:
    return told_apart([name.strip() or f"column{number}" for number, name in enumerate(names, 1)])


def _rows(text: str, mark: str) -> Iterator[Row]:
    """Yield the rows, blank ones too; after a quotation mark out of place, go on a line below."""
    lines = text.removesuffix("\n").split("\n")
    at = 0
    while at < len(lines):
        begun = at
        reader = _reader(_from(lines, at), delimiter=mark, strict=True)
        try:
            for cells in reader:
                begun = at + reader.line_num
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
