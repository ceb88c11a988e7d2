"""Tables read from the passages that they are stored in.

Their rows are the records of a file, the pages of a folder by their heads, or stand in a text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from math import isclose

from weft.domain.document import Chunk, Document, Span
from weft.domain.frozen import dataclass
from weft.language.layout import heads_of, names_over, section_name
from weft.language.markup import pieces_of
from weft.language.patterns import pattern
from weft.language.sentences import ends_with_stop
from weft.ports.knowledge import StoredChunk
from weft.retrieval.tables.cells import quantity
from weft.retrieval.tables.places import Place, TableKind
from weft.retrieval.tables.table import RowPlace, TableRow, TypedTable, typed_columns
from weft.retrieval.tables.written import WrittenRow, WrittenTable, written_tables

# Columns that have a meaning of their own stand in a record's text, not among its metadata.
_OWN = frozenset(
    {"content", "text", "document", "references", "title", "name", "updated_at", "updated"}
    | {"created_at", "created", "id", "category", "links"}
)
_HIDDEN = frozenset({"acl", "sheet"})
_LINE = pattern(r"([^:\n]{1,120}?): (.*)")
_LABEL = pattern(r"(?:\*\*|__)?([^\W\d_][^:=*\n]{0,40}?)(?:\*\*|__)?\s?:(?:\*\*|__)?\s+(\S.*)")
_HEADING = pattern(r"^#{1,6} ", 8)
_UNTOLD = frozenset({"title", "slug", "layout", "permalink"})
_INDEX = frozenset({"index", "readme", "overview", "_index", "contents"})
_LABEL_WORDS = 4
_FEWEST = 2
# What a last row is called that adds up those above it, of which there are more than so many.
_TOTALS = frozenset({"total", "totals", "grand total", "sum", "합계", "총계", "계"})
_FEWEST_ADDED, _MOST_ADDED = 2, 1_000
_ADDS = pattern(
    r"^(?:(?:sub|grand)[- ]?)?totals?\b|\btotals?$|^sum\b|^(?:합계|소계|총계|계)$", re.IGNORECASE
)
_REMARK, _NAMED = 3, 2
_SHEET = "sheet"
# Names of sheets, all together, that a table is called by.
_LONGEST_SAID = 80
TITLE = "title"
CONTENT = "content"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredText:
    """The passages of a document in order, and its text at their offsets: blank between them."""

    document: Document
    chunks: tuple[Chunk, ...]
    text: str

    def place(self, span: Span) -> RowPlace:
        """Return where a stretch of the text stands: in the first passage that begins it."""
        starts = [chunk.start for chunk in self.chunks]
        at = max(bisect_right(starts, span.start) - 1, 0)
        # Passages overlap: an earlier one may hold the whole where the later begins inside.
        while at > 0 and self.chunks[at].end < span.end <= self.chunks[at - 1].end:
            at -= 1
        chunk = self.chunks[at]
        end = min(span.end, chunk.end) - chunk.start
        return RowPlace(
            document_id=chunk.document_id,
            chunk_id=chunk.id,
            start=span.start - chunk.start,
            end=end,
        )


def last_day(texts: Iterable[StoredText]) -> date | None:
    """Return the last day on which one of some texts was changed, as far as that is known."""
    days = [one.document.updated for one in texts if one.document.updated is not None]
    return max(days).date() if days else None


def tables_at(base: str, place: Place, *, stored: Sequence[StoredChunk]) -> tuple[TypedTable, ...]:
    """Return the tables of a place from its readable passages in order."""
    documents: dict[str, list[StoredChunk]] = {}
    for one in stored:
        documents.setdefault(one.document.id, []).append(one)
    texts = [stored_text(own) for own in documents.values()]
    kind, key = place
    if kind is TableKind.RECORDS:
        return tuple(one for one in tables_of_records(base, key, records=texts) if one.rows)
    if kind is TableKind.PAGES:
        table = table_of_pages(base, key, pages=texts)
        return (table,) if table is not None else ()
    return tuple(
        _written(base, texts[0], table, number=number)
        for number, table in enumerate(written_tables(texts[0].text), 1)
    )


def _written(base: str, text: StoredText, table: WrittenTable, *, number: int) -> TypedTable:
    document = text.document
    columns, written = _laid_out(table)
    rows = of_things(
        tuple(TableRow(cells=row.cells, place=text.place(row.span)) for row in written)
    )
    headings = [one for one in table.headings if one]
    file = document.id.rpartition("/")[2].rpartition(".")[0]
    return TypedTable(
        knowledge_base=base,
        name=f"{document.id}#table{number}",
        title=headings[-1] if headings else document.title,
        around=" ".join([document.title, *headings, file, table.lead]),
        columns=typed_columns(columns, rows),
        rows=rows,
        as_of=last_day([text]),
    )


def _laid_out(table: WrittenTable) -> tuple[tuple[str, ...], list[WrittenRow]]:
    """Return columns and rows of which each has what a line or a name above it says it is of."""
    columns, rows = table.columns, table.rows
    if heads := heads_of([row.cells for row in rows]):
        columns = (section_name(columns), *columns)
        section, below = "", list[WrittenRow]()
        for head, row in zip(heads, rows, strict=True):
            section = head or section
            if not head:
                below.append(WrittenRow(cells=(section, *row.cells), span=row.span))
        rows = below
    at = len(columns) - len(table.columns)
    if names := names_over([row.cells for row in rows], at=at):
        rows = [
            WrittenRow(cells=(*row.cells[:at], name, *row.cells[at + 1 :]), span=row.span)
            for row, name in zip(rows, names, strict=True)
        ]
    return columns, rows


def stored_text(passages: Sequence[StoredChunk]) -> StoredText:
    """Return the text of one document whose passages are given in order; never none of them."""
    parts: list[str] = []
    at = 0
    for one in passages:
        chunk = one.chunk
        if chunk.start > at:
            # A line break, so that what stands on both sides is not read as one line.
            parts.append("\n" * (chunk.start - at))
            at = chunk.start
        if chunk.end > at:
            parts.append(chunk.text[at - chunk.start :])
            at = chunk.end
    return StoredText(
        document=passages[0].document,
        chunks=tuple(one.chunk for one in passages),
        text="".join(parts),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Called:
    name: str
    title: str
    around: str


def tables_of_records(
    base: str, key: str, *, records: Sequence[StoredText]
) -> Iterator[TypedTable]:
    """Yield the tables of a file whose records are given: one, or one a sheet.

    Sheets with the same columns are one table, in which each row has its sheet.
    """
    sheets: dict[str, list[StoredText]] = {}
    for one in records:
        sheets.setdefault(str(one.document.metadata.get("sheet") or ""), []).append(one)
    alike: dict[tuple[str, ...], list[_Sheet]] = {}
    for sheet, own in sheets.items():
        lined = [_lined(one) for one in own]
        # Prose beside rows of the same sheet is a remark above or below them.
        fields = lined if any(lined) else [_described(one) for one in own]
        rows = [(one, row) for one, row in zip(own, fields, strict=True) if row]
        columns = dict.fromkeys(column.casefold() for _, row in rows for column in row)
        alike.setdefault(tuple(columns), []).append(_Sheet(name=sheet, rows=rows))
    for together in alike.values():
        yield _of_sheets(base, key, together)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sheet:
    name: str
    rows: Sequence[tuple[StoredText, Mapping[str, str]]]


def _of_sheets(base: str, key: str, sheets: Sequence[_Sheet]) -> TypedTable:
    """Return the table of some sheets that have the same columns."""
    said = " ".join(one.name for one in sheets)
    called = _Called(
        name=f"{key}#{said}" if said else key,
        title=f"{key.rpartition('/')[2]} {said if len(said) <= _LONGEST_SAID else ''}".rstrip(),
        around=f"{key.rpartition('.')[0] or key} {said}".replace("/", " "),
    )
    own = [(text, one.name, fields) for one in sheets for text, fields in one.rows]
    is_several = len(sheets) > 1 and not any(_SHEET in map(str.casefold, row) for *_, row in own)
    return _table(
        base,
        called,
        records=[text for text, *_ in own],
        fields=[{"Sheet": name, **row} if is_several else row for _, name, row in own],
    )


def table_of_pages(base: str, key: str, *, pages: Sequence[StoredText]) -> TypedTable | None:
    """Return the pages of a folder by the labelled lines at their heads; None without such.

    Only a label that more than one page has is a column; a page without any is no row, and where
    it is not one that leads to the others, what is counted would lack it: then there is no table.
    """
    found = [(page, dict(_labelled(page))) for page in pages]
    counts = Counter(name for _, fields in found for name in fields)
    kept: list[tuple[StoredText, dict[str, str]]] = []
    for page, fields in found:
        own = {name: value for name, value in fields.items() if counts[name] > 1}
        file = page.document.id.rpartition("/")[2].partition(".")[0].casefold()
        if own:
            kept.append((page, {TITLE: page.document.title, **own}))
        elif file not in _INDEX:
            return None
    if len(kept) < _FEWEST:
        return None
    folder = key.rpartition("/")[2]
    called = _Called(name=f"{key}/", title=f"{folder}/", around=key.replace("/", " "))
    return _table(
        base,
        called,
        records=[page for page, _ in kept],
        fields=[fields for _, fields in kept],
    )


def _table(
    base: str,
    called: _Called,
    *,
    records: Sequence[StoredText],
    fields: Sequence[Mapping[str, str]],
) -> TypedTable:
    names: dict[str, str] = {}
    for row in fields:
        for column in row:
            names.setdefault(column.casefold(), column)
    folded = [{column.casefold(): value for column, value in row.items()} for row in fields]
    rows = of_things(
        tuple(
            TableRow(
                cells=tuple(row.get(column, "") for column in names),
                place=record.place(Span(start=0, end=len(record.text))),
            )
            for record, row in zip(records, folded, strict=True)
        )
    )
    return TypedTable(
        knowledge_base=base,
        name=called.name,
        title=called.title,
        around=called.around,
        columns=typed_columns(list(names.values()), rows),
        rows=rows,
        as_of=last_day(records),
    )


def of_things(rows: tuple[TableRow, ...]) -> tuple[TableRow, ...]:
    """Return rows without what is no thing of a table: remarks at its end, and what adds up."""
    rows = _without_sums(rows)
    end = len(rows)
    while end > _FEWEST_ADDED and _is_alone(rows[end - 1]):
        end -= 1
    added = end > _FEWEST_ADDED and _is_total(rows[end - 1])
    if added and not any(map(_is_total, rows[: end - 1])):
        return rows[: end - 1]
    # Without what adds up above them only sentences are remarks: of a thing less may be known.
    things = len(rows)
    while things > end and ends_with_stop(rows[things - 1].cells[0].strip()):
        things -= 1
    return rows[:things]


def _without_sums(rows: tuple[TableRow, ...]) -> tuple[TableRow, ...]:
    """Return rows without those that are called a total and add up the ones above them.

    That is of all that stand above, or of those behind the last such row.
    """
    if len(rows) > _MOST_ADDED or not any(map(_may_add, rows[1:])):
        return rows
    found: list[TableRow] = []
    part: Counter[int] = Counter()
    whole: Counter[int] = Counter()
    for row in rows:
        figures = {at: read.value for at, cell in enumerate(row.cells) if (read := quantity(cell))}
        if _may_add(row) and (_adds(figures, part) or _adds(figures, whole)):
            part.clear()
            continue
        part.update(figures)
        whole.update(figures)
        found.append(row)
    return tuple(found)


def _adds(figures: Mapping[int, float], sums: Mapping[int, float]) -> bool:
    """Tell whether some figures are what stands above them, added up."""
    return bool(figures) and all(
        isclose(value, sums.get(at, 0.0), rel_tol=1e-6, abs_tol=0.01)
        for at, value in figures.items()
    )


def _is_alone(row: TableRow) -> bool:
    """Tell whether a row has some words in its first cell and nothing in the others."""
    first, *others = row.cells
    return len(others) > 1 and not any(map(str.strip, others)) and len(first.split()) >= _REMARK


def _may_add(row: TableRow) -> bool:
    return any(_ADDS.search(name) for name in _names(row))


def _is_total(row: TableRow) -> bool:
    return any(name.casefold() in _TOTALS for name in _names(row))


def _names(row: TableRow) -> list[str]:
    """Return what a row is called: what stands in the first of its cells that say something.

    Before that may stand what several rows are of.
    """
    return [one for cell in row.cells if (one := cell.strip("*_: \t"))][:_NAMED]


def _lined(record: StoredText) -> dict[str, str]:
    """Return what a record has by column as the lines of its text say it; nothing of prose."""
    document = record.document
    known = {name.casefold() for name in document.metadata} | _OWN
    fields: dict[str, str] = {}
    last = ""
    for line in record.text.split("\n"):
        match = _LINE.fullmatch(line)
        if match and match[1].strip().casefold() in known:
            last = match[1].strip()
            fields[last] = match[2].strip()
        elif last:
            fields[last] += f"\n{line}"
        elif line.strip():
            return {}
    return {name: value for name, value in fields.items() if name.casefold() not in _HIDDEN}


def _described(record: StoredText) -> dict[str, str]:
    """Return what is known of a record of prose, with its text; nothing where that is all."""
    document = record.document
    told = {
        name: _said(value)
        for name, value in document.metadata.items()
        if name.casefold() not in _HIDDEN and value is not None
    }
    if not told:  # what stands above a sheet's rows, or prose alone
        return {}
    return {TITLE: document.title, **told, CONTENT: record.text.strip()}


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)


def _labelled(page: StoredText) -> Iterator[tuple[str, str]]:
    """Yield the labels and values of the lines at a page's head, several in one line among them."""
    for line in _head(page.text).split("\n"):
        found = [_LABEL.fullmatch(piece) for piece in pieces_of(line)]
        for match in found if all(found) else ():
            if match and len(match[1].split()) <= _LABEL_WORDS:
                name, value = match[1].strip(), match[2].strip().strip("\"'")
                if name.casefold() not in _UNTOLD:
                    yield name, value


def _head(text: str) -> str:
    """Return a text up to its second heading: what stands below is no longer about the whole."""
    headings = [match.start() for match in _HEADING.finditer(text)]
    return text[: headings[1]] if len(headings) > 1 else text
