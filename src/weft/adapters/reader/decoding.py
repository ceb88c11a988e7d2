"""Bytes as text: byte order marks, UTF-8, and old encodings where a person wrote the file."""

from __future__ import annotations

import codecs
from contextlib import suppress

from weft.adapters.reader.kinds import WRITTEN_BY_PEOPLE
from weft.adapters.reader.parsed import RawFile, Unread
from weft.domain.ledger import FileStatus
from weft.language.hangul import composed, is_syllable

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
# What is taken for Korean or Chinese may be Japanese: told by the signs that come of it.
_KOREAN, _JAPANESE = "cp949", ("cp932", "euc_jp")
_EAST_ASIAN = frozenset({_KOREAN, "cp932", "gb18030"})
# Mails' own encodings, kept as they came: they call each of their alphabets by an escape.
_ESCAPED = ((b"\x1b$)C", "iso2022_kr"), (b"\x1b$", "iso2022_jp_2"))
# Of kanji the first, 2,965 of them, are what all but names are written in.
_LAST_COMMON_KANJI = 0x989F
_SAME = {"shift_jis": "cp932"}
_OF_ONE_SIGN, _LEAST_KANA, _SURELY = 2, 0.2, 0.5


def decode(source: RawFile) -> str:
    """Return a file's text, or raise `Unread` saying why not.

    Its only line end is `\\n`, and its Korean syllables are whole.
    """
    text = _text(source)
    if "\0" in text:
        at = text.index("\0")
        raise Unread(FileStatus.UNSUPPORTED, f"not text: a NUL character at {at}")
    return composed(text.replace("\r\n", "\n").replace("\r", "\n"))


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
    for escape, encoding in _ESCAPED:
        if escape in source.data and source.suffix in WRITTEN_BY_PEOPLE:
            with suppress(UnicodeDecodeError):
                return source.data.decode(encoding)
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
    whole = whole_lines or sample
    best = from_bytes(whole, cp_isolation=_OLD).best()
    looks = "" if best is None else _SAME.get(best.encoding, best.encoding)
    # Where the rest of a file does not bear out what its beginning looked like, it is none.
    for encoding in _likeliest(whole, looks):
        with suppress(UnicodeDecodeError):
            return source.data.decode(encoding)
    raise Unread(FileStatus.CORRUPT, f"in no encoding that is known here ({at} is not UTF-8)")


def _likeliest(data: bytes, said: str) -> list[str]:
    """Return the encodings of some text, the likeliest first; `said` is what it looks like.

    That may be nothing where most of it is ASCII.
    """
    if said and said not in _EAST_ASIAN:
        return [said]
    found = {one: _likely(data, one) for one in (_KOREAN, *_JAPANESE)}
    is_chinese = bool(said) and said not in found
    for one in _JAPANESE:  # Korean and Chinese read so are kanji as well, but have no kana
        if (one == "euc_jp" or is_chinese) and not _has_kana(data, one):
            del found[one]
    if is_chinese:
        found.pop(_KOREAN)
    least = 0.0 if said else _SURELY
    likely = sorted((one for one in found if found[one] > least), key=lambda one: -found[one])
    return [*likely, said] if said else likely


def _has_kana(data: bytes, encoding: str) -> bool:
    signs = [sign for sign in data.decode(encoding, "ignore") if not sign.isascii()]
    return sum(map(_is_kana, signs)) > len(signs) * _LEAST_KANA


def _likely(data: bytes, encoding: str) -> float:
    """Return how many more signs of a text are common than not, from -1 to 1; -1 for no text.

    Read in the wrong encoding, texts are of Korean syllables that hardly a word has, of narrow
    Japanese letters or of rare signs.
    """
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return -1.0
    signs = [sign for sign in text if sign.isalpha() and not sign.isascii()]
    common = sum(map(_is_common, signs))
    return (2 * common - len(signs)) / len(signs) if signs else -1.0


def _is_common(sign: str) -> bool:
    if is_syllable(sign):
        code = _in(sign, "euc_kr")  # which spells the others out, sound by sound
        return code is not None and len(code) == _OF_ONE_SIGN
    if _is_kana(sign):
        return True
    if "\u4e00" <= sign <= "\u9fff":
        code = _in(sign, "cp932")
        return code is not None and int.from_bytes(code, "big") < _LAST_COMMON_KANJI
    return "\u3005" <= sign <= "\u3007" or "\uff21" <= sign <= "\uff5a"  # 々, wide letters


def _is_kana(sign: str) -> bool:
    return "\u3041" <= sign <= "\u30fc"


def _in(sign: str, encoding: str) -> bytes | None:
    try:
        return sign.encode(encoding)
    except UnicodeEncodeError:
        return None
