"""The structure of plain text, Markdown and reStructuredText: headings, items, rows, code."""

from __future__ import annotations

import re
from dataclasses import field
from enum import StrEnum

from weft.domain.frozen import dataclass
from weft.domain.record import Block, BlockKind, heading_name
from weft.language.blocks.restructured import directive_in, indent_of, is_target, opens_literal

_FENCE = re.compile(r"[ ]{0,3}(```+|~~~+)")
_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+\S")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣·]|\d{1,4}[.)]|\([a-zA-Z0-9]{1,3}\)|[a-z]\))[ \t]+\S")
_ROW = re.compile(r"[ \t]*(?:\|.*\S|\+(?:[-=]+\+)+[ \t]*$)")
_RULE = re.compile(r"[ ]{0,3}([=\-~^\"*#+_.:])\1{2,}[ \t]*$")
_INDENTED = re.compile(r"(?: {4}|\t)\s*\S")
_LONGEST_HEADING = 200
# What a directive describes stands below every section.
_DESCRIBED = 10


class Style(StrEnum):
    """How a text is written: whether indented lines are code, and whether marks mean anything."""

    MARKDOWN = "markdown"
    RESTRUCTURED = "restructured"
    PLAIN = "plain"
    SOURCE = "source"


def blocks(text: str, *, start: int = 0, style: Style = Style.MARKDOWN) -> list[Block]:
    """Return the blocks of `text` from `start` on, in order; between them is only white space.

    A source text (configuration, programs) has no headings or items, only groups of lines.
    """
    scan = _Scan(text=text, style=style, lines=_lines(text, start))
    while scan.at < len(scan.lines):
        if not scan.line(scan.at).strip():
            scan.at += 1
        elif style is Style.SOURCE:
            scan.emit(BlockKind.CODE, _after_group(scan))
        else:
            _next_block(scan)
    return scan.found


def first_heading(text: str, found: list[Block]) -> str:
    """Return the name of the first heading that has one, else an empty text."""
    named = (
        heading_name(text[block.start : block.end])
        for block in found
        if block.kind is BlockKind.HEADING
    )
    return next((name for name in named if name), "")


@dataclass(slots=True)
class _Scan:
    text: str
    style: Style
    lines: list[tuple[int, int]]
    at: int = 0
    literal: int | None = None  # how far the line is indented below which all is shown as it stands
    found: list[Block] = field(default_factory=list)
    levels: dict[str, int] = field(default_factory=lambda: {"=": 1, "-": 2})

    def line(self, at: int) -> str:
        """Return a line without its end; past the last line, an empty one."""
        if at >= len(self.lines):
            return ""
        start, end = self.lines[at]
        return self.text[start:end]

    def emit(self, kind: BlockKind, upto: int, *, level: int = 0) -> None:
        """Make the lines from here to `upto` one block, and go on there."""
        start, end = self.lines[self.at][0], self.lines[upto - 1][1]
        words = self.text[start:end]
        start += len(words) - len(words.lstrip())
        end -= len(words) - len(words.rstrip())
        if kind is not BlockKind.HEADING and self.style is Style.RESTRUCTURED:
            level = _DESCRIBED + indent_of(self.line(self.at))
        self.found.append(Block(start=start, end=end, kind=kind, level=level))
        self.at = upto


def _lines(text: str, start: int) -> list[tuple[int, int]]:
    spans = []
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        spans.append((start, end))
        start = end + 1
    return spans


def _next_block(scan: _Scan) -> None:
    line = scan.line(scan.at)
    if scan.style is Style.RESTRUCTURED and _next_restructured(scan, line):
        return
    if _FENCE.match(line):
        scan.emit(BlockKind.CODE, _after_fence(scan, line))
    elif heading := _HEADING.match(line):
        scan.emit(BlockKind.HEADING, scan.at + 1, level=len(heading[1]))
    elif _ROW.match(line):
        scan.emit(BlockKind.ROW, _after_row(scan))
    elif _is_rule(line):
        _emit_overlined(scan, line)
    elif _is_indented_code(scan, line):
        scan.emit(BlockKind.CODE, _after_indented(scan))
    else:
        kind = BlockKind.ITEM if _ITEM.match(line) else BlockKind.PARAGRAPH
        _emit_prose(scan, kind)


def _next_restructured(scan: _Scan, line: str) -> bool:
    """Emit what only reStructuredText has, if the next block is that; tell whether it is."""
    if scan.literal is not None and indent_of(line) > scan.literal:
        scan.emit(BlockKind.CODE, _after_literal(scan, scan.literal))
        return True
    scan.literal = None
    directive = directive_in(line)
    if directive is None and not is_target(line):
        return False
    if directive is not None and directive.describes and _has_body(scan, line):
        level = _DESCRIBED + indent_of(line)
        scan.emit(BlockKind.HEADING, scan.at + 1, level=level)
        return True
    if opens_literal(line):
        scan.literal = indent_of(line)
    scan.emit(BlockKind.PARAGRAPH, scan.at + 1)
    return True


def _has_body(scan: _Scan, line: str) -> bool:
    at = scan.at + 1
    while at < len(scan.lines) and not scan.line(at).strip():
        at += 1
    return indent_of(scan.line(at)) > indent_of(line)


def _after_literal(scan: _Scan, indent: int) -> int:
    at = scan.at + 1
    while scan.line(at).strip() and indent_of(scan.line(at)) > indent:
        at += 1
    return at


def _is_indented_code(scan: _Scan, line: str) -> bool:
    """Only below a blank line, and not what belongs to the item above."""
    if scan.style is not Style.MARKDOWN or not _INDENTED.match(line) or _ITEM.match(line):
        return False
    return not scan.found or scan.found[-1].kind is not BlockKind.ITEM


def _after_group(scan: _Scan) -> int:
    at = scan.at + 1
    while scan.line(at).strip():
        at += 1
    return at


def _after_fence(scan: _Scan, opening: str) -> int:
    marks = opening.strip()[:3]
    at = scan.at + 1
    while at < len(scan.lines) and not scan.line(at).lstrip().startswith(marks):
        at += 1
    return min(at + 1, len(scan.lines))


def _after_row(scan: _Scan) -> int:
    """A line that only draws the table belongs to the row above it."""
    at = scan.at + 1
    while (line := scan.line(at)) and _ROW.match(line) and not any(map(str.isalnum, line)):
        at += 1
    return at


def _after_indented(scan: _Scan) -> int:
    at = scan.at + 1
    while _INDENTED.match(scan.line(at)):
        at += 1
    return at


def _emit_overlined(scan: _Scan, line: str) -> None:
    """A rule is a heading's when a like rule follows the next line; else it stands alone."""
    title, below = scan.line(scan.at + 1), scan.line(scan.at + 2)
    if title.strip() and _is_rule(below) and below.strip()[0] == line.strip()[0]:
        mark = line.strip()[0]
        scan.emit(BlockKind.HEADING, scan.at + 3, level=1 if mark in "=#*" else _level(scan, mark))
    else:
        scan.emit(BlockKind.PARAGRAPH, scan.at + 1)


def _emit_prose(scan: _Scan, kind: BlockKind) -> None:
    at = scan.at + 1
    below = scan.line(at)
    short = len(scan.line(scan.at)) <= _LONGEST_HEADING
    if kind is BlockKind.PARAGRAPH and short and _is_rule(below):
        scan.emit(BlockKind.HEADING, at + 1, level=_level(scan, below.strip()[0]))
        return
    while at < len(scan.lines) and not _begins_another(scan.line(at)):
        at += 1
    if scan.style is Style.RESTRUCTURED and opens_literal(scan.line(at - 1)):
        scan.literal = indent_of(scan.line(scan.at))
    scan.emit(kind, at)


def _begins_another(line: str) -> bool:
    if not line or line.isspace():
        return True
    return any(mark.match(line) for mark in (_FENCE, _HEADING, _ITEM, _ROW, _RULE))


def _is_rule(line: str) -> bool:
    return bool(line) and _RULE.match(line) is not None


def _level(scan: _Scan, mark: str) -> int:
    """Headings underlined alike are of one depth; new marks are deeper than those before."""
    return scan.levels.setdefault(mark, len(scan.levels) + 1)
