"""From a path to records: open the file, tell its kind, hand it to that kind's parser."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from weft.adapters.reader.kinds import FileKind, kind_of
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.ledger import FileStatus

Parser = Callable[[RawFile], ParsedFile]
_PARSERS = {
    FileKind.TEXT: "text_files:read_text",
    FileKind.MARKDOWN: "text_files:read_markdown",
    FileKind.CODE: "text_files:read_code",
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
}


def parse(path: Path, *, first_page: int, most_bytes: int) -> ParsedFile:
    """Return what a file holds; raise `Unread` if it cannot be read.

    `first_page` tells a PDF's parser where to go on; others are done in one call.
    """
    source = _source(path, most_bytes)
    kind = kind_of(source)
    if kind is FileKind.PDF:
        from weft.adapters.reader.formats.pdf import read_pdf

        return read_pdf(source, first_page)
    return _parsed(source, kind)


def _parsed(source: RawFile, kind: FileKind) -> ParsedFile:
    module, _, name = _PARSERS[kind].partition(":")
    # Each parser is imported when its first file comes: most folders need two or three of them.
    parser: Parser = getattr(import_module(f"weft.adapters.reader.formats.{module}"), name)
    return parser(source)


def _source(path: Path, most_bytes: int) -> RawFile:
    try:
        # Without O_NONBLOCK a named pipe would wait for a writer that never comes.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise Unread(FileStatus.UNSUPPORTED, "not a regular file")
            data = file.read(most_bytes + 1)
    except OSError as wrong:
        raise Unread(FileStatus.CORRUPT, f"cannot be opened: {wrong.strerror}") from wrong
    if not data:
        raise Unread(FileStatus.NO_TEXT, "the file is empty")
    if len(data) > most_bytes:
        raise Unread(FileStatus.TOO_LARGE, f"larger than {most_bytes} bytes")
    return RawFile(data=data, name=path.name)
