"""Rows of tables in a text, each about the thing in one of its cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.extraction.rules.bare import bare
from weft.extraction.rules.literals import literals
from weft.language.markup import plain
from weft.language.patterns import pattern
from weft.ontology.schema import Ontology, Relation, spelt

_DELIMITERS = pattern(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
_BETWEEN = pattern(r"(?<!\\)\|")
_FENCE = ("```", "~~~")
_MOST_COLUMNS = 16
# Of a longer table the first rows count: what is asked of all of it is computed, not claimed.
_MOST_ROWS = 200
_LONGEST_SUBJECT, _LONGEST_VALUE, _LONGEST_COLUMN = 80, 160, 40
_NOTHING = frozenset({"", "-", "–", "—", "n/a", "na", "none", "null", "tbd", "?", "없음"})
_DISTINCT = 0.9
# A column of these headings counts or dates the rows, and names none.
_COUNTS = frozenset("# no no. nr id date day year month week time when rank 번호 날짜 일자".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class StatingCell:
    """A cell of a row: its column, what the ontology calls that, and its words with their place."""

    column: str
    relation: Relation | None
    span: Span
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatingRow:
    """A row about a thing: `kind` is the class that its column is named by, if it is."""

    span: Span
    subject: StatingCell
    kind: str
    values: tuple[StatingCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    span: Span
    cells: tuple[Span, ...]


def table_rows(text: str, ontology: Ontology) -> list[StatingRow]:
    """Return the rows of a text's tables in order; a table has a rule under its header.

    A row is about the first cell whose column tells the rows apart by words; a table without such
    a column says nothing of anything.
    """
    if "|" not in text:
        return []
    return [row for table in _tables(text) for row in _rows(text, table, ontology)]


def _tables(text: str) -> Iterator[list[_Line]]:
    """Yield the lines of each table, its header first."""
    lines: list[_Line] = []
    is_ruled = is_code = False
    at = 0
    for line in [*text.split("\n"), ""]:
        said, start = line.strip(), at + len(line) - len(line.lstrip())
        at += len(line) + 1
        if said.startswith(_FENCE):
            is_code = not is_code
        if "|" in said and not is_code:
            if "-" in said and _DELIMITERS.fullmatch(said):
                is_ruled = is_ruled or len(lines) == 1
            else:
                lines.append(_line(said, start))
            continue
        if is_ruled and len(lines) > 1:
            yield lines
        lines, is_ruled = [], False


def _line(said: str, start: int) -> _Line:
    left = 1 if said.startswith("|") else 0
    right = len(said) - 1 if said.endswith("|") and not said.endswith("\\|") else len(said)
    edges = [left]
    for match in _BETWEEN.finditer(said, left, max(left, right)):
        edges += [match.start(), match.end()]
    edges.append(max(left, right))
    cells = [
        Span(start=start + one, end=start + other)
        for one, other in zip(edges[::2], edges[1::2], strict=True)
    ]
    return _Line(span=Span(start=start, end=start + len(said)), cells=tuple(cells))


def _rows(text: str, lines: Sequence[_Line], ontology: Ontology) -> Iterator[StatingRow]:
    header, body = lines[0], lines[1 : _MOST_ROWS + 1]
    width = len(header.cells)
    # Rows of another width are cells that cannot be told.
    if not 2 <= width <= _MOST_COLUMNS or any(len(line.cells) != width for line in body):
        return
    columns = [" ".join(plain(text[cell.start : cell.end]).split()) for cell in header.cells]
    spans = [[bare(text, cell) for cell in line.cells] for line in body]
    told = [[text[span.start : span.end] for span in row] for row in spans]
    key = next((at for at in range(min(2, width)) if _names_rows(columns[at], told, at)), None)
    if key is None:
        return
    relations = [ontology.relation(column) if column else None for column in columns]
    kind = _kind(columns[key], ontology)
    for line, row, words in zip(body, spans, told, strict=True):
        cells = [
            StatingCell(column=column, relation=relation, span=span, text=said)
            for column, relation, span, said in zip(columns, relations, row, words, strict=True)
        ]
        if _is_subject(words[key]):
            values = tuple(one for at, one in enumerate(cells) if at != key and _says(one))
            yield StatingRow(span=line.span, subject=cells[key], kind=kind, values=values)


def _names_rows(column: str, told: Sequence[Sequence[str]], at: int) -> bool:
    """Tell whether the cells of a column are words that tell the rows apart."""
    said = [row[at].casefold() for row in told if row[at]]
    if column.casefold() in _COUNTS or not said or len(set(said)) < _DISTINCT * len(told):
        return False
    return sum(map(_is_subject, said)) >= _DISTINCT * len(said)


def _is_subject(said: str) -> bool:
    if not 1 < len(said) <= _LONGEST_SUBJECT or said.casefold() in _NOTHING:
        return False
    covered = sum(each.end - each.start for each in literals(said))
    return any(char.isalpha() for char in said) and covered < len(said)


def _says(cell: StatingCell) -> bool:
    is_told = cell.text.casefold() not in _NOTHING and len(cell.text) <= _LONGEST_VALUE
    return is_told and 0 < len(cell.column) <= _LONGEST_COLUMN


def _kind(column: str, ontology: Ontology) -> str:
    """Return the class that a column's heading names (`Services`), empty if none."""
    name = spelt(column)
    found = ontology.entity_class(name) or ontology.entity_class(name.removesuffix("s"))
    return found.name if found and not found.literal else ""
