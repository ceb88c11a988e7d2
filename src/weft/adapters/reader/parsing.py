"""From a path to records: open the file, tell its kind, hand it to that kind's parser."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from weft.adapters.reader.kinds import FileKind, kind_of
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.ledger import FileStatus


def parse(path: Path, *, first_page: int, most_bytes: int) -> ParsedFile:
    """Return what a file holds; raise `Unread` if it cannot be read.

    `first_page` tells a PDF's parser where to go on; others are done in one call.
    """
    source = _source(path, most_bytes)
    kind = kind_of(source)
    if kind is FileKind.PDF:
        # Each parser is imported when its first file comes: most folders need two or three of them.
        from weft.adapters.reader.formats.pdf import read_pdf

        return read_pdf(source, first_page)
    return _parsed(source, kind)


def _parsed(source: RawFile, kind: FileKind) -> ParsedFile:
    if kind is FileKind.HTML:
        from weft.adapters.reader.formats.webpage import read_page

        return read_page(source)
    if kind is FileKind.TABLE:
        from weft.adapters.reader.formats.table import read_table

        return read_table(source)
    if kind in (FileKind.JSON, FileKind.JSONL):
        from weft.adapters.reader.formats import json_files as objects

        return (objects.read_json if kind is FileKind.JSON else objects.read_jsonl)(source)
    from weft.adapters.reader.formats import text_files as prose

    if kind is FileKind.CODE:
        return prose.read_code(source)
    return (prose.read_markdown if kind is FileKind.MARKDOWN else prose.read_text)(source)


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
