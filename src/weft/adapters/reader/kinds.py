"""What kind of file this is: its first bytes say so before its name does."""

from __future__ import annotations

import io
import re
import struct
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
    WORD = "word"
    SHEETS = "sheets"
    SLIDES = "slides"
    OPEN_TEXT = "open_text"
    OPEN_SHEETS = "open_sheets"
    OPEN_SLIDES = "open_slides"
    BOOK = "book"
    RICH_TEXT = "rich_text"
    PARQUET = "parquet"
    RDF = "rdf"
    ZIP = "zip"
    GZIP = "gzip"
    TAR = "tar"
    MAIL = "mail"
    OUTLOOK = "outlook"


# Kinds whose parser is seldom needed and slow to load, with the endings of their names: a process
# of their own has them.
HEAVY = {FileKind.PARQUET: ("parquet", "parq", "pq")}


_CODE = (
    "py pyi js mjs cjs jsx ts tsx java kt kts go rs c h cc cpp hpp cxx cs swift scala php dart rb"
    " sql"
).split()
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
    "ttl": FileKind.RDF,
    "nt": FileKind.RDF,
    "nq": FileKind.RDF,
    "trig": FileKind.RDF,
    "rdf": FileKind.RDF,
    "owl": FileKind.RDF,
    "jsonld": FileKind.RDF,
    **dict.fromkeys(_CODE, FileKind.CODE),
}
# Their text may be in an old encoding; a name without a known meaning must be UTF-8 to be text.
WRITTEN_BY_PEOPLE = frozenset(_BY_SUFFIX)
_PACKED = frozenset("docx docm dotx xlsx xlsm xltx pptx pptm ppsx odt ods odp epub zip".split())
# What files of these names begin with, all others do not.
_MARKED = _PACKED | {"pdf", "eml", "msg", "gz", "parquet", "rtf"}
# The document's part of an Office file says what it is by its type: the first of these words in it.
_OFFICE = {
    "wordprocessingml": FileKind.WORD,
    "ms-word": FileKind.WORD,
    "spreadsheetml": FileKind.SHEETS,
    "ms-excel": FileKind.SHEETS,
    "presentationml": FileKind.SLIDES,
    "ms-powerpoint": FileKind.SLIDES,
}
# Other packages name their type in their first member.
_MIMETYPE = "mimetype"
_TYPES = {
    "application/vnd.oasis.opendocument.text": FileKind.OPEN_TEXT,
    "application/vnd.oasis.opendocument.spreadsheet": FileKind.OPEN_SHEETS,
    "application/vnd.oasis.opendocument.presentation": FileKind.OPEN_SLIDES,
    "application/epub+zip": FileKind.BOOK,
}
# What old Office files keep under these names, and what to do about them.
_COMPOUND = {
    "encryptedpackage": (FileStatus.ENCRYPTED, "an Office file with a password; save it without"),
    "worddocument": (FileStatus.UNSUPPORTED, "an old Word document; save it as docx"),
    "workbook": (FileStatus.UNSUPPORTED, "an old Excel workbook; save it as xlsx"),
    "book": (FileStatus.UNSUPPORTED, "an old Excel workbook; save it as xlsx"),
    "powerpoint document": (FileStatus.UNSUPPORTED, "an old PowerPoint file; save it as pptx"),
    "bodytext": (FileStatus.UNSUPPORTED, "a Hangul document (hwp); save it as docx or PDF"),
}
_MAGIC = (
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "a program (ELF)"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x00\x00\x01\x00", "an icon"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BEGINNINGS = (
    (b"{\\rtf", FileKind.RICH_TEXT),
    (b"\x1f\x8b\x08", FileKind.GZIP),
    (b"PAR1", FileKind.PARQUET),
)
_TAR, _TAR_AT = b"ustar", 257
_PDF_WITHIN = 1024
# How a mail begins, and what is in the head of every one that was sent.
_MAIL_BEGINS = re.compile(rb"(?:From |[A-Za-z][A-Za-z0-9-]{1,60}:[ \t])")
_MAIL_SAYS = (b"\nmessage-id:", b"\nmime-version:", b"\nreceived:", b"\nreturn-path:")
_MAIL_HEAD = 8_192
_TURTLE = re.compile(rb"(?:#[^\n]*\n\s*)*@?(?i:prefix|base)\s[^\n]{0,60}<[^>\s]*>")


def is_heavy(name: str) -> bool:
    """Tell whether a file of that name needs a parser that only some processes load."""
    return any(name.casefold().endswith(f".{end}") for ends in HEAVY.values() for end in ends)


def kind_of(source: RawFile) -> FileKind:
    """Return the parser for a file; raise `Unread` naming a type that there is no parser for."""
    if source.data.startswith(_ZIP):
        return _packed(source)
    if source.data.startswith(_OLE):
        return _compound(source)
    begun = next((kind for mark, kind in _BEGINNINGS if source.data.startswith(mark)), None)
    if begun is not None:
        return begun
    if source.data[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        return FileKind.TAR
    if b"%PDF-" in source.data[:_PDF_WITHIN]:
        return FileKind.PDF
    _refuse_binary(source)
    return FileKind.MAIL if _is_mail(source) else _written(source)


def _written(source: RawFile) -> FileKind:
    """Tell texts apart: by their name, and by how they begin where that says more."""
    _refuse_misnamed(source)
    kind = _BY_SUFFIX.get(source.suffix, FileKind.TEXT)
    if kind in (FileKind.TEXT, FileKind.JSON) and _is_rdf(source.data):
        return FileKind.RDF
    if kind is FileKind.TEXT and _is_page(source.data):
        return FileKind.HTML
    return kind


def _packed(source: RawFile) -> FileKind:
    """Tell zip files apart by what is in them, whatever their names say."""
    # Each reader of containers is imported when its first file comes.
    from weft.adapters.reader.packed import opc
    from weft.adapters.reader.packed.package import Package

    package = Package(source.data)
    if opc.CONTENT_TYPES in package:
        said = opc.main_type(package).casefold()
        kind = next((kind for word, kind in _OFFICE.items() if word in said), None)
        if kind is not None:
            return kind
    if _MIMETYPE in package:
        said = package.read(_MIMETYPE)[:200].decode("ascii", "replace").strip()
        kind = _TYPES.get(said.removesuffix("-template"))
        if kind is not None:
            return kind
    if source.suffix in _PACKED - {"zip"}:
        raise Unread(FileStatus.CORRUPT, f"named .{source.suffix}, but it is another kind of zip")
    return FileKind.ZIP


def _compound(source: RawFile) -> FileKind:
    """Tell files of old Office programs apart by the names of what is in them."""
    from olefile import OleFileIO

    try:
        with OleFileIO(io.BytesIO(source.data)) as file:
            names = {entry[0].casefold() for entry in file.listdir() if entry}
    except (OSError, ValueError, LookupError, TypeError, struct.error) as wrong:
        raise Unread(FileStatus.CORRUPT, f"not a readable Office file ({wrong})") from wrong
    if "__properties_version1.0" in names:
        return FileKind.OUTLOOK
    for name, (status, reason) in _COMPOUND.items():
        if name in names:
            raise Unread(status, f"the file is {reason}")
    raise Unread(FileStatus.UNSUPPORTED, "an old Office file of an unknown kind")


def _refuse_binary(source: RawFile) -> None:
    for magic, name in _MAGIC:
        if source.data.startswith(magic):
            raise Unread(FileStatus.UNSUPPORTED, f"the file is {name}, which is not supported")


def _refuse_misnamed(source: RawFile) -> None:
    suffix = source.suffix
    if suffix in _MARKED:
        raise Unread(FileStatus.CORRUPT, f"named .{suffix}, but its content is not {suffix}")


def _is_mail(source: RawFile) -> bool:
    """Tell whether a file that nothing else claims by its name begins as mails do."""
    start = source.data[:_MAIL_HEAD]
    if source.suffix != "eml" and (source.suffix in _BY_SUFFIX or b"\0" in start):
        return False
    if _MAIL_BEGINS.match(start) is None:
        return False
    head = b"\n" + re.split(rb"\r?\n\r?\n", start, maxsplit=1)[0].lower()
    return source.suffix == "eml" or sum(mark in head for mark in _MAIL_SAYS) > 1


def _is_rdf(data: bytes) -> bool:
    """Tell whether a text is RDF by how it begins: its root, its prefixes or its context."""
    start = data[:_PDF_WITHIN].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"{", b"[")):
        return b'"@context"' in start and (b'"@graph"' in start or b'"@id"' in start)
    return _TURTLE.match(start) is not None or b"<rdf:RDF" in start


def _is_page(data: bytes) -> bool:
    start = data[:256].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html"))
