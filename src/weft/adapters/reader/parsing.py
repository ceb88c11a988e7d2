"""From a file's bytes to its records: tell its kind, hand it to that kind's parser."""

from __future__ import annotations

import encodings
import importlib
import pkgutil

from weft.adapters.reader import json_files, text_files
from weft.adapters.reader.kinds import FileKind, kind_of
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.adapters.reader.pdf import read_pdf
from weft.adapters.reader.table import read_table
from weft.adapters.reader.webpage import read_page
from weft.domain.ledger import FileStatus

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
_LATE = ("_strptime", "pypdf._codecs.adobe_glyphs", "pypdf._codecs.core_font_metrics")
# For one system alone, and not to be had on others.
_ELSEWHERE = frozenset({"mbcs", "oem"})


def prepare() -> None:
    """Load all that parsing may need: in a confined process nothing can be loaded later."""
    for found in pkgutil.iter_modules(encodings.__path__):
        if found.name not in _ELSEWHERE:
            importlib.import_module(f"encodings.{found.name}")
    for name in _LATE:
        importlib.import_module(name)
    for source in _FIRST_FILES:
        parse(source, first_page=0, most_bytes=len(source.data))


def parse(source: RawFile, *, first_page: int, most_bytes: int) -> ParsedFile:
    """Return what a file holds; raise `Unread` if it cannot be read.

    `first_page` tells a PDF's parser where to go on; others are done in one call.
    """
    if not source.data:
        raise Unread(FileStatus.NO_TEXT, "the file is empty")
    if len(source.data) > most_bytes:
        raise Unread(FileStatus.TOO_LARGE, f"larger than {most_bytes} bytes")
    kind = kind_of(source)
    return read_pdf(source, first_page) if kind is FileKind.PDF else _parsed(source, kind)


def _parsed(source: RawFile, kind: FileKind) -> ParsedFile:
    if kind is FileKind.HTML:
        return read_page(source)
    if kind is FileKind.TABLE:
        return read_table(source)
    if kind in (FileKind.JSON, FileKind.JSONL):
        read = json_files.read_json if kind is FileKind.JSON else json_files.read_jsonl
        return read(source)
    if kind is FileKind.CODE:
        return text_files.read_code(source)
    prose = text_files.read_markdown if kind is FileKind.MARKDOWN else text_files.read_text
    return prose(source)
