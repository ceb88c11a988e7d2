"""Where a passage stands, as an editor opens it: `notes/crane.md:12`, `report.pdf p. 3`."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from weft.domain.answer import Citation
from weft.domain.display import on_one_line
from weft.domain.frozen import dataclass
from weft.domain.record import SECTION_SIGN
from weft.language.hangul import composed

# Larger files are named without a line.
_LARGEST = 16 * 1024 * 1024
_MARKS = ((b"\xff\xfe\x00\x00", "utf-32"), (b"\x00\x00\xfe\xff", "utf-32"),
          (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))  # fmt: skip
_ENCODINGS = ("utf-8-sig", "cp949", "cp1252", "shift_jis", "gb18030")
_SHORTEST = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedText:
    """A stretch of a document that is pointed at: `text` begins at `start` of what is stored."""

    document: str
    uri: str
    start: int
    text: str
    title: str = ""
    section: str | None = None
    page: int | None = None

    @classmethod
    def of(cls, citation: Citation) -> PlacedText:
        """Return what a citation points at."""
        return cls(
            document=citation.doc_id,
            uri=citation.uri,
            start=citation.start,
            text=citation.snippet,
            title=citation.title,
            section=citation.section,
            page=citation.page,
        )


def place_of(passage: PlacedText, *, here: Path) -> str:
    """Return where a passage stands: the path from `here`, or its address, with page or line.

    A line is given only where the file bears it out: where the words stand in the file as they were
    stored, or where one line of it alone holds them.
    """
    file = file_of(passage.uri)
    page = "" if passage.page is None else f" p. {passage.page}"
    if file is None:
        return f"{passage.uri}{page}"
    shown = str(file.relative_to(here)) if file.is_relative_to(here) else _legible(passage.uri)
    line = line_of(passage, file) if passage.page is None else None
    return f"{shown}{page}" if line is None else f"{shown}:{line}"


def _legible(uri: str) -> str:
    """Return an address with the letters of its names: no one reads %ED%95%9C."""
    said = unquote(uri)
    return said if said.isprintable() and "\ufffd" not in said else uri


def file_of(uri: str) -> Path | None:
    """Return the file on this machine that an address names; None for any other."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
        return None
    return Path(unquote(parts.path))


def line_of(passage: PlacedText, file: Path) -> int | None:
    """Return the line on which a passage begins in its file, counted from 1; None if unknown."""
    try:
        if file.stat().st_size > _LARGEST:
            return None
        data = file.read_bytes()
    except (OSError, ValueError):
        return None
    is_whole, end = passage.document.startswith("file:"), passage.start + len(passage.text)
    for text in _texts(data):
        if not is_whole:
            return _row(passage, text)
        if text[passage.start : end] == passage.text:
            return text.count("\n", 0, passage.start) + 1
    return None


def _texts(data: bytes) -> list[str]:
    """Return what a file may say, by the encodings that fit; line ends as they are stored."""
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), "")
    found = []
    for encoding in (marked,) if marked else _ENCODINGS:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        found.append(composed(text.replace("\r\n", "\n").replace("\r", "\n")))
        if encoding == _ENCODINGS[0]:
            break
    return found


def _row(passage: PlacedText, text: str) -> int | None:
    """Return the one line that holds all values of a cited row, or all words of a cited object."""
    values = [line.partition(": ")[2] or line for line in passage.text.splitlines()]
    name = passage.document.partition("#")[2]
    wanted = [*filter(None, map(str.strip, values))]
    if name and not name.isdecimal():
        wanted.append(name)
    if len("".join(wanted)) < _SHORTEST:
        return None
    whole = [re.compile(rf"(?<!\w){re.escape(value)}(?!\w)") for value in wanted]
    rows = [
        number
        for number, line in enumerate(text.split("\n"), start=1)
        if all(value in line for value in wanted) and all(each.search(line) for each in whole)
    ]
    return rows[0] if len(rows) == 1 else None


def heading_of(passage: PlacedText, place: str) -> str:
    """Return the title of a passage and its section, each said once, on one line.

    Where a page tells the place there is no section, and where a line does the last of its names;
    what the path says is no title.
    """
    title, section = on_one_line(passage.title), on_one_line(passage.section or "")
    if passage.page is not None:
        section = ""
    elif place.rpartition(":")[2].isdecimal():
        section = section.rpartition(SECTION_SIGN)[2]
    section = section.removeprefix(title).removeprefix(SECTION_SIGN)
    name = Path(unquote(urlsplit(passage.uri).path)).name
    title = "" if title == Path(name).stem else title.removeprefix(name).strip()
    return " · ".join(filter(None, (title, section)))
