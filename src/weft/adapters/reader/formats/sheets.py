"""Sheets (xlsx, xlsm): the stored values of cells, formulas never computed, a record a row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import datetime, timedelta

from lxml import etree

from weft.adapters.reader.columns import Cell, collection_of
from weft.adapters.reader.grids.grid import CellSheet, SheetRow, add_sheet, column_number, whole
from weft.adapters.reader.grids.number_formats import (
    DIGITS,
    PLAIN,
    NumberFormat,
    amount,
    built_in,
    format_of,
    rounded,
    share,
)
from weft.adapters.reader.packed import opc
from weft.adapters.reader.packed.markup import attribute, child, elements, local, tree, within
from weft.adapters.reader.packed.package import Package
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus

_PLACE = re.compile(r"([A-Za-z]{1,3})(\d{1,7})")
_ELAPSED = re.compile(r"\[[hms]+\]", re.IGNORECASE)
_EPOCH, _EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)  # noqa: DTZ001 (sheets know no zone)
# Sheets count a 29 February 1900 that never was.
_LAST_WRONG_DAY = 60
_LAST_DAY = 2_958_466
_MOST_MERGED = 10_000
_LONGEST_FORMULA = 200
_MOST_COLUMNS_NAMED = 10
_MOST_BOXED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbook:
    """What all sheets of a workbook share: its texts, the formats of its styles, its first day."""

    texts: Sequence[str]
    formats: Sequence[NumberFormat]
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
            uncomputed = Counter[str]()
            rows = _rows(package.read(place), place, book=book, uncomputed=uncomputed)
            beside = (_comments(package, place), _boxes(package, place))
            add_sheet(found, CellSheet(name=name, rows=rows, comments=beside[0], boxes=beside[1]))
            found.remarks += _uncomputed(name, uncomputed)
        except Unread as wrong:
            if wrong.status is not FileStatus.CORRUPT:
                raise
            found.skip(name, wrong.message)
    return whole(found)


def _uncomputed(sheet: str, columns: Counter[str]) -> list[str]:
    """Return what is said of formulas that no program has computed."""
    if not columns:
        return []
    where = ", ".join(list(columns)[:_MOST_COLUMNS_NAMED])
    return [
        f"sheet {sheet}: {columns.total()} formulas have no stored value (column {where}); open and"
        " save it in a program for sheets"
    ]


def _workbook(package: Package, part: str, *, root: etree._Element) -> Workbook:
    texts: list[str] = []
    for place in opc.related(package, part, kind="sharedStrings"):
        texts += [_text(each) for each in elements(package.read(place), "si", part=place)]
    formats: list[NumberFormat] = []
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


def _formats(styles: etree._Element) -> list[NumberFormat]:
    """Return for each style how it shows numbers."""
    named = {
        attribute(each, "numFmtId"): attribute(each, "formatCode")
        for each in within(child(styles, "numFmts"), "numFmt")
    }
    own = child(styles, "cellXfs")
    return [_format(each.get("numFmtId", "0"), named) for each in own] if own is not None else []


def _format(key: str, named: Mapping[str, str]) -> NumberFormat:
    if key in named:
        return format_of(named[key])
    return built_in(int(key)) if key.isdigit() else PLAIN


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


def _rows(
    data: bytes, part: str, *, book: Workbook, uncomputed: Counter[str]
) -> Iterator[SheetRow]:
    """Yield the rows of a sheet; count by column the formulas that have no stored value."""
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
                if _is_uncomputed(cell, value):
                    uncomputed[place[1] if place else str(column + 1)] += 1
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
    if kind == "n" and not said.strip():
        return _formula(cell)
    return _number(said, cell.get("s", "0"), book=book) if kind == "n" else said


def _is_uncomputed(cell: etree._Element, value: Cell) -> bool:
    is_formula = isinstance(value, str) and value.startswith("=")
    return is_formula and cell.get("t", "n") == "n"


def _formula(cell: etree._Element) -> str:
    """Return the formula of a cell that nothing is stored for, as it is written; nothing is none.

    One that is shared with other cells is written in the first of them alone.
    """
    formula = child(cell, "f")
    return "" if formula is None else f"={(formula.text or '…')[:_LONGEST_FORMULA]}"


def _number(said: str, style: str, *, book: Workbook) -> Cell:
    try:
        number = float(said)
    except ValueError:
        return said
    at = int(style) if style.isdigit() else 0
    shown = book.formats[at] if at < len(book.formats) else PLAIN
    if shown.is_share:
        return share(number)
    if shown.moment and 0 <= number < _LAST_DAY:
        return _moment(number, shown.moment, epoch=book.epoch)
    is_whole = number.is_integer() and abs(number) < 10**DIGITS
    plain = int(number) if is_whole else rounded(number)
    if shown.unit:
        return amount(plain, shown.unit, is_before=shown.is_before)
    return f"{plain:0{shown.digits}}" if shown.digits and is_whole and plain >= 0 else plain


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


def _boxes(package: Package, part: str) -> list[str]:
    """Return what stands in a sheet's text boxes and shapes, a text a paragraph; hidden ones not.

    A broken drawing takes nothing from the cells: it says nothing.
    """
    found: list[str] = []
    for place in opc.related(package, part, kind="drawing"):
        with suppress(Unread):
            for shape in within(tree(package.read(place), place), "sp"):
                own = child(shape, "nvSpPr", "cNvPr")
                if own is not None and own.get("hidden") in ("1", "true"):
                    continue
                lines = (
                    " ".join(_text(line).split()) for line in within(child(shape, "txBody"), "p")
                )
                found += [line for line in lines if line]
    return found[:_MOST_BOXED]
