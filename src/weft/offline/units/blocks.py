"""The blocks of a passage: headings, items, rows, labelled lines, code and paragraphs."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from weft.domain.frozen import dataclass
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
    """A block's span in its passage, markers left out; `level` is that of a heading."""

    kind: LineKind
    start: int
    end: int
    level: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    start: int
    end: int
    text: str


def blocks_of(text: str) -> tuple[LineBlock, ...]:
    """Return the blocks of a passage in order; rules, fences and blank lines are in none."""
    found: list[LineBlock] = []
    fenced = closed = False
    for line in _lines(text):
        if _FENCE.match(line.text):
            fenced, closed = not fenced, True
            continue
        if fenced:
            found.append(LineBlock(kind=LineKind.CODE, start=line.start, end=line.end))
            continue
        if not line.text.strip():
            closed = True
            continue
        if not closed and found and _marks_the_last(line, found):
            closed = True
            continue
        block = _opened(line)
        if closed or not found or not _goes_on(found[-1], block, line):
            if not _UNDERLINE.fullmatch(line.text.strip()):
                found.append(block)
        else:
            last = found[-1]
            found[-1] = LineBlock(kind=last.kind, start=last.start, end=line.end, level=last.level)
        closed = False
    return tuple(found)


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
    heading = _HEADING.match(line.text)
    if heading:
        start = line.start + heading.end() - 1
        return LineBlock(
            kind=LineKind.HEADING, start=start, end=line.end, level=len(heading.group(1))
        )
    if _ROW.match(line.text):
        return LineBlock(kind=LineKind.ROW, start=line.start, end=line.end)
    item = _ITEM.match(line.text)
    if item:
        return LineBlock(kind=LineKind.ITEM, start=line.start + item.end(), end=line.end)
    kind = LineKind.FIELD if is_field(line.text) else LineKind.PARAGRAPH
    return LineBlock(kind=kind, start=line.start, end=line.end)


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
    return last.kind is not LineKind.FIELD or line.text[:1].isspace()
