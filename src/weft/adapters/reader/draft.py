"""A document's text as it grows block by block."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from enum import Enum

from weft.adapters.reader.column_names import names_columns
from weft.adapters.reader.outline import first_heading
from weft.adapters.reader.parsed import Unread
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus
from weft.domain.record import Block, BlockKind
from weft.language.hangul import is_syllable

MOST_CHARACTERS = 50_000_000
_MOSTLY = 0.2
_BEGINNING = 200
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CLOSE = frozenset({BlockKind.ITEM, BlockKind.ROW, BlockKind.FIELD})
# Items and rows are written as in Markdown, so that whatever reads the text knows them for what
# they are: an item is not run together with the next, a cell alone is never a sentence.
_MARKED_ITEM = re.compile(r"(?:[-*+•‣·]|\d{1,4}[.)]|\([a-zA-Z0-9]{1,3}\)|[a-z]\))[ \t]")
# Names that programs give to a document nobody named.
FILE_NAME = re.compile(
    r"(?i)^(untitled|microsoft word|powerpoint presentation|document\d*$)"
    r"|\.(docx?|indd|tex|dvi|qxd|pptx?|xlsx?|od[tsp]|pdf)$"
)


class Aside(Enum):
    """What stands beside a document's text, by the headings it is put under (English, Korean)."""

    COMMENTS = ("Comments", "메모")
    FOOTNOTES = ("Notes", "각주")
    SPEAKER = ("Speaker notes", "발표자 노트")


@dataclass(slots=True)
class TextDraft:
    """The blocks so far and the text they make; items and rows stand close, others apart."""

    parts: list[str] = field(default_factory=list)
    found: list[Block] = field(default_factory=list)
    length: int = 0
    asides: list[Block] = field(default_factory=list)

    def add(self, text: str, kind: BlockKind, *, level: int = 0, page: int | None = None) -> None:
        """Put one block at the end; an empty one is none. `Unread` where the text is too much."""
        text = _CONTROL.sub("", text).strip()
        if not text:
            return
        if kind is BlockKind.ITEM and _MARKED_ITEM.match(text) is None:
            text = f"- {text}"
        if self.found:
            close = kind in _CLOSE and self.found[-1].kind is kind
            self._put("\n" if close else "\n\n")
        end = self.length + len(text)
        self.found.append(Block(start=self.length, end=end, kind=kind, level=level, page=page))
        self._put(text)
        if self.length > MOST_CHARACTERS:
            raise Unread(FileStatus.TOO_LARGE, f"more than {MOST_CHARACTERS} characters of text")

    def row(
        self, cells: Sequence[str], *, page: int | None = None, is_header: bool = False
    ) -> None:
        """Put a table's row at the end, its cells between bars; one without text is none.

        A header has a rule below it: the first row of a table, if it is said to be one, or if it
        names three columns or more. (Two words beside each other are as often a label and a value.)
        """
        plain = [" ".join(cell.split()).replace("|", "\\|") for cell in cells]
        if not any(plain):
            return
        written = f"| {' | '.join(plain)} |"
        begins = not self.found or self.found[-1].kind is not BlockKind.ROW
        if begins and (is_header or (len(plain) > 2 and names_columns(plain))):
            written += f"\n|{'---|' * len(plain)}"
        self.add(written, BlockKind.ROW, page=page)

    def aside(self, which: Aside, *, level: int = 1, page: int | None = None) -> None:
        """Begin a section for what stands beside the text, named in the text's own language."""
        begun = "".join(self.parts[:_BEGINNING])
        is_korean = sum(map(is_syllable, begun)) > len(begun) * _MOSTLY
        self.add(which.value[is_korean], BlockKind.HEADING, level=level, page=page)
        self.asides.append(self.found[-1])

    @property
    def content(self) -> str:
        """Return the text so far."""
        return "".join(self.parts)

    def title(self, said: str, otherwise: str) -> str:
        """Return the title that a document says of itself, else its first heading, else a name."""
        asides = set(self.asides)
        own = [block for block in self.found if block not in asides]
        return sane_title(said) or first_heading(self.content, own) or otherwise

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)


def sane_title(said: str) -> str:
    """Return a title, or nothing for what is the name of a file that it was made from."""
    title = " ".join(_CONTROL.sub("", said).split())
    sane = 2 < len(title) <= 300 and any(map(str.isalpha, title)) and not FILE_NAME.search(title)
    return title if sane else ""
