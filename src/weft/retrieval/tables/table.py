"""A table of a knowledge base: typed columns, and rows that know the passage they stand in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from enum import StrEnum
from functools import cached_property
from math import prod

from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId, DocumentId
from weft.language.hangul import has_hangul
from weft.language.patterns import pattern
from weft.retrieval.tables.cells import (
    Quantity,
    days_of,
    has_comma_decimals,
    is_empty,
    quantity,
    truth,
    unit_of,
    worth_of,
)
from weft.retrieval.tables.naming import name_words, named_unit

# So much of what stands in a column must be of one kind.
_MOSTLY = 0.7
_CATEGORIES = 0.5
_FEW = 12
_FIRST_ROWS = 2_000
_LONG = 60
# Numbers from 1 on without a gap, so many of them: what is numbered, and no figure.
_NUMBERED = 13
# What a column may be called whose figures are no counts.
_NO_COUNTS = frozenset(
    {"rate", "percent", "pct", "percentage", "mean", "average", "avg", "score", "index", "price"}
    | {"cost", "ratio", "share", "level"}
)
# Behind the name of a table, where the same is told with other rows.
TOLD_BY = "##"
# "20 kg", "3 Sept", "2.9.24", and no code.
_SEVERAL = pattern(r"\d[ ./]\S")
_NAMED = pattern(r"[^\W\d_]+|[%€$£¥₩₹]")
# A year, and what makes it two of them: 2023/24.
_YEARS = pattern(r"(?<![\d-])((?:19|20)\d\d)(?!\d)(\s?[/–-]\s?\d\d(?:\d\d)?(?![\d-]))?")

TypedValue = float | int | bool | None


class ColumnKind(StrEnum):
    """What the cells of a column are."""

    NUMBER = "number"
    DATE = "date"
    TRUTH = "truth"
    CATEGORY = "category"
    TEXT = "text"


def is_numbering(low: float, high: float, *, distinct: int) -> bool:
    """Tell whether so many different figures from a lowest to a highest number things."""
    return low in (0, 1) and distinct == high - low + 1 and distinct >= _NUMBERED


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPlace:
    """Where a row stands: its passage, and the span of its words in the passage's text."""

    document_id: DocumentId
    chunk_id: ChunkId
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """The cells of a row as they are written, one a column, and where it stands."""

    cells: tuple[str, ...]
    place: RowPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """A column: `unit` is that of its numbers, `dirty` counts cells that are not of its kind.

    `distinct` counts the different texts. A cell that says that there is no value ("n/a") is dirty
    and not distinct; one without any text is neither. `values` has the number, the day (YYYYMMDD)
    or the truth of each row, None where it has none; `low` and `high` are the least and the most of
    them. Numbers are whole amounts; `scale` is what they are written in: 10,000 where the column
    has 만 원, so that a bare 5 is 50,000 there. `bare` tells of each row whether its number stands
    without the unit that others have; it is empty where none does, or the column's name has the
    unit.
    """

    name: str
    kind: ColumnKind
    unit: str = ""
    scale: float = 1.0
    dirty: int = 0
    distinct: int = 0
    low: float | None = None
    high: float | None = None
    values: tuple[TypedValue, ...] = field(default=(), repr=False)
    bare: tuple[bool, ...] = field(default=(), repr=False)

    def without_unit(self, rows: Iterable[int]) -> int:
        """Return how many of some rows have a number without the unit that others have."""
        return sum(self.bare[row] for row in rows) if self.bare else 0

    @property
    def shown_unit(self) -> str:
        """Return the unit of its numbers: their own, else the one that the column's name has."""
        return self.unit or (named_unit(self.name) if self.kind is ColumnKind.NUMBER else "")


@dataclass(frozen=True, kw_only=True, eq=False)
class TypedTable:
    """Rows of one file, one sheet, one folder's pages or one table of a text.

    `name` is the same for the same table in every view; `title` is how a person calls it; `around`
    is what else it may be called by: the file, the document's title, the headings above it, what
    is said right before it. `as_of` is the last day of which its documents are.
    """

    knowledge_base: str
    name: str
    title: str
    around: str
    columns: tuple[TableColumn, ...]
    rows: tuple[TableRow, ...] = field(repr=False)
    as_of: date | None = None

    @property
    def rows_of(self) -> str:
        """Return the name of the table whose rows these are, told otherwise here or not."""
        return self.name.partition(TOLD_BY)[0]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Return the place of each column by its name, folded."""
        return {one.name.casefold(): at for at, one in enumerate(self.columns)}

    @cached_property
    def counts(self) -> int | None:
        """Return the column that counts what has a row's categories; None where rows are things.

        "female, admitted, department A: 89" is no thing that is counted, but 89 of them: then there
        is a row for each way to combine the others, or nearly.
        """
        if not _FEWEST_COUNTED <= len(self.rows) <= _MOST_COUNTED:
            return None
        columns = [[row.cells[at] for row in self.rows] for at in range(len(self.columns))]
        found = [at for at in range(len(columns)) if self._may_count(at)]
        found.sort(key=lambda at: -self.columns[at].distinct)
        return next((at for at in found if self._is_crossed(columns, but=at)), None)

    def _may_count(self, at: int) -> bool:
        """Tell whether a column has whole numbers alone, none below 0 and none of a unit."""
        column = self.columns[at]
        if column.kind is not ColumnKind.NUMBER or column.unit or column.dirty:
            return False
        if set(name_words(column.name)) & _NO_COUNTS:
            return False
        read = [quantity(row.cells[at]) for row in self.rows]
        return all(
            one is not None and one.value >= 0 and float(one.value).is_integer() for one in read
        )

    def _is_crossed(self, columns: Sequence[Sequence[str]], *, but: int) -> bool:
        """Tell whether the others are categories, of which hardly a combination is left out."""
        rows, kept = len(self.rows), list[int]()
        sizes = {at: len(set(cells)) for at, cells in enumerate(columns) if at != but}
        for at in sorted(sizes, key=lambda one: -sizes[one]):
            if sizes[at] * 2 > rows or self._is_numbering(at):
                return False  # a row for each time that something numbered was looked at
            if sizes[at] > 1 and not any(_tells(columns[one], columns[at]) for one in kept):
                kept.append(at)
        if (
            len(kept) < _LEAST_CROSSED
            or len(set(zip(*(columns[at] for at in kept), strict=True))) < rows
        ):
            return False
        figured = any(self.columns[at].kind is ColumnKind.NUMBER for at in kept)
        most = _MOST_WAYS_OF_FIGURES if figured else _MOST_WAYS
        return prod(sizes[at] for at in kept) <= most * rows

    def _is_numbering(self, at: int) -> bool:
        """Tell whether a column numbers what its rows are of."""
        column = self.columns[at]
        figures = [one for one in column.values if isinstance(one, int | float)]
        return (
            column.kind is ColumnKind.NUMBER
            and bool(figures)
            and is_numbering(min(figures), max(figures), distinct=column.distinct)
        )

    @cached_property
    def key(self) -> int:
        """Return the column that tells the rows apart: in words, else by day, else the first."""
        named = [at for at, one in enumerate(self.columns) if one.name.casefold() in _NAMES]
        every = [at for at, one in enumerate(self.columns) if one.kind in _WORDED]
        worded = [at for at in every if not self._is_measured(at)] or every
        unique = [at for at in worded if self.columns[at].distinct >= len(self.rows) > 0]
        mostly = [at for at in worded if self.columns[at].distinct * 10 >= len(self.rows) * 9]
        full = [at for at in named if at in mostly]
        short = sorted((at for at in unique if not self._is_long(at)), key=self._is_coded)
        days = [at for at, one in enumerate(self.columns) if one.kind is ColumnKind.DATE]
        dated = [at for at in days if self.columns[at].distinct >= len(self.rows) > 0]
        return next(iter([*full, *short, *mostly, *dated, *worded]), 0)

    @cached_property
    def called(self) -> int | None:
        """Return the column that says in words what a row is called, where its key is a code."""
        key = self.columns[self.key]
        tells_apart = key.distinct * 10 >= len(self.rows) * 9
        if key.kind not in _WORDED or not tells_apart or not self._is_coded(self.key):
            return None
        told = (
            at
            for at, one in enumerate(self.columns)
            if at != self.key
            and one.kind in _WORDED
            and one.distinct * 10 >= len(self.rows) * _TELLING
            and not self._is_coded(at)
            and not self._is_long(at)
        )
        return next(told, None)

    @cached_property
    def lacking(self) -> frozenset[int]:
        """Return the columns of which some cells have nothing, as the first rows tell."""
        first = self.rows[:_FIRST_ROWS]
        every = range(len(self.columns))
        return frozenset(at for at in every if any(is_empty(row.cells[at]) for row in first))

    @property
    def cells(self) -> int:
        """Return how many cells it has."""
        return len(self.rows) * len(self.columns)

    def _is_coded(self, at: int) -> bool:
        """Tell whether a column has codes rather than names: with a digit, or in capitals."""
        texts = [row.cells[at] for row in self.rows[:50]]
        coded = [one for one in texts if any(map(str.isdigit, one)) or one.isupper()]
        return len(coded) * 2 > len(texts)

    def _is_measured(self, at: int) -> bool:
        """Tell whether a column has amounts or days written in too many ways to be either."""
        texts = [one for row in self.rows[:50] if (one := row.cells[at].strip())]
        measured = [one for one in texts if one[0].isdigit() and _SEVERAL.search(one)]
        return len(measured) * 2 > len(texts)

    def _is_long(self, at: int) -> bool:
        texts = [row.cells[at] for row in self.rows[:50]]
        return sum(map(len, texts)) > _LONG * len(texts)


# Tables of counts: how large they are, of how many categories, and how many times as many ways to
# combine them there may be as rows. Figures are categories where hardly a way is left out.
_FEWEST_COUNTED, _MOST_COUNTED, _LEAST_CROSSED = 4, 5_000, 2
_MOST_WAYS, _MOST_WAYS_OF_FIGURES = 2.0, 1.1
# Of ten rows at least so many are called differently by what says what they are called.
_TELLING = 7
_NAMES = frozenset({"name", "title", "이름", "성명", "제목", "명칭"})
_WORDED = (ColumnKind.CATEGORY, ColumnKind.TEXT)


def typed_columns(
    names: Sequence[str], rows: Sequence[TableRow], *, around: str = ""
) -> tuple[TableColumn, ...]:
    """Return the columns of some rows with what their cells are.

    Days without a year are of the only one that is said `around` the rows.
    """
    years = {(match[1], match[2]) for match in _YEARS.finditer(around)}
    [(said, more)] = years if len(years) == 1 else [("", "")]
    year = int(said) if said and not more else None
    cells = [[row.cells[at] for row in rows] for at in range(len(names))]
    first = [cell for row in rows[:_FIRST_ROWS] for cell in row.cells]
    return tuple(
        _typed(name, own, year=year, beside=first) for name, own in zip(names, cells, strict=True)
    )


def _typed(
    name: str, texts: Sequence[str], *, year: int | None, beside: Sequence[str]
) -> TableColumn:
    """Return a column by its cells and those beside it; each different text is read once."""
    counts = Counter(texts)
    said = {text: count for text, count in counts.items() if not is_empty(text)}
    whole = sum(said.values())
    absent = sum(count for text, count in counts.items() if text.strip()) - whole
    distinct = len({text.casefold().strip() for text in said})

    def column(
        kind: ColumnKind, read: Mapping[str, TypedValue], *, unit: str = "", scale: float = 1.0
    ) -> TableColumn:
        held = sum(count for text, count in said.items() if read.get(text) is not None)
        found = [float(value) for value in read.values() if value is not None]
        return TableColumn(
            name=name,
            kind=kind,
            unit=unit,
            scale=scale,
            dirty=whole - held + absent,
            distinct=distinct,
            low=min(found, default=None),
            high=max(found, default=None),
            values=tuple(map(read.get, texts)),
        )

    def is_most(read: Mapping[str, TypedValue]) -> bool:
        held = sum(count for text, count in said.items() if read[text] is not None)
        return held >= max(1.0, whole * _MOSTLY)

    comma = has_comma_decimals(said, beside=beside)
    korean = has_hangul(name) or any(map(has_hangul, beside))
    days = days_of(said, year=year, korean=korean)
    if is_most(days):
        return column(ColumnKind.DATE, days)
    read = {text: quantity(text, comma=comma) for text in said}
    unit, scale = _common_unit(read, said, name=name)
    figures = {text: _in_unit(one, unit, scale=scale) for text, one in read.items()}
    if is_most(figures):
        found = column(ColumnKind.NUMBER, figures, unit=unit, scale=scale)
        is_known = not unit or _names_unit(name, unit)
        return found if is_known else replace(found, bare=_bare(read, texts))
    truths = {text: truth(text) for text in said}
    if said and is_most(truths):
        return column(ColumnKind.TRUTH, truths)
    long = sum(len(text) * count for text, count in said.items()) > _LONG * whole
    repeats = distinct <= max(_FEW, whole * _CATEGORIES)
    kind = ColumnKind.CATEGORY if repeats and not long else ColumnKind.TEXT
    return TableColumn(name=name, kind=kind, distinct=distinct, values=(None,) * len(texts))


def _names_unit(name: str, unit: str) -> bool:
    """Tell whether a column's name has the unit of its numbers: "amount (EUR)", "금액(만원)"."""
    own = _named(name)
    said = any(unit_of(word) == unit for word in _NAMED.findall(name))
    return said or (own is not None and own.unit == unit)


def _named(name: str) -> Quantity | None:
    """Return one of what a column's name says that its numbers are in: of "(만원)" 10,000 won."""
    unit = named_unit(name)
    return quantity(f"1{unit}") if unit else None


def _bare(found: Mapping[str, Quantity | None], texts: Sequence[str]) -> tuple[bool, ...]:
    """Return which cells have a number without a unit; nothing where all are alike in that."""
    bare = {text for text, one in found.items() if one is not None and not one.unit}
    is_mixed = any(one is not None and one.unit for one in found.values())
    return tuple(text in bare for text in texts) if bare and is_mixed else ()


def _common_unit(
    found: Mapping[str, Quantity | None], counts: Mapping[str, int], *, name: str
) -> tuple[str, float]:
    """Return the unit that most numbers with one have, and the size in which they are written.

    Where the column's name has a unit, it is that, or one of its kind.
    """
    named = _named(name)
    own = named.unit if named is not None else ""
    units: Counter[tuple[str, float]] = Counter()
    for text, one in found.items():
        if one is not None and one.unit and (not own or worth_of(one.unit, other=own) is not None):
            units[one.unit, one.scale] += counts[text]
    if named is not None and named.value > 1:
        return own, named.value  # a bare 5 below "만원" is 50,000 won
    return max(units, key=lambda one: (one[0] == own, units[one]), default=("", 1.0))


def _in_unit(one: Quantity | None, unit: str, *, scale: float) -> float | None:
    """Return a number in a column's unit; one with a unit of another kind is not comparable.

    Beside others a bare number has their unit, and is written in their size.
    """
    worth = None if one is None else worth_of(one.unit or unit, other=unit)
    if one is None or worth is None:
        return None
    return one.value * scale if not one.unit and one.scale == 1 else one.value * worth


def _tells(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether what stands in one column tells what stands in the other."""
    return len(set(zip(one, other, strict=True))) == len(set(one))
