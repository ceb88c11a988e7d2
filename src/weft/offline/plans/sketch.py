"""A table as a question sees it: its columns, and which words of the question stand in it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from itertools import dropwhile
from typing import Any

from weft.domain.frozen import dataclass
from weft.retrieval.tables.references import TableReference
from weft.retrieval.tables.table import TOLD_BY, ColumnKind, is_numbering

_LONG = 60
_LEAST_IDENTIFIER, _FEWEST_ROWS = 100, 3
# Numbers from 1001 on are hardly years where all stand first and once.
_LEAST_YEAR = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class SketchColumn:
    """A column: `low` and `high` bound its numbers or days, `is_unique` when no value repeats.

    `is_long` when some of its cells are prose, `has_empty` when some have nothing, `is_of_people`
    when most look like what people are called, `is_figured` when most have a figure in them,
    `is_first` when it stands before all others.
    """

    name: str
    kind: ColumnKind
    unit: str
    distinct: int
    dirty: int
    is_unique: bool
    low: float | None
    high: float | None
    is_long: bool = False
    has_empty: bool = False
    is_of_people: bool = False
    is_figured: bool = False
    is_first: bool = False

    @property
    def is_identifier(self) -> bool:
        """Tell whether its numbers only tell the rows apart: invoices 501, 502, 503.

        They stand first, each once, and are none that anything small is counted in.
        """
        if not (self.is_first and self.is_unique) or self.low is None or self.high is None:
            return False
        is_whole = float(self.low).is_integer() and float(self.high).is_integer()
        is_year = self.is_year and self.low >= _LEAST_YEAR
        is_number = self.kind is ColumnKind.NUMBER and not (self.unit or is_year)
        is_high = self.low >= _LEAST_IDENTIFIER or self.is_consecutive
        return is_number and is_whole and is_high and self.distinct >= _FEWEST_ROWS

    @property
    def is_worded(self) -> bool:
        """Tell whether it has words."""
        return self.kind in (ColumnKind.CATEGORY, ColumnKind.TEXT)

    @property
    def is_year(self) -> bool:
        """Tell whether its numbers may be years."""
        whole = self.low is not None and self.high is not None and not self.unit
        return self.kind is ColumnKind.NUMBER and whole and _is_year(self.low, self.high)

    @property
    def is_dated(self) -> bool:
        """Tell whether the cells are days or years."""
        return self.kind is ColumnKind.DATE or self.is_year

    @property
    def is_consecutive(self) -> bool:
        """Tell whether its numbers go on by one without a gap."""
        if self.kind is not ColumnKind.NUMBER or self.low is None or self.high is None:
            return False
        return not self.unit and self.high - self.low + 1 == self.distinct

    @property
    def is_numbering(self) -> bool:
        """Tell whether its numbers only number things, from 1 on without a gap."""
        if self.kind is not ColumnKind.NUMBER or self.low is None or self.high is None:
            return False
        return not self.unit and is_numbering(self.low, self.high, distinct=self.distinct)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLink:
    """Words of the question (offsets) that name a column or a value of it.

    `values` are cells' texts, empty where the column itself is named; `score` is 1 for all of a
    name or a whole value, less for a part of it, and the likeness where only that speaks for it;
    `kin`: they say it in other words; `mixed`: some of the cells list several.
    """

    start: int
    end: int
    column: str
    values: tuple[str, ...] = ()
    score: float = 1.0
    alike: bool = False
    kin: bool = False
    mixed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A table that may be asked: `key` is the column that tells its rows apart.

    `own` are the words of the question, by offset, that stand in what the table is called;
    `nearest` are columns that words are alike to, however little; `card` is how alike the whole
    question is to what the table is about. `as_of` is the day of which the table is, `refers` which
    columns name rows of other tables; `counts` is the column that counts what has a row's
    categories ("female, admitted, department A: 89"), empty where rows are things; `called` says
    in words what a row is whose key is a code, empty where the key says it. `missing` are words of
    the question, by offset, that name what would stand in a column and does not.
    """

    knowledge_base: str
    name: str
    title: str
    rows: int
    key: str
    columns: Mapping[str, SketchColumn]
    said: tuple[QuestionLink, ...]
    own: frozenset[int]
    nearest: tuple[QuestionLink, ...] = ()
    card: float = 0.0
    as_of: date | None = None
    refers: tuple[TableReference, ...] = ()
    counts: str = ""
    called: str = ""
    missing: frozenset[int] = frozenset()

    @property
    def is_series(self) -> bool:
        """Tell whether it has a row for each month, year or day that stands beside others."""
        return TOLD_BY in self.name

    @property
    def told(self) -> frozenset[str]:
        """Return the columns that it has only as told by months: the month and what it was then."""
        by = self.name.rpartition(TOLD_BY)[2]
        return frozenset(dropwhile(lambda name: name != by, self.columns) if self.is_series else ())

    def column(self, name: str) -> SketchColumn:
        """Return a column by its name."""
        return self.columns[name]

    def tells_apart(self, column: SketchColumn) -> bool:
        """Tell whether hardly a value of a column is in two rows."""
        return column.distinct * 10 >= self.rows * 9


def sketch_of(item: Mapping[str, Any]) -> Sketch:
    """Return a table of the reply of `describe_tables`."""
    columns = {one["name"]: _column(one, is_first=not at) for at, one in enumerate(item["columns"])}
    return Sketch(
        knowledge_base=item["knowledge_base"],
        name=item["name"],
        title=item["title"],
        rows=item["rows"],
        key=item["key"],
        counts=item.get("counts", ""),
        called=item.get("called", ""),
        columns=columns,
        said=tuple(
            QuestionLink(
                start=one["start"],
                end=one["end"],
                column=one["column"],
                values=tuple(one.get("values", ())),
                score=float(one["score"]),
                alike=bool(one.get("alike", False)),
                kin=bool(one.get("kin", False)),
                mixed=bool(one.get("mixed", False)),
            )
            for one in item["said"]
        ),
        own=frozenset(item["own"]),
        missing=frozenset(item.get("missing", ())),
        nearest=tuple(
            QuestionLink(start=one[0], end=one[1], column=one[2], score=float(one[3]), alike=True)
            for one in item.get("nearest_columns", ())
        ),
        card=float(item.get("card", 0.0)),
        as_of=date.fromisoformat(item["as_of"]) if item.get("as_of") else None,
        refers=tuple(TableReference(**one) for one in item.get("refers", ())),
    )


def _column(item: Mapping[str, Any], *, is_first: bool) -> SketchColumn:
    return SketchColumn(
        name=item["name"],
        kind=ColumnKind(item["kind"]),
        unit=item["unit"],
        distinct=item["distinct"],
        dirty=item["dirty"],
        is_unique=item["unique"],
        low=item["low"],
        high=item["high"],
        has_empty=item.get("lacking", False),
        is_of_people=item.get("people", False),
        is_figured=item.get("figured", False),
        is_first=is_first,
        is_long=any(len(one) >= _LONG for one in item.get("examples", ())),
    )


def _is_year(low: float | None, high: float | None) -> bool:
    return low is not None and high is not None and low >= 1000 and high <= 2200
