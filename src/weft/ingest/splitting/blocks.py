"""The units a record's text is made of: its blocks with their place among headings and pages."""

from __future__ import annotations

from collections.abc import Iterator

from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.domain.record import Block, BlockKind, Record, heading_name
from weft.language.patterns import pattern
from weft.language.sentences import stripped

_BLANK_LINES = pattern(r"\n[ \t\r\f\v]*\n\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A stripped stretch of text of one kind; `path` names the headings it stands under."""

    start: int
    end: int
    kind: BlockKind
    page: int | None = None
    path: tuple[str, ...] = ()

    @property
    def is_heading(self) -> bool:
        """Tell whether the unit is a heading."""
        return self.kind is BlockKind.HEADING


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Units under one heading on one page, the heading first; never empty."""

    units: tuple[Unit, ...]

    @property
    def start(self) -> int:
        """Return where the first unit begins."""
        return self.units[0].start

    @property
    def end(self) -> int:
        """Return where the last unit ends."""
        return self.units[-1].end

    @property
    def page(self) -> int | None:
        """Return the page of all the units."""
        return self.units[0].page


def units(record: Record) -> list[Unit]:
    """Return units that hold all of the record's text but white space, in order."""
    found: list[Unit] = []
    names: list[tuple[int, str]] = []
    for block in _blocks(record):
        span = stripped(record.content, Span(start=block.start, end=block.end))
        start, end = span.start, span.end
        if start == end:
            continue
        if block.kind is BlockKind.HEADING or block.level:
            names = [named for named in names if named[0] < block.level]
        if block.kind is BlockKind.HEADING:
            names.append((block.level, heading_name(record.content[start:end])))
        path = tuple(name for _, name in names if name)
        found.append(Unit(start=start, end=end, kind=block.kind, page=block.page, path=path))
    return found


def sections(found: list[Unit]) -> list[Section]:
    """Return the units grouped: a new group where a heading follows a body, and at each page."""
    groups: list[list[Unit]] = []
    for unit in found:
        last = groups[-1][-1] if groups else None
        opens = unit.is_heading and not (last is not None and last.is_heading)
        if last is None or opens or last.page != unit.page:
            groups.append([])
        groups[-1].append(unit)
    return [Section(units=tuple(group)) for group in groups]


def _blocks(record: Record) -> Iterator[Block]:
    """Yield the record's blocks, and paragraphs for the text that no block covers."""
    at = 0
    page: int | None = None
    for block in record.blocks:
        yield from _paragraphs(record.content, Span(start=at, end=block.start), page=page)
        yield block
        at, page = block.end, block.page
    yield from _paragraphs(record.content, Span(start=at, end=len(record.content)), page=page)


def _paragraphs(text: str, span: Span, *, page: int | None) -> Iterator[Block]:
    start = span.start
    for gap in _BLANK_LINES.finditer(text, start, span.end):
        yield Block(start=start, end=gap.start(), kind=BlockKind.PARAGRAPH, page=page)
        start = gap.end()
    yield Block(start=start, end=span.end, kind=BlockKind.PARAGRAPH, page=page)
