"""A plan as a query: its columns checked, its conditions with values bound apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.retrieval.tables.coding import CodedColumn
from weft.retrieval.tables.keeping import ValueRange, comparison, kept_values
from weft.retrieval.tables.plan import Aggregate, Filter, Function, Join, TablePlan
from weft.retrieval.tables.table import ColumnKind, TypedTable

_FUNCTIONS = {
    Function.SUM: "SUM({0})",
    Function.AVERAGE: "AVG({0})",
    Function.MEDIAN: "MEDIAN({0})",  # of our own: `engine.Median`
    Function.LEAST: "MIN({0})",
    Function.MOST: "MAX({0})",
    Function.SPREAD: "MAX({0}) - MIN({0})",
    Function.DISTINCT: "COUNT(DISTINCT {0})",
    Function.COUNT: "COUNT({0})",
    Function.SHARE: "SUM({0})",
}
_FIGURED = (Function.SUM, Function.AVERAGE, Function.MEDIAN, Function.SPREAD)
# What these work out is of the unit of its cells.
WITH_UNIT = (*_FIGURED, Function.LEAST, Function.MOST)
_SCALES = {
    1e2: "×100",
    1e3: "×1000",
    1e4: "만",
    1e6: "million",
    1e8: "억",
    1e9: "billion",
    1e12: "조",
}
_YEAR, _MONTH = 10_000, 100
_PLACES = 4


class JoinBase(Protocol):
    """Where the tables stand: it keeps pairs of ranks that are the same words, and indexes."""

    def pair(self, name: str, pairs: Sequence[tuple[int, int]]) -> None:
        """Keep pairs of ranks as a table of that name."""

    def index(self, table: int, column: int) -> None:
        """Make a table's rows be found by a column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedColumn:
    """A column of a plan: which table and column it is, and what it is called in the result."""

    table: int
    at: int
    label: str
    coded: CodedColumn

    @property
    def sql(self) -> str:
        """Return it as a query names it."""
        return f"t{self.table}.c{self.at}"

    def text(self, number: float | None, value: float | None) -> str:
        """Return a cell as it is written: of the row of a number, else of a value alone."""
        if number is not None:
            return self.coded.texts[int(number)]
        if value is None:
            return ""
        if self.coded.is_worded:
            return self.coded.spelt[int(value)]
        kind = self.coded.column.kind
        if kind is ColumnKind.TRUTH:
            return "yes" if value else "no"
        if kind is ColumnKind.DATE:
            return written_day(int(value))
        return written_figure(value / self.coded.column.scale)


class PlanQuery:
    """The parts of a plan's query; whatever the plan says is bound as a value or a known column."""

    def __init__(
        self,
        tables: Sequence[TypedTable],
        coded: Sequence[Sequence[CodedColumn]],
        *,
        plan: TablePlan,
        base: JoinBase,
    ) -> None:
        """Check a plan, or raise `BadInput`; `base` makes what joins need."""
        self._tables = tables
        self._coded = coded
        self._plan = plan
        self.values: list[object] = []
        self.numbers = [f"t{number}.n" for number in range(len(tables))]
        self._used: set[tuple[int, int]] = set()
        self.tables = self._joined(base)
        self._conditions = [self._condition(one) for one in plan.filters]
        kept, self.values = self.values, []
        # What a share is of is counted by itself, with values of its own.
        self.whole = self._narrowed([self._condition(one) for one in plan.share_of])
        self.whole_values, self.values = self.values, kept
        self.order = [
            self.name(one.column).sql for one in plan.order_by if self._is_plain(one.column)
        ]
        if plan.limit and self.order and not plan.group_by and not plan.aggregates:
            self._conditions.append(f"{self.order[0]} IS NOT NULL")

    @property
    def source(self) -> str:
        """Return where rows come from, with what is kept of them."""
        return self.narrowed("")

    @property
    def source_ordered(self) -> str:
        """Return the same in the plan's order; rows that are equal stand as they are written."""
        parts: list[str] = []
        for sql, order in zip(self.order, self._plan.order_by, strict=False):
            parts += [f"{sql} IS NULL", f"{sql} DESC" if order.descending else sql]
        return f"{self.source} ORDER BY {', '.join([*parts, *self.numbers])}"

    @property
    def dirty(self) -> int:
        """Return how many cells of the columns it goes by are not of their kind."""
        return sum(self._coded[table][at].column.dirty for table, at in self._used)

    def narrowed(self, further: str) -> str:
        """Return where rows come from, with a further condition."""
        return self._narrowed([*self._conditions, *([further] if further else [])])

    def _narrowed(self, conditions: Sequence[str]) -> str:
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"FROM {self.tables}{where}"

    def every(self) -> list[NamedColumn]:
        """Return all columns of all tables."""
        return [
            NamedColumn(table=number, at=at, label=one.column.name, coded=one)
            for number, columns in enumerate(self._coded)
            for at, one in enumerate(columns)
        ]

    def name(self, said: str) -> NamedColumn:
        """Return the column that a plan names, or raise `BadInput`."""
        found: list[NamedColumn] = []
        for number, table in enumerate(self._tables):
            at = table.numbers.get(said.casefold())
            for called in (table.name, table.title):
                begins = f"{called}.".casefold()
                if at is None and said.casefold().startswith(begins):
                    at = table.numbers.get(said.casefold().removeprefix(begins))
            if at is not None:
                one = self._coded[number][at]
                found.append(NamedColumn(table=number, at=at, label=one.column.name, coded=one))
        if not found:
            known = ", ".join(one.name for table in self._tables for one in table.columns[:20])
            raise BadInput(f"There is no column '{said[:100]}'; there are: {known}.")
        if len(found) > 1:
            raise BadInput(f"Several tables have a column '{said[:100]}'; write table.column.")
        return found[0]

    def worked(self, one: Aggregate) -> str:
        """Return an aggregate as a query has it."""
        if not one.column:
            if one.function not in (Function.COUNT, Function.SHARE):
                raise BadInput(f"{one.function.value} is of a column.")
            return "COUNT(*)"
        column = self.name(one.column)
        if (
            one.function in (*_FIGURED, Function.SHARE)
            and column.coded.column.kind is not ColumnKind.NUMBER
        ):
            raise BadInput(f"'{one.column}' has no numbers for {one.function.value}.")
        self._used.add((column.table, column.at))
        return _FUNCTIONS[one.function].format(column.sql)

    def order_at(self, column: str, functions: Sequence[Aggregate]) -> int:
        """Return what groups are ordered by: its place among what they are of and aggregates."""
        groups = [self.name(one) for one in self._plan.group_by]
        for at, one in enumerate(functions, len(groups)):
            said = (one.column.casefold(), f"{one.function.value}({one.column})")
            if not column or column.casefold() in said:
                return at
        named = self.name(column)
        same = [at for at, one in enumerate(groups) if one.sql == named.sql]
        if not same:
            raise BadInput(f"Groups cannot be ordered by '{column[:100]}', which they are not of.")
        return same[0]

    def unit(self, one: Aggregate, *, bare: int = 0) -> str:
        """Return the unit of an aggregate's figure; of what `bare` cells do not have, the size."""
        if one.function is Function.SHARE:
            return "%"
        if one.function in (Function.COUNT, Function.DISTINCT) or not one.column:
            return ""
        column = self.name(one.column).coded.column
        scale = "" if column.scale == 1 else _SCALES.get(column.scale) or f"×{column.scale:.0f}"
        return f"{scale} {'' if bare else column.shown_unit}".strip()

    def figure(self, one: Aggregate, value: float | None) -> str:
        """Return an aggregate's figure as text; the least and the most of days and texts too."""
        if value is None:
            return ""
        if one.function in (Function.LEAST, Function.MOST):
            return self.name(one.column).text(None, value)
        scale = self.name(one.column).coded.column.scale if one.function in _FIGURED else 1.0
        # An average is rounded; what is left of a sum in 억 is whole won still.
        exact = one.function in _FIGURED and one.function is not Function.AVERAGE
        return written_figure(value / scale, places=len(f"{scale:.0f}") - 1 if exact else 0)

    def _is_plain(self, column: str) -> bool:
        return bool(column) and not (self._plan.group_by or self._plan.aggregates)

    def _joined(self, base: JoinBase) -> str:
        """Return the tables in the order in which they are read: the largest, then what it names.

        What is read after another is found by an index, whatever the planner would choose.
        """
        joins = [self._join(one) for one in self._plan.joins]
        if len(joins) < len(self._tables) - 1:
            raise BadInput("A plan over several tables says by which columns they are joined.")
        first = max(range(len(self._tables)), key=lambda at: len(self._tables[at].rows))
        read, text = {first}, f"t{first}"
        while joins:
            at = next((at for at, pair in enumerate(joins) if _reaches(pair, read)), None)
            if at is None:
                raise BadInput("The joins of a plan lead to each of its tables.")
            left, right = joins.pop(at)
            if left.table not in read:
                left, right = right, left
            source, condition = self._matched(left, right, base=base)
            if right.table in read:
                text += f"{source} ON {condition}" if source else f" AND {condition}"
                continue
            read.add(right.table)
            base.index(right.table, right.at)
            text += f"{source} CROSS JOIN t{right.table} ON {condition}"
        if len(read) < len(self._tables):
            raise BadInput("The joins of a plan lead to each of its tables.")
        return text

    def _join(self, one: Join) -> tuple[NamedColumn, NamedColumn]:
        left, right = self.name(one.left), self.name(one.right)
        if left.table == right.table or left.coded.is_worded is not right.coded.is_worded:
            raise BadInput(f"'{one.left}' and '{one.right}' cannot be joined.")
        return left, right

    def _matched(self, left: NamedColumn, right: NamedColumn, *, base: JoinBase) -> tuple[str, str]:
        """Return what stands between two columns, if anything, and when their rows belong."""
        if not left.coded.is_worded:
            return "", f"{left.sql} = {right.sql}"
        ranks = {key: rank for rank, key in enumerate(right.coded.keys)}
        pairs = [(a, ranks[key]) for a, key in enumerate(left.coded.keys) if key in ranks]
        name = f"j{left.table}_{left.at}_{right.table}_{right.at}"
        base.pair(name, pairs)
        return f" CROSS JOIN {name}", f"{name}.a = {left.sql} AND {name}.b = {right.sql}"

    def _condition(self, one: Filter) -> str:
        column = self.name(one.column)
        if one.than:
            other = self.name(one.than)
            if other.table != column.table:
                raise BadInput(f"'{one.than}' is not of the table that has '{one.column}'.")
            sign = comparison(one, column.coded.column, other=other.coded.column).value
            self._used |= {(column.table, column.at), (other.table, other.at)}
            return f"{column.sql} {sign} {other.sql}"
        kept = kept_values(one, column.coded)
        if kept.filled is not None:
            return f"{column.sql} IS {'NOT ' if kept.filled else ''}NULL"
        self._used.add((column.table, column.at))
        negated = "NOT " if kept.negated else ""
        if kept.ranks is not None:
            # Ranks are numbers of ours: there may be more of them than a query may have values.
            return f"{column.sql} {negated}IN ({', '.join(map(str, kept.ranks))})"
        return f"{negated}({' OR '.join(self._within(column.sql, one) for one in kept.ranges)})"

    def _within(self, sql: str, one: ValueRange) -> str:
        parts: list[str] = []
        for bound, sign, closed in ((one.low, ">", one.with_low), (one.high, "<", one.with_high)):
            if bound is not None:
                parts.append(f"{sql} {sign}{'=' if closed else ''} ?")
                self.values.append(bound)
        return f"({' AND '.join(parts)})"


def _reaches(pair: tuple[NamedColumn, NamedColumn], read: set[int]) -> bool:
    return any(one.table in read for one in pair)


def written_figure(value: float, *, places: int = 0) -> str:
    """Return a figure as text: whole numbers without a point, others with four places at most.

    Of a figure in a large size `places` may be more.
    """
    most = max(_PLACES, places)
    rounded = round(value, most)
    return str(int(rounded)) if float(rounded).is_integer() else f"{rounded:.{most}f}".rstrip("0")


def written_day(value: int) -> str:
    """Return a day as text, without what it leaves out."""
    year, month, date = value // _YEAR, value // _MONTH % _MONTH, value % _MONTH
    return f"{year:04}" + (f"-{month:02}" if month else "") + (f"-{date:02}" if date else "")
