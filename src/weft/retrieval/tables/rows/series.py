"""Tables whose columns are months, years or days, told again with a row for each of them.

"Customer, Jan, Feb, Mar" has what a customer took in a column each: how much all took in January
and February, and which month was the best, is asked of rows "Customer, Month, taken".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from weft.domain.frozen import dataclass
from weft.language.hangul import has_hangul
from weft.language.layout import told_apart
from weft.language.patterns import pattern
from weft.language.periods import PeriodKind, period_of
from weft.retrieval.tables.cells import is_empty, quantity
from weft.retrieval.tables.naming import BRACKETS, named_unit
from weft.retrieval.tables.table import TOLD_BY, ColumnKind, TableRow, TypedTable, typed_columns

# What has more rows or columns was written by a program, a row for each thing.
_MOST_ROWS, _MOST_COLUMNS = 1_000, 60
# So many columns of one kind follow in time; of years and quarters two are enough.
_FEWEST, _FEWEST_LONG = 3, 2
_LONG = (PeriodKind.YEAR, PeriodKind.QUARTER)
_MOSTLY = 0.8
_WORD = pattern(r"\S+")
_NAME = pattern(r"[^\W\d_]{2,}(?:['’&-][^\W\d_]+)*")
_VALUE, _ITEM = ("Value", "값"), ("Item", "항목")


def with_series(tables: Sequence[TypedTable]) -> Iterator[TypedTable]:
    """Yield tables, and behind each what is told of it by months, years or days if it has such."""
    for table in tables:
        yield table
        if len(table.rows) <= _MOST_ROWS and len(table.columns) <= _MOST_COLUMNS:
            told = _across(table) or _below(table)
            if told is not None:
                yield told


@dataclass(frozen=True, slots=True, kw_only=True)
class _Series:
    """Columns that follow in time: for each its place, what it is called, and what is measured."""

    kind: PeriodKind
    columns: tuple[tuple[int, str, str], ...]

    @property
    def measures(self) -> list[str]:
        """Return what is measured, in order."""
        return list(dict.fromkeys(measure for *_, measure in self.columns))

    @property
    def periods(self) -> list[str]:
        """Return what the columns are called without what is measured, in order."""
        return list(dict.fromkeys(period for _, period, _ in self.columns))


def _series(table: TypedTable) -> _Series | None:
    """Return the columns of the kind that most of them have; None where too few follow in time."""
    found: defaultdict[PeriodKind, list[tuple[int, str, str]]] = defaultdict(list)
    for at, column in enumerate(table.columns):
        if (parted := _parted(column.name)) is not None:
            kind, period, measure = parted
            found[kind].append((at, period, measure))
    series = [_Series(kind=kind, columns=tuple(own)) for kind, own in found.items()]
    kept = [one for one in series if _follow(one)]
    return max(kept, key=lambda one: len(one.columns), default=None)


def _follow(series: _Series) -> bool:
    """Tell whether enough columns follow in time, the same for each that is measured."""
    count = len(series.periods)
    is_whole = len(series.columns) == count * len(series.measures)
    return is_whole and count >= (_FEWEST_LONG if series.kind in _LONG else _FEWEST)


def _parted(name: str) -> tuple[PeriodKind, str, str] | None:
    """Return of a column's name which stretch of time it has, and the rest: "Visitors", 2023."""
    unit = named_unit(name)
    if has_hangul(unit):  # "1월 (백만원)": what is measured is in it
        bare = _without(unit, name)
        found = _parted(bare) if bare != name else None
        return None if found is None else (*found[:2], f"{found[2]} ({unit})".strip())
    words = [match.span() for match in _WORD.finditer(name)]
    for size in range(len(words), 0, -1):
        for first in {0, len(words) - size}:
            start, end = words[first][0], words[first + size - 1][1]
            said = name[start:end].strip("()[],:")
            period = period_of(said)
            if period is not None:
                rest = " ".join(f"{name[:start]} {name[end:]}".split()).strip("()[],:-– ")
                # "Quarter 1 Jan": what stands over it is a stretch of time as well.
                return period.kind, said, "" if period_of(rest) is not None else rest
    return None


def _across(table: TypedTable) -> TypedTable | None:
    """Return a row for each thing and each of the columns that follow in time."""
    series = _series(table)
    if series is None:
        return None
    taken = {at for at, *_ in series.columns}
    # Other figures would be there many times, and most of them add up the columns.
    kept = [
        at
        for at, one in enumerate(table.columns)
        if at not in taken and (one.kind is not ColumnKind.NUMBER or _tells_time(table, at))
    ]
    if not kept:
        return None
    places = {(period, measure): at for at, period, measure in series.columns}
    figured = _figured(table, [at for at, *_ in series.columns])
    rows: list[TableRow] = []
    for row in table.rows:
        for period in series.periods:
            cells = [row.cells[places[period, one]] for one in series.measures]
            if any(_is_value(cell, is_figured=figured) for cell in cells):
                own = (*(row.cells[at] for at in kept), period, *cells)
                rows.append(TableRow(cells=own, place=row.place))
    front = [table.columns[at].name for at in kept]
    kind = series.kind.korean if has_hangul("".join(front)) else series.kind.value
    return _told(table, [*front, kind, *_named(series.measures, table)], rows, by=kind)


def _below(table: TypedTable) -> TypedTable | None:
    """Return a row for each stretch of time and each column of figures of one kind beside it."""
    key = table.key
    if len(table.rows) < _FEWEST or not _tells_time(table, key):
        return None
    figures = [at for at, one in enumerate(table.columns) if one.kind is ColumnKind.NUMBER]
    figures = [at for at in figures if at != key]  # a year is none of the kinds beside it
    figures = [at for at in figures if not _adds_up(table, at, figures)]
    units = {table.columns[at].unit or named_unit(table.columns[at].name) for at in figures}
    if len(figures) < _FEWEST_LONG or len(units) > 1:
        return None
    # A unit that all of their names have is that of the figures.
    said = {named_unit(table.columns[at].name) for at in figures}
    unit = next(iter(said)) if len(said) == 1 and has_hangul("".join(said)) else ""
    rows = [
        TableRow(
            cells=(row.cells[key], _without(unit, table.columns[at].name), row.cells[at]),
            place=row.place,
        )
        for row in table.rows
        for at in figures
        if _is_value(row.cells[at], is_figured=True)
    ]
    item = _ITEM[has_hangul(table.columns[key].name)]
    names = [table.columns[key].name, item, *_named([f"({unit})" if unit else ""], table)]
    return _told(table, names, rows, by=item)


def _without(unit: str, name: str) -> str:
    return BRACKETS.sub("", name) if unit and name.endswith(")") else name


def _tells_time(table: TypedTable, at: int) -> bool:
    """Tell whether rows are told apart by what a column has, a stretch of time of one kind each."""
    said = [one for row in table.rows if (one := period_of(row.cells[at])) is not None]
    is_time = len({one.kind for one in said}) == 1 and len(said) >= _MOSTLY * len(table.rows)
    return is_time and at == table.key


def _adds_up(table: TypedTable, at: int, figures: Sequence[int]) -> bool:
    """Tell whether a column has what others of a row are, added up: those before it or all."""
    for others in ([one for one in figures if one < at], [one for one in figures if one != at]):
        sums = [_sum(row, others) for row in table.rows]
        own = [_sum(row, [at]) for row in table.rows]
        same = sum(abs(one - other) < 0.01 for one, other in zip(sums, own, strict=True))
        if len(others) > 1 and any(own) and same >= _MOSTLY * len(own):
            return True
    return False


def _sum(row: TableRow, columns: Sequence[int]) -> float:
    read = [quantity(row.cells[at]) for at in columns]
    return sum(one.value for one in read if one is not None)


def _figured(table: TypedTable, columns: Sequence[int]) -> bool:
    """Tell whether columns are of figures, so that words beside them are no values."""
    return sum(table.columns[at].kind is ColumnKind.NUMBER for at in columns) * 2 > len(columns)


def _is_value(cell: str, *, is_figured: bool) -> bool:
    return quantity(cell) is not None if is_figured else not is_empty(cell)


def _named(measures: Sequence[str], table: TypedTable) -> list[str]:
    """Return what is measured; what no column says, by what the table is called."""
    words = [one for one in _NAME.findall(_bare(table.title)) if period_of(one) is None]
    called = " ".join(dict.fromkeys(words)) or _VALUE[has_hangul(table.title)]
    return [f"{called} {one}".strip() if one[:1] in ("", "(") else one for one in measures]


def _bare(title: str) -> str:
    """Return a title without the ending of a file."""
    name, dot, rest = title.partition(".")
    _, _, sheet = rest.partition(" ")
    return f"{name} {sheet}" if dot else title


def _told(
    table: TypedTable, names: Sequence[str], rows: Sequence[TableRow], *, by: str
) -> TypedTable | None:
    """Return a table of the same rows told by something, None where hardly any are left."""
    columns = told_apart(names)
    if len(rows) < _FEWEST:
        return None
    placed = tuple(rows)
    return TypedTable(
        knowledge_base=table.knowledge_base,
        name=f"{table.name}{TOLD_BY}{by}",
        title=table.title,
        around=table.around,
        columns=typed_columns(columns, placed, around=table.around),
        rows=placed,
        as_of=table.as_of,
    )
