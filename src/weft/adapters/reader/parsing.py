"""From a file's bytes to its records: tell its kind, hand it to that kind's parser."""

from __future__ import annotations

import encodings
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from weft.adapters.reader import formats
from weft.adapters.reader.containers import DEEPEST, Container, taken_out
from weft.adapters.reader.frames import OpenFile
from weft.adapters.reader.kinds import HEAVY, FileKind, is_heavy, kind_of
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.ledger import FileStatus
from weft.language.hangul import composed

Parser = Callable[[RawFile], ParsedFile]
_PARSERS = {
    FileKind.TEXT: "text_files:read_text",
    FileKind.MARKDOWN: "text_files:read_markdown",
    FileKind.CODE: "code:read_code",
    FileKind.HTML: "webpage:read_page",
    FileKind.TABLE: "table:read_table",
    FileKind.JSON: "json_files:read_json",
    FileKind.JSONL: "json_files:read_jsonl",
    FileKind.WORD: "word:read_word",
    FileKind.SHEETS: "sheets:read_sheets",
    FileKind.SLIDES: "slides:read_slides",
    FileKind.OPEN_TEXT: "open_document:read_text_document",
    FileKind.OPEN_SHEETS: "open_document:read_spreadsheet",
    FileKind.OPEN_SLIDES: "open_document:read_presentation",
    FileKind.BOOK: "book:read_book",
    FileKind.RICH_TEXT: "rich_text:read_rich_text",
    FileKind.PARQUET: "parquet:read_parquet",
    FileKind.RDF: "rdf:read_rdf",
}
_CONTAINERS = {
    FileKind.ZIP: "archive:open_zip",
    FileKind.GZIP: "archive:open_gzip",
    FileKind.TAR: "archive:open_tar",
    FileKind.MAIL: "mail:open_mail",
    FileKind.OUTLOOK: "outlook:open_outlook",
}


# Parsers load parts of themselves when they first meet a thing; each file here meets some.
_FIRST_FILES = (
    RawFile(data=b"<html><body><article><p>A page.</p></article></body></html>", name="a.html"),
    RawFile(data="오래된 글자로 쓴 글.\n".encode("cp949"), name="a.txt"),
    RawFile(data=b"---\ntitle: A note\ndate: 2020-01-02\n---\n# A note\n", name="a.md"),
    RawFile(data=b"id,text,updated\n1,one,2020-01-02\n", name="a.csv"),
    RawFile(
        data=b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
        b"2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n"
        b"3 0 obj\n<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>\n"
        b"endobj\n4 0 obj\n<</Length 24>>\nstream\nBT /F 9 Tf (A page.) Tj ET\nendstream\nendobj\n"
        b"5 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\n"
        b"6 0 obj\n<</CreationDate(D:20200102030405Z)>>\nendobj\n"
        b"trailer\n<</Root 1 0 R/Info 6 0 R>>\nstartxref\n0\n%%EOF\n",
        name="a.pdf",
    ),
)
# What no first file leads to.
_LATE = (
    "_strptime",
    "email.generator",  # what a mail is written out by, that another one holds
    "email.parser",
    "pypdf._codecs.adobe_glyphs",
    "pypdf._codecs.core_font_metrics",
)
# For one system alone, and not to be had on others.
_ELSEWHERE = frozenset({"mbcs", "oem"})


def prepare(*, heavy: bool = False) -> None:
    """Load all that parsing may need: in a confined process nothing can be loaded later."""
    for found in pkgutil.iter_modules(encodings.__path__):
        if found.name not in _ELSEWHERE:
            importlib.import_module(f"encodings.{found.name}")
    for name in _LATE:
        importlib.import_module(name)
    slow = {_PARSERS[kind].partition(":")[0] for kind in HEAVY}
    for found in pkgutil.iter_modules(formats.__path__):
        if heavy or found.name not in slow:
            importlib.import_module(f"{formats.__name__}.{found.name}")
    for source in _FIRST_FILES:
        parse_alone(source)


def parse(file: OpenFile, *, most_bytes: int, most_columns: int) -> ParsedFile:
    """Return what a file holds, or a file inside it; raise `Unread` if it cannot be read.

    A PDF's parser goes on where the file says; others are done in one call.
    """
    inside = file.inside
    if not inside:
        source = _source(file, most_bytes)
    else:
        container = _container(_Opened(file, most_bytes), inside[:-1])
        source = taken_out(container, inside[-1], most_bytes=most_bytes)
    if kind_of(source) in _CONTAINERS:
        if len(inside) >= DEEPEST:
            raise Unread(FileStatus.HOSTILE, f"files within files, more than {DEEPEST} deep")
        container = _container(_Opened(file, most_bytes), inside)
        return ParsedFile(records=[*container.records], members=[*container.members])
    source = replace(source, columns=file.columns, most_columns=most_columns)
    return parse_alone(source, first_page=file.first_page)


def parse_alone(source: RawFile, *, first_page: int = 0) -> ParsedFile:
    """Return what a file that holds no others says; `first_page` is where a PDF goes on."""
    source = replace(source, name=composed(source.name))
    kind = kind_of(source)
    if kind is FileKind.PDF:
        from weft.adapters.reader.formats.pdf import read_pdf

        return read_pdf(source, first_page)
    if kind in HEAVY and not is_heavy(source.name):
        raise Unread(FileStatus.UNSUPPORTED, f"is a {kind.value} file: give it a name that says so")
    parser: Parser = _named(_PARSERS[kind])
    return parser(source)


class _Opened:
    """An open file, the same as any other of one stamp."""

    def __init__(self, file: OpenFile, most_bytes: int) -> None:
        self.file = file
        self.most_bytes = most_bytes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Opened) and self.file.stamp == other.file.stamp

    def __hash__(self) -> int:
        return hash(self.file.stamp)


@lru_cache(maxsize=2)
def _container(opened: _Opened, inside: tuple[str, ...]) -> Container:
    """Return an opened container; its members come one after the other, so it is kept."""
    if inside:
        above = _container(opened, inside[:-1])
        source = taken_out(above, inside[-1], most_bytes=opened.most_bytes)
    else:
        source = _source(opened.file, opened.most_bytes)
    kind = kind_of(source)
    if kind not in _CONTAINERS:
        raise Unread(FileStatus.CORRUPT, "the file holds no others")
    container: Container = _named(_CONTAINERS[kind])(source)
    return container


def _named(place: str) -> Callable[[RawFile], Any]:
    """Return a function of a format's module."""
    module, _, name = place.partition(":")
    found: Callable[[RawFile], Any] = getattr(
        importlib.import_module(f"{formats.__name__}.{module}"), name
    )
    return found


def _source(file: OpenFile, most_bytes: int) -> RawFile:
    data = file.read(most_bytes)
    if not data:
        raise Unread(FileStatus.NO_TEXT, "the file is empty")
    if len(data) > most_bytes:
        raise Unread(FileStatus.TOO_LARGE, f"larger than {most_bytes} bytes")
    return RawFile(data=data, name=file.name)
