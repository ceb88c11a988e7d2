"""Sheets (xlsx, xlsm): the stored values of cells, formulas never computed, a record a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta

from lxml import etree

from weft.adapters.reader.columns import Cell, collection_of
from weft.adapters.reader.grids.grid import CellSheet, SheetRow, add_sheet, column_number, whole
from weft.adapters.reader.packed import opc
from weft.adapters.reader.packed.markup import attribute, child, elements, local, tree, within
from weft.adapters.reader.packed.package import Package
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus

_PLACE = re.compile(r"([A-Za-z]{1,3})(\d{1,7})")
# Built-in formats of dates and times; 27 to 36 and 50 to 58 are those of Korean and its neighbours.
_DATE_FORMATS = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_SHARE_FORMATS = frozenset({9, 10})
_TIME_FORMATS = {18: "h:mm", 19: "h:mm:ss", 20: "h:mm", 21: "h:mm:ss", 45: "mm:ss", 47: "mm:ss"}
_BUILT_IN = {22: "m/d/y h:mm", 46: "[h]:mm:ss", 32: "h:mm", 33: "h:mm:ss"}
_SAID_ASIDE = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_ELAPSED = re.compile(r"\[[hms]+\]", re.IGNORECASE)
_EPOCH, _EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)  # noqa: DTZ001 (sheets know no zone)
# Sheets count a 29 February 1900 that never was.
_LAST_WRONG_DAY = 60
_LAST_DAY = 2_958_466
_MOST_MERGED = 10_000
_DIGITS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbook:
    """What all sheets of a workbook share: its texts, the formats of its styles, its first day."""

    texts: Sequence[str]
    formats: Sequence[str]
    epoch: datetime


def read_sheets(source: RawFile) -> ParsedFile:
    """Return a record for each row of each sheet, hidden ones too; a broken sheet is named."""
    package = Package(source.data)
    part = opc.main_part(package)
    if part.endswith(".bin"):
        raise Unread(FileStatus.UNSUPPORTED, "a binary workbook (xlsb); save it as xlsx")
    root = tree(package.read(part), part)
    book = _workbook(package, part, root=root)
    pointers = opc.relations(package, part)
    found = collection_of(source)
    for element in within(child(root, "sheets"), "sheet"):
        name = element.get("name", "")
        key = next((value for at, value in element.items() if at.endswith("}id")), "")
        place = pointers[key].target if key in pointers else ""
        try:
            rows = _rows(package.read(place), place, book=book)
            add_sheet(found, CellSheet(name=name, rows=rows, comments=_comments(package, place)))
        except Unread as wrong:
            if wrong.status is not FileStatus.CORRUPT:
                raise
            found.skip(name, wrong.message)
    return whole(found)


def _workbook(package: Package, part: str, *, root: etree._Element) -> Workbook:
    texts: list[str] = []
    for place in opc.related(package, part, kind="sharedStrings"):
        texts += [_text(each) for each in elements(package.read(place), "si", part=place)]
    formats: list[str] = []
    for place in opc.related(package, part, kind="styles"):
        formats = _formats(tree(package.read(place), place))
    said = child(root, "workbookPr")
    is_1904 = said is not None and said.get("date1904") in ("1", "true", "on")
    return Workbook(texts=texts, formats=formats, epoch=_EPOCH_1904 if is_1904 else _EPOCH)


def _text(element: etree._Element) -> str:
    """Return a text with its differently written runs, without how it is pronounced."""
    return "".join(
        each.text or ""
        for each in within(element, "t")
        if not any(local(above) == "rPh" for above in each.iterancestors())
    )


def _formats(styles: etree._Element) -> list[str]:
    """Return for each style the marks of its format of dates or shares, else an empty text."""
    named = {
        attribute(each, "numFmtId"): attribute(each, "formatCode")
        for each in within(child(styles, "numFmts"), "numFmt")
    }
    own = child(styles, "cellXfs")
    return [_marks(each.get("numFmtId", "0"), named) for each in own] if own is not None else []


def _marks(key: str, named: Mapping[str, str]) -> str:
    if key in named:
        code = _SAID_ASIDE.sub("", named[key].partition(";")[0]).casefold()
        if code.endswith("%"):
            return "%"
        is_date = any(mark in code for mark in "ymdhs") and "general" not in code
        return code if is_date else ""
    number = int(key) if key.isdigit() else 0
    if number in _SHARE_FORMATS:
        return "%"
    if number not in _DATE_FORMATS:
        return ""
    return _BUILT_IN.get(number) or _TIME_FORMATS.get(number, "yyyy-mm-dd")


@dataclass(slots=True)
class _Merged:
    """Columns whose cells go on downwards: where, to which row, and with which value."""

    ranges: Mapping[tuple[int, int], int]
    open: dict[int, tuple[int, Cell]] = field(default_factory=dict)

    def fill(self, number: int, cells: dict[int, Cell]) -> None:
        """Put the value of a merged cell into a row that it covers."""
        for column, (last, value) in list(self.open.items()):
            if number > last:
                del self.open[column]
            elif cells:
                cells.setdefault(column, value)
        for column, value in cells.items():
            if (number, column) in self.ranges:
                self.open[column] = (self.ranges[number, column], value)


def _rows(data: bytes, part: str, *, book: Workbook) -> Iterator[SheetRow]:
    merged = _Merged(ranges=_merged(data, part))
    last = 0
    for row in elements(data, "row", part=part):
        said = row.get("r", "")
        last = int(said) if said.isdigit() else last + 1
        cells: dict[int, Cell] = {}
        column = -1
        for cell in row:
            place = _PLACE.match(cell.get("r", ""))
            column = column_number(place[1]) if place else column + 1
            value = _value(cell, book)
            if value is not None and value != "":
                cells[column] = value
        merged.fill(last, cells)
        yield SheetRow(number=last, cells=dict(sorted(cells.items())))


def _merged(data: bytes, part: str) -> dict[tuple[int, int], int]:
    """Return the cells that go on in the rows below, with the last of these rows."""
    found: dict[tuple[int, int], int] = {}
    if b"mergeCell" not in data:
        return found
    for each in elements(data, "mergeCell", part=part):
        ends = [_PLACE.fullmatch(end) for end in each.get("ref", "").split(":")]
        if len(ends) == 2 and ends[0] and ends[1]:
            first, last = int(ends[0][2]), int(ends[1][2])
            if first < last <= first + _MOST_MERGED:
                found[first, column_number(ends[0][1])] = last
    return found


def _value(cell: etree._Element, book: Workbook) -> Cell:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        inline = child(cell, "is")
        return "" if inline is None else _text(inline)
    stored = child(cell, "v")
    said = "" if stored is None else stored.text or ""
    if kind == "s":
        at = int(said) if said.isdigit() else -1
        return book.texts[at] if 0 <= at < len(book.texts) else ""
    if kind == "b":
        return said.strip() in ("1", "true") if said else ""
    return _number(said, cell.get("s", "0"), book=book) if kind == "n" else said


def _number(said: str, style: str, *, book: Workbook) -> Cell:
    try:
        number = float(said)
    except ValueError:
        return said
    at = int(style) if style.isdigit() else 0
    marks = book.formats[at] if at < len(book.formats) else ""
    if marks == "%":
        share = rounded(number * 100)
        return f"{int(share) if share.is_integer() else share}%"
    if marks and 0 <= number < _LAST_DAY:
        return _moment(number, marks, epoch=book.epoch)
    return int(number) if number.is_integer() and abs(number) < 10**_DIGITS else rounded(number)


def rounded(number: float) -> float:
    """Return a number with the digits that sheets keep, so that 0.1 + 0.2 is 0.3."""
    return float(f"{number:.{_DIGITS}g}")


def _moment(number: float, marks: str, *, epoch: datetime) -> str:
    """Return a day, a time or both, as ISO writes them; a length of time as hours."""
    if _ELAPSED.search(marks):
        seconds = round(number * 86_400)
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if epoch is _EPOCH and number < _LAST_WRONG_DAY:
        number += 1
    moment = epoch + timedelta(seconds=round(number * 86_400))
    has_day = any(mark in marks for mark in "yd") or ("m" in marks and not set("hs") & set(marks))
    has_time = any(mark in marks for mark in "hs")
    if has_day and has_time:
        return moment.isoformat(sep=" ", timespec="minutes")
    return moment.date().isoformat() if has_day else moment.time().isoformat()


def _comments(package: Package, part: str) -> list[str]:
    """Return a sheet's comments: where, who, what."""
    found: list[str] = []
    for place in opc.related(package, part, kind="comments"):
        root = tree(package.read(place), place)
        authors = ["".join(each.itertext()) for each in within(root, "author")]
        for each in within(root, "comment"):
            at = each.get("authorId", "")
            author = authors[int(at)] if at.isdigit() and int(at) < len(authors) else ""
            said = " ".join(_text(each).split())
            who = "" if not author or said.startswith(author) else f" {author}:"
            found.append(f"{each.get('ref', '')}{who} {said}")
    return found
