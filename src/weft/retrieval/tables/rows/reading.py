"""Tables read from the passages that they are stored in.

Their rows are the records of a file, the pages of a folder by their heads, or stand in a text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from weft.domain.document import Chunk, Document, Span
from weft.domain.frozen import dataclass
from weft.language.captions import captioned_unit, in_unit
from weft.language.layout import is_turned, laid_rows, repeated, section_name, thing_name
from weft.language.markup import pieces_of
from weft.language.patterns import pattern
from weft.ports.knowledge import StoredChunk
from weft.retrieval.tables.places import Place, TableKind
from weft.retrieval.tables.rows.series import with_series
from weft.retrieval.tables.rows.things import of_things, with_marks
from weft.retrieval.tables.rows.written import (
    UNNAMED,
    WrittenRow,
    WrittenTable,
    written_tables,
)
from weft.retrieval.tables.table import RowPlace, TableRow, TypedTable, typed_columns

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
_FIGURES = pattern(r"([0-9]+)")
_LONGEST_FIGURE = 18
_LABEL_WORDS = 4
_FEWEST = 2
_SHEET = "sheet"
# Names of sheets, all together, that a table is called by.
_LONGEST_SAID = 80
# Characters of what stands above a table that tell what it is about.
_MOST_BESIDE = 300
TITLE = "title"
CONTENT = "content"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredText:
    """The passages of a document in order, and its text at their offsets: blank between them."""

    document: Document
    chunks: tuple[Chunk, ...]
    text: str

    def is_whole(self, span: Span) -> bool:
        """Tell whether a stretch of the text stands in one passage."""
        return any(one.start <= span.start and span.end <= one.end for one in self.chunks)

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
    # By numbers as numbers: a file's tenth row stands behind its second.
    texts = [stored_text(documents[one]) for one in sorted(documents, key=_in_order)]
    kind, key = place
    if kind is TableKind.RECORDS:
        found = [one for one in tables_of_records(base, key, records=texts) if one.rows]
        return tuple(with_series(found))
    if kind is TableKind.PAGES:
        table = table_of_pages(base, key, pages=texts)
        return (table,) if table is not None else ()
    written = enumerate(written_tables(texts[0].text), 1)
    found = [_written(base, texts[0], table, number=number) for number, table in written]
    return tuple(with_series(found))


def _in_order(document: str) -> list[tuple[int, str]]:
    """Return what puts ids in order, the figures in them by their size."""
    return [
        (int(part), "") if part.isdecimal() and len(part) <= _LONGEST_FIGURE else (-1, part)
        for part in _FIGURES.split(document)
    ]


def _written(base: str, text: StoredText, table: WrittenTable, *, number: int) -> TypedTable:
    document = text.document
    columns, written = _laid_out(table, text)
    placed = tuple(TableRow(cells=row.cells, place=text.place(row.span)) for row in written)
    rows = with_marks(of_things(placed))
    headings = [one for one in table.headings if one]
    file = document.id.rpartition("/")[2].rpartition(".")[0]
    around = " ".join([document.title, *headings, file, table.lead])
    unit = captioned_unit([table.lead, *headings[-1:]])
    cells = [[row.cells[at] for row in rows] for at in range(len(columns))]
    names = in_unit(unit, columns, columns=cells)
    return TypedTable(
        knowledge_base=base,
        name=f"{document.id}#table{number}",
        title=headings[-1] if headings else document.title,
        around=around,
        columns=typed_columns(names, rows, around=around),
        rows=rows,
        as_of=last_day([text]),
    )


def _laid_out(table: WrittenTable, text: StoredText) -> tuple[tuple[str, ...], list[WrittenRow]]:
    """Return columns and rows of which each has what a line or a name above it says it is of.

    Where what things have stands below each other, a row is a thing and stands in all of the table.
    """
    columns, rows = table.columns, _as_above(table.rows)
    corner, *things = columns
    whole = Span(start=table.head.start, end=rows[-1].span.end)
    named = ["" if corner == UNNAMED else corner, *things]
    if text.is_whole(whole) and is_turned(named, [row.cells for row in rows]):
        across = zip(columns, *(row.cells for row in rows), strict=True)
        of_each = [WrittenRow(cells=cells, span=whole) for cells in across]
        labels = of_each[0].cells[1:]
        return (thing_name(named[0], labels), *labels), of_each[1:]
    laid = laid_rows([row.cells for row in rows])
    is_parted = any(one.section for one in laid)
    found = [
        WrittenRow(
            cells=(
                *((one.section,) if is_parted else ()),
                one.name or rows[one.at].cells[0],
                *rows[one.at].cells[1:],
            ),
            span=rows[one.at].span,
        )
        for one in laid
    ]
    return ((section_name(columns), *columns) if is_parted else columns), found


def _as_above(rows: Sequence[WrittenRow]) -> list[WrittenRow]:
    """Return rows with what stands above a cell that only says so."""
    said = repeated([row.cells for row in rows])
    return [
        WrittenRow(
            cells=tuple(
                rows[said.get((at, column), at)].cells[column] for column in range(len(row.cells))
            ),
            span=row.span,
        )
        for at, row in enumerate(rows)
    ]


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
        beside = [one.text for one, row in zip(own, fields, strict=True) if not row]
        found = _Sheet(name=sheet, rows=rows, beside=" ".join(beside)[:_MOST_BESIDE])
        alike.setdefault(tuple(columns), []).append(found)
    for together in alike.values():
        yield _of_sheets(base, key, together)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sheet:
    """The rows of a sheet, and what is said above them."""

    name: str
    rows: Sequence[tuple[StoredText, Mapping[str, str]]]
    beside: str


def _of_sheets(base: str, key: str, sheets: Sequence[_Sheet]) -> TypedTable:
    """Return the table of some sheets that have the same columns."""
    said = " ".join(one.name for one in sheets)
    beside = [one.beside for one in sheets if one.beside]
    called = _Called(
        name=f"{key}#{said}" if said else key,
        title=f"{key.rpartition('/')[2]} {said if len(said) <= _LONGEST_SAID else ''}".rstrip(),
        around=" ".join([f"{key.rpartition('.')[0] or key} {said}".replace("/", " "), *beside]),
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
    placed = tuple(
        TableRow(
            cells=tuple(row.get(column, "") for column in names),
            place=record.place(Span(start=0, end=len(record.text))),
        )
        for record, row in zip(records, folded, strict=True)
    )
    rows = with_marks(of_things(placed))
    return TypedTable(
        knowledge_base=base,
        name=called.name,
        title=called.title,
        around=called.around,
        columns=typed_columns(list(names.values()), rows, around=called.around),
        rows=rows,
        as_of=last_day(records),
    )


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
