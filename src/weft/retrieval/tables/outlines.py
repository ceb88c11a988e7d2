"""What tables a caller may read, in a few words, for a model that plans over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.retrieval.tables.query import written_day, written_figure
from weft.retrieval.tables.shelf import TableOutline
from weft.retrieval.tables.table import TOLD_BY, ColumnKind, TableColumn, TypedTable

BUDGET = 2_400
_MOST_COLUMNS, _MOST_VALUES, _LONGEST_VALUE = 16, 3, 24


def outlined(
    found: Sequence[TableOutline], *, budget: int = BUDGET
) -> tuple[str, tuple[TableOutline, ...]]:
    """Return tables in a line each, as many as `budget` characters hold, and which these are."""
    lines: list[str] = []
    told: list[TableOutline] = []
    left = budget
    for at, one in enumerate(found):
        line = _line(one)
        if len(line) > left:
            lines.append(f"… and {len(found) - at} more, which describe_tables tells of.")
            break
        left -= len(line) + 1
        lines.append(line)
        told.append(one)
    return "\n".join(lines), tuple(told)


def _line(one: TableOutline) -> str:
    columns = "; ".join(
        _column(one.table, at) for at in range(min(len(one.table.columns), _MOST_COLUMNS))
    )
    more = "; …" if len(one.table.columns) > _MOST_COLUMNS else ""
    at = one.table.counts
    counts = "" if at is None else f"; each row counts {one.table.columns[at].name}"
    by = one.table.name.removeprefix(one.table.rows_of).removeprefix(TOLD_BY)
    title = f"{one.table.title} by {by}" if by else one.table.title
    return f'"{one.table.name}" ({title}, {one.count} rows): {columns}{more}{counts}'


def _column(table: TypedTable, at: int) -> str:
    column = table.columns[at]
    unit = f" {column.unit}" if column.unit else ""
    told = ", ".join(_values(table, at))
    return f"{column.name} {column.kind.value}{unit}" + (f" ({told})" if told else "")


def _values(table: TypedTable, at: int) -> Iterator[str]:
    column = table.columns[at]
    if column.kind in (ColumnKind.NUMBER, ColumnKind.DATE):
        if column.low is not None and column.high is not None:
            yield f"{_bound(column, column.low)}–{_bound(column, column.high)}"
    elif column.kind is ColumnKind.CATEGORY:
        texts = dict.fromkeys(row.cells[at] for row in table.rows if row.cells[at])
        short = [text for text in texts if len(text) <= _LONGEST_VALUE]
        yield from short[:_MOST_VALUES]
        if len(texts) > _MOST_VALUES:
            yield "…"


def _bound(column: TableColumn, value: float) -> str:
    if column.kind is ColumnKind.DATE:
        return written_day(int(value))
    return written_figure(value / column.scale)
