"""From a path to records: open the file, tell its kind, hand it to that kind's parser."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from weft.adapters.reader.containers import DEEPEST, Container, taken_out
from weft.adapters.reader.kinds import FileKind, kind_of
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.ledger import FileStatus

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


def parse(
    path: Path,
    *,
    first_page: int,
    most_bytes: int,
    inside: tuple[str, ...] = (),
    columns: Mapping[str, str] | None = None,
) -> ParsedFile:
    """Return what a file holds, or a file `inside` it; raise `Unread` if it cannot be read.

    `first_page` tells a PDF's parser where to go on; others are done in one call. `columns` are
    those of tables that mean another one.
    """
    if not inside:
        source = _source(path, most_bytes)
    else:
        container = _container(path, _stamp(path), inside[:-1], most_bytes)
        source = taken_out(container, inside[-1], most_bytes=most_bytes)
    kind = kind_of(source)
    if kind is FileKind.PDF:
        from weft.adapters.reader.formats.pdf import read_pdf

        return read_pdf(source, first_page)
    if kind in _CONTAINERS:
        if len(inside) >= DEEPEST:
            raise Unread(FileStatus.HOSTILE, f"files within files, more than {DEEPEST} deep")
        container = _container(path, _stamp(path), inside, most_bytes)
        return ParsedFile(records=[*container.records], members=[*container.members])
    parser: Parser = _named(_PARSERS[kind])
    return parser(replace(source, columns=columns or {}))


@lru_cache(maxsize=2)
def _container(
    path: Path, stamp: tuple[int, int], inside: tuple[str, ...], most_bytes: int
) -> Container:
    """Return an opened container; its members come one after the other, so it is kept."""
    if inside:
        above = _container(path, stamp, inside[:-1], most_bytes)
        source = taken_out(above, inside[-1], most_bytes=most_bytes)
    else:
        source = _source(path, most_bytes)
    kind = kind_of(source)
    if kind not in _CONTAINERS:
        raise Unread(FileStatus.CORRUPT, "the file holds no others")
    container: Container = _named(_CONTAINERS[kind])(source)
    return container


def _stamp(path: Path) -> tuple[int, int]:
    """Return what tells one state of a file from another."""
    try:
        status = path.stat()
    except OSError as wrong:
        raise Unread(FileStatus.CORRUPT, f"cannot be opened: {wrong.strerror}") from wrong
    return status.st_mtime_ns, status.st_size


def _named(place: str) -> Callable[[RawFile], Any]:
    """Return a function of a format's module, imported when the first such file comes.

    Most folders need two or three of them.
    """
    module, _, name = place.partition(":")
    found: Callable[[RawFile], Any] = getattr(
        import_module(f"weft.adapters.reader.formats.{module}"), name
    )
    return found


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
        raise Unread(FileStatus.UNREADABLE, f"cannot be opened: {wrong.strerror}") from wrong
    if not data:
        raise Unread(FileStatus.NO_TEXT, "the file is empty")
    if len(data) > most_bytes:
        raise Unread(FileStatus.TOO_LARGE, f"larger than {most_bytes} bytes")
    return RawFile(data=data, name=path.name)
