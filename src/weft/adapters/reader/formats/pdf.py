"""PDF: the text of each page, a batch of pages at a time."""

from __future__ import annotations

import io
import re
import time
import zlib
from datetime import datetime
from itertools import pairwise

from pypdf import PageObject, PdfReader
from pypdf.errors import DependencyError, PyPdfError

from weft.adapters.reader.dates import instant
from weft.adapters.reader.draft import MOST_CHARACTERS, sane_title
from weft.adapters.reader.formats.aligned import ROW, may_hold_tables, with_tables
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.document import Value
from weft.domain.ledger import FileStatus
from weft.domain.record import Block, BlockKind, Record

# A batch ends after this much of the processor's time: far below what kills the process.
_BATCH_SECONDS = 15.0
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
# Letters are not equally wide: a line so much shorter than others surely had room for more.
_ROOM = 0.8
_GOES_ON = re.compile(r"[,;(–—-]\s*$")
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

    A page that cannot be read is named and the others are kept.
    """
    reader = _opened(source.data)
    pages = len(reader.pages)
    deadline = time.process_time() + _BATCH_SECONDS
    text, found, skipped = _Text(), first_page, list[str]()
    while found < pages and (found == first_page or time.process_time() < deadline):
        try:
            text.add(_page_text(reader.pages[found]), found + 1)
        except PAGE_FAULTS as wrong:
            skipped.append(f"page {found + 1}: {type(wrong).__name__}")
        found += 1
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


class _Text:
    """The pages' text as it grows, with its blocks."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.found: list[Block] = []
        self.length = 0

    def add(self, extracted: str, page: int) -> None:
        """Put a page's text at the end, a paragraph a block."""
        text = _CONTROL.sub("", extracted.replace("\r\n", "\n").replace("\r", "\n")).strip()
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
