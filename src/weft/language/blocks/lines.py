"""The blocks of a passage: headings, items, rows, labelled lines, code and paragraphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from enum import StrEnum

from weft.domain.frozen import dataclass
from weft.language.blocks.restructured import (
    Directive,
    directive_in,
    indent_of,
    is_target,
    opens_literal,
)
from weft.language.patterns import pattern

_HEADING = pattern(r"[ \t]*(#{1,6})[ \t]+\S")
_ITEM = pattern(r"[ \t>]*(?:[-*+•‣·]|\d{1,3}[.)]|\([a-zA-Z0-9]{1,3}\)|[a-z]\))[ \t]+(?=\S)")
_ROW = pattern(r"[ \t]*\|.*\|")
_TABLE_RULE = pattern(r"[ \t]*+(?:\|[ \t]*+)?:?-{2,}+:?[ \t]*+(?:\|[ \t:|-]*+)?$")
_UNDERLINE = pattern(r"([=\-~^\"*#+_.:])\1{2,}[ \t]*$")
_FENCE = pattern(r"[ \t]*(?:```|~~~)")
_FIELD = pattern(
    r"[ \t>]*(?:\*\*|__)?[^\W\d_]"
    r"[\w .()/-]{0,38}?(?:\*\*|__)?:(?:\*\*|__)?[ \t]+\S"
)
# With the signs around a label, and "key = value" as settings have it.
_LABELLED = pattern(r"^[ \t>*-]*[\"']?([^\W\d_][\w .()/-]{1,38}?)[\"']?\s*[:=]\s+(\S.*)$")
_FIELD_WORDS = 4
_UNDERLINED = 6
# What a directive describes stands below every heading.
_DESCRIBED = 10
# A line that goes on in the next one is as long as its page is wide.
_WRAPPED = 60
_GOES_ON = pattern(r"[a-z:`(\"'*\[]")


class LineKind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    HEADER = "header"
    ITEM = "item"
    ROW = "row"
    FIELD = "field"
    CODE = "code"
    PARAGRAPH = "paragraph"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineBlock:
    """A block's span in its passage, markers left out; `level` is that of a heading.

    `indent` is how far the line that opens it is indented.
    """

    kind: LineKind
    start: int
    end: int
    level: int = 0
    indent: int = 0

    @property
    def closes(self) -> int:
        """Return from which level on no description goes on here."""
        return _DESCRIBED + self.indent


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    start: int
    end: int
    text: str


def blocks_of(text: str) -> tuple[LineBlock, ...]:
    """Return the blocks of a passage in order; rules, fences and blank lines are in none."""
    scan = _Scan()
    for line in _lines(text):
        scan.take(line)
    return tuple(scan.found)


@dataclass(slots=True)
class _Scan:
    """The blocks so far; `literal` is how far the line is indented below which code stands.

    `notice` is how far a notice is indented that the next block opens, which goes no further in.
    """

    found: list[LineBlock] = field(default_factory=list)
    is_fenced: bool = False
    is_closed: bool = False
    literal: int | None = None
    notice: int | None = None

    def take(self, line: _Line) -> None:
        """Take the next line."""
        if not line.text.strip():
            self.is_closed = True
        elif self._is_literal(line):
            self._add(LineKind.CODE, line)
        elif not self._takes_fence(line):
            self._take_prose(line)

    def _is_literal(self, line: _Line) -> bool:
        if self.is_fenced or self.literal is None:
            return False
        if indent_of(line.text) <= self.literal:
            self.literal = None
        return self.literal is not None

    def _takes_fence(self, line: _Line) -> bool:
        """Take a fence, or a line between two; tell whether it is one."""
        if _FENCE.match(line.text) and not self._underlines(line):
            self.is_fenced, self.is_closed = not self.is_fenced, True
            return True
        if self.is_fenced:
            self._add(LineKind.CODE, line)
        return self.is_fenced

    def _underlines(self, line: _Line) -> bool:
        """Tell whether a line of tildes is below a heading, as long as that at least."""
        if self.is_fenced or self.is_closed or not self.found:
            return False
        last, rule = self.found[-1], line.text.strip()
        is_title = last.kind in (LineKind.PARAGRAPH, LineKind.FIELD)
        return is_title and set(rule) == {"~"} and len(rule) >= last.end - last.start

    def _take_prose(self, line: _Line) -> None:
        if not self.is_closed and self.found and _marks_the_last(line, self.found):
            self.is_closed = True
            return
        if is_target(line.text):
            self.is_closed = True
            return
        if opens_literal(line.text):
            self.literal = indent_of(line.text)
        directive = directive_in(line.text)
        if directive is not None:
            self._direct(line, directive)
            return
        block = _opened(line)
        if self.is_closed or not self.found or not _goes_on(self.found[-1], block, line):
            if self.notice is not None:
                block = replace(block, indent=min(self.notice, block.indent))
                self.notice = None
            if not _UNDERLINE.fullmatch(line.text.strip()):
                self.found.append(block)
        else:
            self.found[-1] = replace(self.found[-1], end=line.end)
        self.is_closed = False

    def _direct(self, line: _Line, directive: Directive) -> None:
        """Take a directive's line: what it describes is a heading, what it says is a paragraph."""
        if directive.describes:
            level = _DESCRIBED + indent_of(line.text)
            self._add(LineKind.HEADING, line, at=directive.start, level=level)
        elif line.text[directive.start :].strip():
            at = line.text.index(directive.name) if directive.tells_when else directive.start
            self._add(LineKind.PARAGRAPH, line, at=at)
            self.is_closed = False
        else:
            self.notice, self.is_closed = indent_of(line.text), True

    def _add(self, kind: LineKind, line: _Line, *, at: int = 0, level: int = 0) -> None:
        indent = indent_of(line.text)
        start = line.start + at
        block = LineBlock(kind=kind, start=start, end=line.end, level=level, indent=indent)
        self.found.append(block)
        self.is_closed = True


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for piece in text.splitlines(keepends=True):
        bare = piece.rstrip("\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
        yield _Line(start=start, end=start + len(bare), text=bare)
        start += len(piece)


def _marks_the_last(line: _Line, found: list[LineBlock]) -> bool:
    """Take a rule below a row for a table's and below a single line for a heading's."""
    last = found[-1]
    if last.kind is LineKind.ROW and _TABLE_RULE.match(line.text):
        found[-1] = LineBlock(kind=LineKind.HEADER, start=last.start, end=last.end)
        return True
    underlined = _UNDERLINE.fullmatch(line.text.strip())
    if underlined and last.kind in (LineKind.PARAGRAPH, LineKind.FIELD):
        found[-1] = LineBlock(
            kind=LineKind.HEADING, start=last.start, end=last.end, level=_UNDERLINED
        )
        return True
    return False


def _opened(line: _Line) -> LineBlock:
    """Return the block that a line opens, if it opens one."""
    indent = indent_of(line.text)
    heading = _HEADING.match(line.text)
    if heading:
        start = line.start + heading.end() - 1
        return LineBlock(
            kind=LineKind.HEADING, start=start, end=line.end, level=len(heading.group(1))
        )
    if _ROW.match(line.text):
        return LineBlock(kind=LineKind.ROW, start=line.start, end=line.end, indent=indent)
    item = _ITEM.match(line.text)
    if item:
        start = line.start + item.end()
        return LineBlock(kind=LineKind.ITEM, start=start, end=line.end, indent=indent)
    kind = LineKind.FIELD if is_field(line.text) else LineKind.PARAGRAPH
    return LineBlock(kind=kind, start=line.start, end=line.end, indent=indent)


def underline_of(text: str, block: LineBlock) -> str:
    """Return the sign that a heading is underlined with; empty where it is marked otherwise."""
    below = text[block.end :].lstrip("\r\n").partition("\n")[0].strip()
    return below[0] if block.level == _UNDERLINED and _UNDERLINE.fullmatch(below) else ""


def is_field(line: str) -> bool:
    """Tell whether a line begins with a label of few words and a colon."""
    match = _FIELD.match(line)
    return match is not None and len(line.split(":", 1)[0].split()) <= _FIELD_WORDS


def label_of(line: str) -> str:
    """Return the label of a `Key: value` line, or an empty string."""
    match = _LABELLED.match(line) if "\n" not in line else None
    return match[1] if match and len(match[1].split()) <= _FIELD_WORDS else ""


def _goes_on(last: LineBlock, block: LineBlock, line: _Line) -> bool:
    """Tell whether a line belongs to the block before it."""
    if last.kind in (LineKind.HEADING, LineKind.ROW, LineKind.HEADER, LineKind.CODE):
        return False
    if block.kind is LineKind.FIELD:
        return last.kind is LineKind.PARAGRAPH or (
            last.kind is LineKind.ITEM and line.text[:1].isspace()
        )
    if block.kind is not LineKind.PARAGRAPH:
        return False
    is_wrapped = _GOES_ON.match(line.text) is not None and last.end - last.start >= _WRAPPED
    return last.kind is not LineKind.FIELD or line.text[:1].isspace() or is_wrapped
