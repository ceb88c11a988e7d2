"""Bytes as text: byte order marks, UTF-8, and old encodings where a person wrote the file."""

from __future__ import annotations

import codecs

from weft.adapters.reader.kinds import WRITTEN_BY_PEOPLE
from weft.adapters.reader.parsed import RawFile, Unread
from weft.domain.ledger import FileStatus

# UTF-32 before UTF-16: the little-endian mark of the one begins with that of the other.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Few candidates: with all of them a short Korean note is taken for Chinese.
_OLD = ["cp949", "cp1252", "shift_jis", "gb18030"]
_SAMPLE = 65_536


def decode(source: RawFile) -> str:
    """Return a file's text with `\\n` as its only line end, or raise `Unread` saying why not."""
    text = _text(source)
    if "\0" in text:
        at = text.index("\0")
        raise Unread(FileStatus.UNSUPPORTED, f"not text: a NUL character at {at}")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def decode_filled(source: RawFile) -> str:
    """Return a file's text as `decode` does; raises `Unread` where there is only white space."""
    text = decode(source)
    if not text.strip():
        raise Unread(FileStatus.NO_TEXT, "the file holds only white space")
    return text


def _text(source: RawFile) -> str:
    for mark, encoding in _MARKS:
        if source.data.startswith(mark):
            return _marked(source.data, encoding)
    try:
        return source.data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        return _old(source, wrong)


def _marked(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as wrong:
        reason = f"its first bytes say {encoding}, but byte {wrong.start} does not fit"
        raise Unread(FileStatus.CORRUPT, reason) from wrong


def _old(source: RawFile, wrong: UnicodeDecodeError) -> str:
    at = f"byte 0x{source.data[wrong.start]:02x} at {wrong.start}"
    if source.suffix not in WRITTEN_BY_PEOPLE or b"\0" in source.data:
        raise Unread(FileStatus.UNSUPPORTED, f"not UTF-8 text ({at}), and of no known type")
    # Imported where it is needed: nearly every file is UTF-8, and the import takes 30 ms.
    from charset_normalizer import from_bytes

    sample = source.data[:_SAMPLE]
    whole_lines = sample[: sample.rfind(b"\n") + 1] if len(source.data) > _SAMPLE else sample
    best = from_bytes(whole_lines or sample, cp_isolation=_OLD).best()
    if best is not None:
        try:
            return source.data.decode(best.encoding)
        except UnicodeDecodeError:
            pass  # the rest of the file does not bear out what its beginning looked like
    raise Unread(FileStatus.CORRUPT, f"in no encoding that is known here ({at} is not UTF-8)")
