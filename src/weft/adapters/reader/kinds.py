"""What kind of file this is: its first bytes say so before its name does."""

from __future__ import annotations

from enum import StrEnum

from weft.adapters.reader.parsed import RawFile, Unread
from weft.domain.ledger import FileStatus


class FileKind(StrEnum):
    """The parsers there are."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CODE = "code"
    HTML = "html"
    PDF = "pdf"
    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"


_BY_SUFFIX = {
    "txt": FileKind.TEXT,
    "text": FileKind.TEXT,
    "rst": FileKind.TEXT,
    "log": FileKind.TEXT,
    "md": FileKind.MARKDOWN,
    "markdown": FileKind.MARKDOWN,
    "html": FileKind.HTML,
    "htm": FileKind.HTML,
    "xhtml": FileKind.HTML,
    "csv": FileKind.TABLE,
    "tsv": FileKind.TABLE,
    "tab": FileKind.TABLE,
    "json": FileKind.JSON,
    "jsonl": FileKind.JSONL,
    "ndjson": FileKind.JSONL,
    "py": FileKind.CODE,
    "pyi": FileKind.CODE,
}
# Their text may be in an old encoding; a name without a known meaning must be UTF-8 to be text.
WRITTEN_BY_PEOPLE = frozenset(_BY_SUFFIX)
_PACKED = {"docx", "xlsx", "pptx", "odt", "epub", "zip"}
_NOT_YET = _PACKED | {"eml", "parquet"}
_MAGIC = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or encrypted Office document"),
    (b"{\\rtf", "RTF"),
    (b"PAR1", "parquet"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "a program (ELF)"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x00\x00\x01\x00", "an icon"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_PDF_WITHIN = 1024


def kind_of(source: RawFile) -> FileKind:
    """Return the parser for a file; raise `Unread` naming a type that there is no parser for."""
    if b"%PDF-" in source.data[:_PDF_WITHIN]:
        return FileKind.PDF
    _refuse_binary(source)
    _refuse_misnamed(source)
    kind = _BY_SUFFIX.get(source.suffix, FileKind.TEXT)
    if kind is FileKind.TEXT and _is_page(source.data):
        return FileKind.HTML
    return kind


def _refuse_binary(source: RawFile) -> None:
    if source.data.startswith(_ZIP):
        named = source.suffix if source.suffix in _PACKED else "zip"
        raise Unread(FileStatus.UNSUPPORTED, f"{named} files are not supported yet")
    for magic, name in _MAGIC:
        if source.data.startswith(magic):
            raise Unread(FileStatus.UNSUPPORTED, f"the file is {name}, which is not supported")


def _refuse_misnamed(source: RawFile) -> None:
    suffix = source.suffix
    if suffix == "pdf" or suffix in _PACKED:
        raise Unread(FileStatus.CORRUPT, f"named .{suffix}, but its content is not {suffix}")
    if suffix in _NOT_YET:
        raise Unread(FileStatus.UNSUPPORTED, f"{suffix} files are not supported yet")


def _is_page(data: bytes) -> bool:
    start = data[:256].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html"))
