"""PDF: the text of each page with what is filled in or noted on it, a batch of pages at a time."""

from __future__ import annotations

import io
import re
import time
import zlib
from contextlib import suppress
from datetime import datetime
from itertools import pairwise

from pypdf import PageObject, PdfReader
from pypdf._cmap import _predefined_cmap
from pypdf.errors import DependencyError, PyPdfError
from pypdf.generic import DictionaryObject, PdfObject

from weft.adapters.reader.dates import instant
from weft.adapters.reader.draft import MOST_CHARACTERS, sane_title
from weft.adapters.reader.formats.aligned import ROW, may_hold_tables, with_tables
from weft.adapters.reader.parsed import NO_TEXT_LAYER, ParsedFile, RawFile, Unread
from weft.domain.document import Value
from weft.domain.ledger import FileStatus
from weft.domain.record import Block, BlockKind, Record
from weft.language.hangul import composed

# A batch ends after this much of the processor's time: far below what kills the process.
_BATCH_SECONDS = 15.0
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
# Letters are not equally wide: a line so much shorter than others surely had room for more.
_ROOM = 0.8
_GOES_ON = re.compile(r"[,;(–—-]\s*$")
# Of a page so many fields and notes are read, each so long; a field may stand below so many others.
_MOST_NOTES, _LONGEST_NOTE, _DEEPEST_FIELD = 2_000, 10_000, 20
# What is not shown: marks of annotations, hidden or for no screen; a field that is a password.
_HIDDEN, _PASSWORD = 0x02 | 0x20, 0x2000
_NOTES = ("/FreeText", "/Text")
_MOST_XOBJECTS = 100
_DRAWN_IN_PLACE = re.compile(rb"(?:^|\s)BI\s[^\0]{2,300}?\sID\s")
# Encodings that stand in the PDF standard and that pypdf takes for UTF-16: without them what is
# written in fonts of the system, as Korean and Japanese programs do, is read as other signs.
_ENCODINGS = {
    "cp949": "KSC-EUC KSCms-UHC KSCms-UHC-HW KSCpc-EUC",
    "johab": "KSC-Johab",
    "cp932": "83pv-RKSJ 90ms-RKSJ 90msp-RKSJ 90pv-RKSJ Add-RKSJ Ext-RKSJ",
    "euc_jp": "EUC",
    "cp950": "B5pc",
    "big5hkscs": "HKscs-B5",
    "utf-16-be": "UniKS-UTF16 UniJIS2004-UTF16",
    "utf-32-be": "UniKS-UTF32 UniJIS-UTF32 UniGB-UTF32 UniCNS-UTF32",
}
for _codec, _names in _ENCODINGS.items():
    for _name in _names.split():
        _predefined_cmap |= {f"/{_name}-{way}": _codec for way in "HV"}
_LONE = re.compile(r"[\ud800-\udfff]")
PAGE_FAULTS = (
    PyPdfError,
    DependencyError,
    zlib.error,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
    AssertionError,
    OSError,
)


def read_pdf(source: RawFile, first_page: int = 0) -> ParsedFile:
    """Return the text from `first_page` (0-based) on as one record, and where to go on.

    A page that cannot be read is named and the others are kept; so is one that only has a picture.
    """
    reader = _opened(source.data)
    pages = len(reader.pages)
    deadline = time.process_time() + _BATCH_SECONDS
    text, found, skipped = _Text(), first_page, list[str]()
    while found < pages and (found == first_page or time.process_time() < deadline):
        found += 1
        try:
            page = reader.pages[found - 1]
            said, notes = _page_text(page), _noted(page)
            text.add("\n\n".join([said.strip(), *notes]), found)
            if not said.strip() and _has_picture(page):
                skipped.append(f"page {found}: {NO_TEXT_LAYER}")
        except PAGE_FAULTS as wrong:
            skipped.append(f"page {found}: {type(wrong).__name__}")
    record = Record(
        content="".join(text.parts),
        title=_title(reader) or source.name,
        blocks=tuple(text.found),
        metadata={**_facts(reader), "pages": pages},
        created=_moment(reader, "creation_date"),
        updated=_moment(reader, "modification_date"),
    )
    return ParsedFile(records=[record], skipped=skipped, next_page=found if found < pages else 0)


def _page_text(page: PageObject) -> str:
    """Return a page's text, its tables between bars."""
    text = page.extract_text()
    if not may_hold_tables(text):
        return text
    try:
        layout = page.extract_text(extraction_mode="layout")
    except PAGE_FAULTS:
        return text  # a page whose words have no place is read all the same
    return with_tables(text, layout)


def _noted(page: PageObject) -> list[str]:
    """Return what is filled into a page's form and noted on it, in order, a text each.

    A broken one is none: what it would have said is in no other place.
    """
    found: dict[str, None] = {}
    try:
        for each in (page.annotations or [])[:_MOST_NOTES]:
            with suppress(*PAGE_FAULTS):
                found[_note(each.get_object())] = None
    except PAGE_FAULTS:
        return []  # a page whose notes are not to be found is read all the same
    return [*filter(None, found)]


def _note(note: object) -> str:
    if not isinstance(note, DictionaryObject) or _flags(note, "/F") & _HIDDEN:
        return ""
    kind = _part(note, "/Subtype")
    if kind == "/Widget":
        return _filled(note)
    return _said(_part(note, "/Contents")) if kind in _NOTES else ""


def _filled(field: DictionaryObject) -> str:
    """Return a field of a form as `name: value`; nothing of an empty one or a password."""
    names: list[str] = []
    value: object = None
    above: object = field
    for _ in range(_DEEPEST_FIELD):  # what a field leaves out stands in the one above it
        if not isinstance(above, DictionaryObject):
            break
        if _flags(above, "/Ff") & _PASSWORD:
            return ""
        names.append(_said(_part(above, "/T")))
        value = _part(above, "/V") if value is None else value
        above = _part(above, "/Parent")
    name = ".".join(filter(None, reversed(names)))
    said = _said(value)
    if said == "/Off" or not said:
        return ""
    return f"{name}: {said.removeprefix('/')}" if name else said.removeprefix("/")


def _said(value: object) -> str:
    """Return a text of a PDF, or several of a list, in lines; of anything else nothing."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(_said, value[:_MOST_XOBJECTS])))
    if not isinstance(value, str):
        return ""
    lines = value[:_LONGEST_NOTE].replace("\r", "\n").splitlines()
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def _part(of: DictionaryObject, name: str) -> object:
    """Return what stands under a name, wherever in the file it is kept."""
    value = of.get(name)
    return value.get_object() if isinstance(value, PdfObject) else None


def _flags(of: DictionaryObject, name: str) -> int:
    value = _part(of, name)
    return int(value) if isinstance(value, int) else 0


def _has_picture(page: PageObject) -> bool:
    contents = page.get_contents()
    if contents is not None and _DRAWN_IN_PLACE.search(contents.get_data()):
        return True
    resources = _part(page, "/Resources")
    held = _part(resources, "/XObject") if isinstance(resources, DictionaryObject) else None
    if not isinstance(held, DictionaryObject):
        return False
    found = (_part(held, name) for name in list(held)[:_MOST_XOBJECTS])
    return any(
        isinstance(one, DictionaryObject) and one.get("/Subtype") == "/Image" for one in found
    )


class _Text:
    """The pages' text as it grows, with its blocks."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.found: list[Block] = []
        self.length = 0

    def add(self, extracted: str, page: int) -> None:
        """Put a page's text at the end, a paragraph a block."""
        text = _CONTROL.sub("", extracted.replace("\r\n", "\n").replace("\r", "\n")).strip()
        text = composed(_LONE.sub("\ufffd", text))  # halves of signs, which no text may have
        if not text:
            return
        if self.parts:
            self._put("\n\n")
        for start, end in laid_out(text):
            is_row = text.startswith(ROW, start)
            kind = BlockKind.ROW if is_row else BlockKind.PARAGRAPH
            for first, last in _rows(text, start, end) if is_row else [(start, end)]:
                place = (self.length + first, self.length + last)
                self.found.append(Block(start=place[0], end=place[1], kind=kind, page=page))
        self._put(text)
        if self.length > MOST_CHARACTERS:
            raise Unread(FileStatus.TOO_LARGE, f"more than {MOST_CHARACTERS} characters of text")

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)


def laid_out(text: str) -> list[tuple[int, int]]:
    """Return where the paragraphs and headings of a page stand: (start, end), in order."""
    spans, at = [], 0
    for gap in _BLANK_LINES.finditer(text):
        spans.append((at, gap.start()))
        at = gap.end()
    spans.append((at, len(text)))
    width = _width(text)
    parts = (
        part
        for span in spans
        for part in (
            [span]
            if text.startswith(ROW, span[0])  # a table's rows are no lines of prose
            else _without_headings(text, span, width=width)
        )
    )
    return [(start, end) for start, end in parts if text[start:end].strip()]


def _rows(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return where the rows of a table stand, the first with the rule below it."""
    found: list[tuple[int, int]] = []
    for line in text[start:end].splitlines():
        last = start + len(line)
        found = (
            [*found[:-1], (found[-1][0], last)]
            if len(found) == 1 and "---" in line
            else [*found, (start, last)]
        )
        start = last + 1
    return found


def _width(text: str) -> float:
    """Return how long a line of a page surely had room to be: three in four are no longer."""
    lengths = sorted(len(line) for line in text.splitlines() if line.strip())
    return lengths[len(lengths) * 3 // 4] * _ROOM if lengths else 0.0


def _without_headings(text: str, span: tuple[int, int], *, width: float) -> list[tuple[int, int]]:
    """Return the parts of a paragraph, cut behind lines that ended on purpose, as headings do.

    In such a line the first word of the next one would have had room.
    """
    start, end = span
    cuts, at = [start], start
    lines = text[start:end].splitlines(keepends=True)
    for line, below in pairwise(lines):
        at += len(line)
        has_room = len(line.strip()) + 1 + len((below.split(maxsplit=1) or [""])[0]) < width
        if has_room and not (_GOES_ON.search(line) or below.lstrip()[:1].islower()):
            cuts.append(at)
    return list(zip(cuts, [*cuts[1:], end], strict=True))


def _opened(data: bytes) -> PdfReader:
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unread(FileStatus.ENCRYPTED, "the PDF asks for a password")
        if not len(reader.pages):
            raise Unread(FileStatus.NO_TEXT, "the PDF has no pages")
    except (DependencyError, NotImplementedError) as wrong:
        raise Unread(
            FileStatus.ENCRYPTED, "the PDF is encrypted in a way not known here"
        ) from wrong
    except PAGE_FAULTS as wrong:
        reason = f"not a readable PDF ({type(wrong).__name__}: {str(wrong)[:120]})"
        raise Unread(FileStatus.CORRUPT, reason) from wrong
    return reader


def _title(reader: PdfReader) -> str:
    """Return the title in the PDF's own data, unless it is the name of a file it was made from."""
    return sane_title(_fact(reader, "title"))


def _facts(reader: PdfReader) -> dict[str, Value]:
    found = {name: " ".join(_fact(reader, name).split())[:300] for name in ("author", "subject")}
    return {name: value for name, value in found.items() if value}


def _fact(reader: PdfReader, name: str) -> str:
    try:
        value = getattr(reader.metadata, name, None)
    except PAGE_FAULTS:
        return ""
    return _CONTROL.sub("", value) if isinstance(value, str) else ""


def _moment(reader: PdfReader, name: str) -> datetime | None:
    try:
        return instant(getattr(reader.metadata, name, None))
    except PAGE_FAULTS:
        return None
