"""Tables that stand in a text, row by row between bars, as Markdown writes them.

Every reader writes tables of pages, slides and word processors so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.language.markup import plain
from weft.language.patterns import pattern
from weft.retrieval.tables.cells import day, quantity

_DELIMITERS = pattern(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
_HEADING = pattern(r"(#{1,6})\s+(.*)")
_BETWEEN = pattern(r"(?<!\\)\|")
# What a first column is called that has no name.
UNNAMED = "column 1"
_FEWEST_ROWS = 2
_LEAD = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRow:
    """The cells of a row without the signs of their format, and where it stands in the text."""

    cells: tuple[str, ...]
    span: Span


@dataclass(slots=True, kw_only=True)
class WrittenTable:
    """A table of a text: the headings above it, from the outermost, and the words before it.

    `head` is where the names of its columns stand.
    """

    headings: tuple[str, ...]
    lead: str
    head: Span
    columns: tuple[str, ...]
    rows: list[WrittenRow] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _Reader:
    headings: dict[int, str] = field(default_factory=dict)
    lead: str = ""
    block: list[WrittenRow] = field(default_factory=list)
    ruled: bool = False

    def tables(self) -> Iterator[WrittenTable]:
        """Yield the table of the lines so far, if they are one, and begin anew."""
        block, ruled = self.block, self.ruled
        self.block, self.ruled = [], False
        if len(block) < _FEWEST_ROWS or len(block[0].cells) < 2:
            return
        if not ruled and not _heads(block):
            return
        names = _named(block[0].cells)
        rows = [row for row in block[1:] if len(row.cells) == len(names)]
        # Rows of another width are cells that cannot be told: then the whole is no table.
        if rows and len(rows) == len(block) - 1:
            yield WrittenTable(
                headings=tuple(self.headings[level] for level in sorted(self.headings)),
                lead=self.lead,
                head=block[0].span,
                columns=names,
                rows=rows,
            )


def written_tables(text: str) -> Iterator[WrittenTable]:
    """Yield the tables of a text in order."""
    reader = _Reader()
    at = 0
    for line in text.split("\n"):
        start, said = at + len(line) - len(line.lstrip()), line.strip()
        at += len(line) + 1
        if "|" in said and _is_row(said, begun=bool(reader.block)):
            if _DELIMITERS.fullmatch(said) and "-" in said:
                reader.ruled = reader.ruled or len(reader.block) == 1
            else:
                span = Span(start=start, end=start + len(said))
                reader.block.append(WrittenRow(cells=cells_of(said), span=span))
            continue
        yield from reader.tables()
        if heading := _HEADING.fullmatch(said):
            level = len(heading[1])
            reader.headings = {one: text for one, text in reader.headings.items() if one < level}
            reader.headings[level] = plain(heading[2]).strip()
            reader.lead = ""
        elif said:
            reader.lead = said[-_LEAD:]
    yield from reader.tables()


def cells_of(line: str) -> tuple[str, ...]:
    """Return the cells of a row's line without the signs of their format."""
    said = line.strip()
    inner = said[1:] if said.startswith("|") else said
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return tuple(_bare(cell) for cell in _BETWEEN.split(inner))


def _bare(cell: str) -> str:
    said = cell.strip().replace("\\|", "|")
    return " ".join(plain(said).split()) if any(sign in said for sign in "*_`[<~\\") else said


def _is_row(said: str, *, begun: bool) -> bool:
    """Tell whether a line is a row: between bars; without the outer ones only inside a table."""
    if said.startswith("|"):
        return said.count("|") > 1
    return begun or said.count("|") > 1 or bool(_DELIMITERS.fullmatch(said) and "-" in said)


def _heads(block: Sequence[WrittenRow]) -> bool:
    """Tell whether the first of rows that no rule parts is their header: words over values."""
    first, others = block[0].cells, block[1:]
    if not all(first) or len(set(map(str.casefold, first))) < len(first):
        return False
    valued = [
        at
        for at in range(len(first))
        if all(len(row.cells) > at and _is_value(row.cells[at]) for row in others)
    ]
    return bool(valued) and not any(_is_value(cell) for cell in first)


def _is_value(cell: str) -> bool:
    return quantity(cell) is not None or day(cell) is not None


def _named(cells: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns: one without a name, or with another's, by its number."""
    names: list[str] = []
    for number, cell in enumerate(cells, 1):
        taken = {name.casefold() for name in names}
        names.append(
            cell if cell and cell.casefold() not in taken else f"{cell or 'column'} {number}"
        )
    return tuple(names)
