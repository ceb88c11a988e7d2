"""Rich text (rtf): words in any of its encodings, headings, items, rows, notes, comments."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field, replace

from weft.adapters.reader.draft import Aside, TextDraft, sane_title
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus
from weft.domain.record import BlockKind, Record

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|([^\\{}\r\n]+)|[\r\n]+",
    re.DOTALL,
)
# Sets of letters by the numbers that fonts have for them.
_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030",
    136: "cp950", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256",
    186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
_WRITTEN = {
    "tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’",
    "ldblquote": "“", "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ",
    "qmspace": " ", "nestcell": " ", "nestrow": " ",
}  # fmt: skip
_MARKS = {"~": "\u00a0", "_": "-", "{": "{", "}": "}", "\\": "\\", "\n": "\n", "\r": "\n"}
# Groups whose words are no text of the document, or say once more what another group says.
_SKIPPED = frozenset(
    "colortbl pict objdata header headerl headerr headerf footer footerl footerr footerf pntext"
    " sp shprslt nonesttables datafield xmlnstbl filetbl listtable listoverridetable revtbl rsidtbl"
    " ftnsep ftnsepc aftnsep aftnsepc fldinst tc xe themedata colorschememapping latentstyles"
    " generator atnid atndate atnref".split()
)
# Groups that older programs may pass over, and that hold text all the same.
_KEPT = frozenset({"shpinst", "annotation", "atnauthor", "shppict"})
_MARKER = re.compile(r"(?:[•◦▪‣·○●■-]|(\d{1,4}|[a-z])[.)])\t\s*")
_HEADING = re.compile(r"heading ([1-9])\b", re.IGNORECASE)
_DEEPEST = 1_000
_LEVELS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """What holds within a group: where its words go, how they are written, what they are."""

    into: str = "text"
    codepage: str = "cp1252"
    skip_after: int = 1
    hidden: bool = False
    level: int = 0
    in_table: bool = False


@dataclass(slots=True)
class _Reading:
    """The document as far as it was read."""

    draft: TextDraft = field(default_factory=TextDraft)
    state: _State = field(default_factory=_State)
    stack: list[_State] = field(default_factory=list)
    held: dict[str, list[str]] = field(default_factory=dict)
    pending: bytearray = field(default_factory=bytearray)
    skip: int = 0
    starred: bool = False
    is_item: bool = False
    cells: list[str] = field(default_factory=list)
    codepage: str = "cp1252"
    fonts: dict[int, str] = field(default_factory=dict)
    font: int = 0
    styles: dict[int, int] = field(default_factory=dict)
    style: int = 0
    notes: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)

    def put(self, text: str) -> None:
        """Add words where those of the group go."""
        self.flush()
        if self.skip and text:
            gone = min(self.skip, len(text))
            self.skip -= gone
            text = text[gone:]
        if text and not self.state.hidden and self.state.into:
            self.held.setdefault(self.state.into, []).append(text)

    def byte(self, value: int) -> None:
        """Add a byte of a text in the letters of its font."""
        if self.skip:
            self.skip -= 1
        else:
            self.pending.append(value)

    def flush(self) -> None:
        """Write the bytes that wait as words."""
        if self.pending:
            data, self.pending = bytes(self.pending), bytearray()
            try:
                said = data.decode(self.state.codepage, "replace")
            except LookupError:
                said = data.decode("cp1252", "replace")
            if not self.state.hidden and self.state.into:
                self.held.setdefault(self.state.into, []).append(said)

    def taken(self, name: str) -> str:
        """Return the words that were held under a name, and hold them no more."""
        self.flush()
        said = "".join(self.held.pop(name, []))
        # Letters beyond 16 bits are written as two numbers.
        return said.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def end_paragraph(self) -> None:
        """Add the paragraph that was read; within a cell it only ends a line."""
        if self.state.into != "text":
            self.put(" ")
            return
        if self.state.in_table:
            self.put("\n")
            return
        said = self.taken("text").strip()
        marker = _MARKER.match(said)
        if marker is not None and marker[1] is None:
            said = said[marker.end() :]
        if self.state.level:
            kind = BlockKind.HEADING
        else:
            kind = BlockKind.ITEM if self.is_item or marker else BlockKind.PARAGRAPH
        self.draft.add(" ".join(said.split()), kind, level=self.state.level)
        self.is_item = False

    def end_row(self) -> None:
        """Add the row whose cells were read."""
        self.draft.row(self.cells)
        self.cells = []


def read_rich_text(source: RawFile) -> ParsedFile:
    """Return a rich text as one record; notes and comments stand in sections at its end."""
    reading = _Reading()
    text = source.data.decode("latin-1")
    at = 0
    while found := _TOKEN.match(text, at):
        at = found.end()
        word = found[1]
        if word == "bin":
            at += max(int(found[2] or 0), 0)
        elif word is not None:
            _obey(reading, word, int(found[2]) if found[2] else None)
        else:
            _take(reading, found)
    reading.state = _State()
    if reading.cells:
        reading.end_row()
    reading.end_paragraph()
    for which, said in ((Aside.FOOTNOTES, reading.notes), (Aside.COMMENTS, reading.comments)):
        if said:
            reading.draft.aside(which)
        for each in said:
            reading.draft.add(each, BlockKind.PARAGRAPH)
    author = reading.facts.get("author", "")
    record = Record(
        content=reading.draft.content,
        title=reading.draft.title(sane_title(reading.facts.get("title", "")), source.name),
        blocks=tuple(reading.draft.found),
        metadata={"author": author[:300]} if author else {},
    )
    return ParsedFile(records=[record])


def _take(reading: _Reading, found: re.Match[str]) -> None:
    """Take what is no control word: a byte, a mark, a brace or plain letters."""
    _, _, byte, mark, brace, letters = found.groups()
    if byte is not None:
        reading.byte(int(byte, 16))
    elif mark == "*":
        reading.starred = True
    elif mark in ("\n", "\r"):
        reading.end_paragraph()
    elif mark is not None:
        reading.put(_MARKS.get(mark, ""))
    elif brace == "{":
        _open(reading)
    elif brace == "}":
        _close(reading)
    elif letters is not None:
        _letters(reading, letters)


def _letters(reading: _Reading, letters: str) -> None:
    """Add plain letters; the first may be the second half of one that began as a byte."""
    if reading.pending and _is_half(bytes(reading.pending), reading.state.codepage):
        reading.pending.append(ord(letters[0]) & 0xFF)
        letters = letters[1:]
    reading.put(letters)


def _is_half(data: bytes, codepage: str) -> bool:
    try:
        data.decode(codepage)
    except UnicodeDecodeError as wrong:
        return wrong.end == len(data)
    except LookupError:
        return False
    return False


def _open(reading: _Reading) -> None:
    reading.flush()
    if len(reading.stack) >= _DEEPEST:
        raise Unread(FileStatus.HOSTILE, f"groups more than {_DEEPEST} deep")
    reading.stack.append(reading.state)
    reading.starred = False


def _close(reading: _Reading) -> None:
    reading.flush()
    reading.skip = 0
    if not reading.stack:
        return
    ended, reading.state = reading.state.into, reading.stack.pop()
    if ended == "stylesheet":
        _name_style(reading)
    if ended == reading.state.into:
        return
    if ended in ("title", "author"):
        reading.facts.setdefault(ended, " ".join(reading.taken(ended).split()))
    elif ended == "footnote":
        reading.notes += filter(None, [" ".join(reading.taken("footnote").split())])
    elif ended == "annotation":
        said = " ".join(reading.taken("annotation").split())
        author = " ".join(reading.taken("atnauthor").split())
        if said:
            reading.comments.append(f"{author}: {said}" if author else said)


def _name_style(reading: _Reading) -> None:
    """Take a style that is named as headings are for one, if it has not said so itself."""
    found = _HEADING.match(reading.taken("stylesheet").strip())
    if found is not None:
        reading.styles.setdefault(reading.style, int(found[1]))


def _obey(reading: _Reading, word: str, number: int | None) -> None:
    """Do what a control word says."""
    starred, reading.starred = reading.starred, False
    if word == "u" and number is not None:
        reading.skip = 0
        reading.put(chr(number & 0xFFFF))
        reading.skip = reading.state.skip_after
    elif word in _WRITTEN:
        reading.put(_WRITTEN[word])
    elif word in _ACTIONS:
        reading.flush()
        _ACTIONS[word](reading, number)
    elif word in _SKIPPED or (starred and word not in _KEPT):
        reading.flush()
        reading.state = replace(reading.state, into="")


def _into(name: str) -> Callable[[_Reading, int | None], None]:
    def act(reading: _Reading, _: int | None) -> None:
        if reading.state.into:
            reading.state = replace(reading.state, into=name, in_table=False)

    return act


def _list_text(reading: _Reading, _: int | None) -> None:
    reading.is_item = True
    reading.state = replace(reading.state, into="")


def _plain_paragraph(reading: _Reading, _: int | None) -> None:
    reading.state = replace(reading.state, level=0, in_table=False)


def _outline(reading: _Reading, number: int | None) -> None:
    level = number + 1 if number is not None and 0 <= number < _LEVELS else 0
    if reading.state.into == "stylesheet":
        reading.styles[reading.style] = level
    else:
        reading.state = replace(reading.state, level=level)


def _style(reading: _Reading, number: int | None) -> None:
    reading.style = number or 0
    if reading.state.into != "stylesheet":
        reading.state = replace(reading.state, level=reading.styles.get(reading.style, 0))


def _font(reading: _Reading, number: int | None) -> None:
    reading.font = number or 0
    if reading.state.into != "fonttbl":
        codepage = reading.fonts.get(reading.font, reading.codepage)
        reading.state = replace(reading.state, codepage=codepage)


def _charset(reading: _Reading, number: int | None) -> None:
    if reading.state.into == "fonttbl" and number:
        reading.fonts[reading.font] = _CHARSETS.get(number, reading.codepage)


def _codepage(reading: _Reading, number: int | None) -> None:
    reading.codepage = "utf-8" if number == 65001 else f"cp{number}"
    reading.state = replace(reading.state, codepage=reading.codepage)


def _skip_after(reading: _Reading, number: int | None) -> None:
    reading.state = replace(reading.state, skip_after=max(number or 0, 0))


def _hidden(reading: _Reading, number: int | None) -> None:
    reading.state = replace(reading.state, hidden=number != 0)


def _in_table(reading: _Reading, _: int | None) -> None:
    reading.state = replace(reading.state, in_table=True)


def _cell(reading: _Reading, _: int | None) -> None:
    if reading.state.into == "text":
        reading.cells.append(reading.taken("text"))


def _paragraph(reading: _Reading, _: int | None) -> None:
    reading.end_paragraph()


def _row(reading: _Reading, _: int | None) -> None:
    if reading.state.into == "text":
        reading.end_row()


_ACTIONS: dict[str, Callable[[_Reading, int | None], None]] = {
    "par": _paragraph,
    "sect": _paragraph,
    "page": _paragraph,
    "cell": _cell,
    "row": _row,
    "pard": _plain_paragraph,
    "intbl": _in_table,
    "outlinelevel": _outline,
    "s": _style,
    "f": _font,
    "fcharset": _charset,
    "ansicpg": _codepage,
    "uc": _skip_after,
    "v": _hidden,
    "deleted": _hidden,
    "listtext": _list_text,
    "footnote": _into("footnote"),
    "annotation": _into("annotation"),
    "atnauthor": _into("atnauthor"),
    "title": _into("title"),
    "author": _into("author"),
    "info": _into("info"),
    "stylesheet": _into("stylesheet"),
    "fonttbl": _into("fonttbl"),
}
