"""Plans run over rows: figures of one table on arrays, lists and joins by SQLite in memory.

Texts stand there as their rank among the column's texts, so a condition on texts is decided once a
text and never by a pattern in the query; no word of a plan or of a cell is ever part of a query.
"""

from __future__ import annotations

import sqlite3
import statistics
import threading
import time
from collections.abc import Sequence
from typing import Any, cast

from weft.domain.errors import BudgetExceeded
from weft.domain.frozen import dataclass
from weft.retrieval.tables.arrays import Figure, TableArrays
from weft.retrieval.tables.coding import coded
from weft.retrieval.tables.figures import (
    MOST_DISTINCT,
    MOST_KEPT,
    MOST_TIES,
    ArrayFigures,
    Cells,
    QueryFigures,
    Run,
    whole_row,
    with_ties,
)
from weft.retrieval.tables.plan import Aggregate, Function, TablePlan
from weft.retrieval.tables.query import PlanQuery
from weft.retrieval.tables.table import ColumnKind, TypedTable

SECONDS = 5.0
_STEPS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResult:
    """What a plan gave: texts as they stand in the cells, and figures with their columns' units.

    `rows` are the first of `total`. It stands on `counted` rows, of which `kept` are the first: of
    each the number of the row in each table. `dirty` counts cells of the columns it goes by that
    are not of the column's kind, so that they take no part in it; `bare` counts the cells of its
    figures without the unit that others of their column have: such a figure has none.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: tuple[tuple[Figure, ...], ...]
    units: tuple[str, ...]
    kinds: tuple[str, ...]
    total: int
    kept: tuple[tuple[int, ...], ...]
    counted: int
    dirty: int = 0
    bare: int = 0


class TableDatabase:
    """One table, or several joined, ready for plans; made for one caller's rows."""

    def __init__(self, tables: Sequence[TypedTable]) -> None:
        """Load the tables; takes a second or two for a million rows."""
        self.tables = tuple(tables)
        self._lock = threading.Lock()
        self._paired: set[str] = set()
        self._coded = tuple(tuple(map(coded, _texts(table), table.columns)) for table in tables)
        self._arrays = (
            TableArrays(self._coded[0], len(tables[0].rows)) if len(tables) == 1 else None
        )
        self._held: sqlite3.Connection | None = None

    @property
    def _rows(self) -> sqlite3.Connection:
        """Return the database of the rows, filled when it is first asked."""
        if self._held is None:
            self._held = self._filled()
        return self._held

    def _filled(self) -> sqlite3.Connection:
        base = sqlite3.connect(":memory:", check_same_thread=False)
        base.create_aggregate("MEDIAN", 1, cast(Any, Median))  # SQLite has none
        for number, columns in enumerate(self._coded):
            names = ", ".join(f"c{at}" for at in range(len(columns)))
            base.execute(f"CREATE TABLE t{number} (n INTEGER PRIMARY KEY, {names})")
            marks = ", ".join("?" * (len(columns) + 1))
            held = zip(
                range(len(self.tables[number].rows)), *(one.values for one in columns), strict=True
            )
            base.executemany(f"INSERT INTO t{number} VALUES ({marks})", held)  # noqa: S608
        return base

    def run(
        self, plan: TablePlan, *, most: int = MOST_KEPT, seconds: float = SECONDS
    ) -> TableResult:
        """Return what a plan gives, `most` rows of it at most.

        Raises `BadInput` for a column that is not there or cannot do what is asked of it, and
        `BudgetExceeded` when it takes longer than `seconds`.
        """
        deadline = time.monotonic() + seconds
        late = BudgetExceeded(f"The tables were not worked out within {seconds:g} seconds.")

        def is_late() -> bool:
            return time.monotonic() > deadline

        def in_time() -> None:
            if is_late():
                raise late

        with self._lock:
            if self._arrays is not None and (plan.aggregates or plan.group_by):
                query = PlanQuery(self.tables, self._coded, plan=plan, base=self)
                held = ArrayFigures(query, plan, arrays=self._arrays, in_time=in_time)
                return _Working(query, plan, run=self._all, figures=held).result(most)
            self._rows.set_progress_handler(is_late, _STEPS)
            try:
                query = PlanQuery(self.tables, self._coded, plan=plan, base=self)
                figures = QueryFigures(query, plan, run=self._all)
                return _Working(query, plan, run=self._all, figures=figures).result(most)
            except sqlite3.OperationalError as error:
                if "interrupted" not in str(error):
                    raise
                raise late from None
            finally:
                self._rows.set_progress_handler(None, 0)

    def _all(self, query: str, values: Sequence[object]) -> Cells:
        return self._rows.execute(query, list(values)).fetchall()

    def pair(self, name: str, pairs: Sequence[tuple[int, int]]) -> None:
        """Keep pairs of ranks that are the same words, once; the rows never change."""
        if name in self._paired:
            return
        self._paired.add(name)
        # Without a type, like the columns that it is compared with: else no index is used.
        self._rows.execute(f"CREATE TEMP TABLE {name} (a INTEGER PRIMARY KEY, b)")
        self._rows.executemany(f"INSERT INTO {name} VALUES (?, ?)", pairs)  # noqa: S608

    def index(self, table: int, column: int) -> None:
        """Make the rows of a table be found by a column, once."""
        name = f"i{table}_{column}"
        self._rows.execute(f"CREATE INDEX IF NOT EXISTS {name} ON t{table} (c{column})")


class Median:
    """The middle of some numbers, or the mean of the two there; what a query may call."""

    def __init__(self) -> None:
        """Begin with no numbers."""
        self._values: list[float] = []

    def step(self, value: float | None, /) -> None:
        """Take one more."""
        if value is not None:
            self._values.append(value)

    def finalize(self) -> float | None:
        """Return the middle, None of none."""
        return statistics.median(self._values) if self._values else None


def _texts(table: TypedTable) -> list[list[str]]:
    return [[row.cells[at] for row in table.rows] for at in range(len(table.columns))]


class _Working:
    """One plan on its way to its result."""

    def __init__(
        self,
        query: PlanQuery,
        plan: TablePlan,
        *,
        run: Run,
        figures: ArrayFigures | QueryFigures,
    ) -> None:
        self._query = query
        self._plan = plan
        self._run = run
        self._figures = figures

    def result(self, most: int) -> TableResult:
        if self._plan.aggregates or self._plan.group_by:
            return self._worked_out(most)
        return self._listed(most)

    def _listed(self, most: int) -> TableResult:
        query, plan = self._query, self._plan
        counted = int(self._run(f"SELECT COUNT(*) {query.source}", query.values)[0][0] or 0)
        names = [query.name(one) for one in plan.columns] or query.every()
        selected = ", ".join([*query.numbers, *(one.sql for one in names)])
        found = self._ordered(f"SELECT {selected} {query.source_ordered}", distinct=plan.distinct)
        tables = len(query.numbers)
        rows = [
            tuple(one.text(row[one.table], row[tables + at]) for at, one in enumerate(names))
            for row in found
        ]
        total = len(found) if plan.limit or plan.distinct else counted
        every = found
        if plan.distinct:
            first = {row: at for at, row in reversed(list(enumerate(rows)))}
            kept = sorted(first.values())
            found, rows = [found[at] for at in kept], [rows[at] for at in kept]
            total = len(rows)
            # Two who are called the same may be two: of few that hold each is shown.
            every = every if plan.filters and len(every) <= MOST_KEPT else found
        return TableResult(
            columns=tuple(one.label for one in names),
            rows=tuple(rows[:most]),
            figures=tuple(tuple(row[tables:]) for row in found[:most]),
            units=tuple(one.coded.column.shown_unit for one in names),
            kinds=tuple(one.coded.column.kind.value for one in names),
            total=total,
            kept=tuple(whole_row(row[:tables]) for row in every[:MOST_KEPT]),
            counted=len(found) if plan.limit else counted,
            dirty=query.dirty,
        )

    def _ordered(self, selected: str, *, distinct: bool) -> Cells:
        """Return the rows up to the plan's limit, and those equal to the last of them."""
        query, plan = self._query, self._plan
        if plan.limit is None:
            most = MOST_DISTINCT
            return self._run(f"{selected} LIMIT {most}", query.values)
        if not query.order:
            return self._run(f"{selected} LIMIT {int(plan.limit)}", query.values)
        ties = selected.replace("SELECT ", f"SELECT {query.order[0]}, ", 1)
        most = MOST_DISTINCT if distinct else plan.limit + MOST_TIES
        found = self._run(f"{ties} LIMIT {int(most)}", query.values)
        return [row[1:] for row in with_ties(found, plan.limit)]

    def _worked_out(self, most: int) -> TableResult:
        query, plan = self._query, self._plan
        groups = [query.name(one) for one in plan.group_by]
        functions = plan.aggregates or [Aggregate(function=Function.COUNT)]
        for one in functions:
            query.worked(one)  # what cannot be worked out is said before anything is
        worked = self._figures.worked(functions)
        whole = [None] * len(groups) + [
            of if one.function is Function.SHARE else None
            for one, of in zip(functions, worked.whole, strict=True)
        ]
        found = [tuple(map(_percentage, row, whole)) for row in worked.found]
        units = [one.coded.column.shown_unit for one in groups]
        units += [
            query.unit(one, bare=bare) for one, bare in zip(functions, worked.bare, strict=True)
        ]
        rows = [
            tuple(
                groups[at].text(None, value)
                if at < len(groups)
                else query.figure(functions[at - len(groups)], value)
                for at, value in enumerate(row)
            )
            for row in found
        ]
        return TableResult(
            columns=(*(one.label for one in groups), *map(_called, functions)),
            rows=tuple(rows[:most]),
            figures=tuple(found[:most]),
            units=tuple(units),
            kinds=(
                *(one.coded.column.kind.value for one in groups),
                *[ColumnKind.NUMBER.value] * len(functions),
            ),
            total=len(found),
            kept=worked.kept,
            counted=worked.counted,
            dirty=query.dirty,
            bare=max(worked.bare, default=0),
        )


def _percentage(value: Figure, whole: float | None) -> Figure:
    """Return what share of a whole a figure is, or a figure that is no share as it is."""
    if whole is None or value is None:
        return value
    return 100 * value / whole if whole else None


def _called(one: Aggregate) -> str:
    return f"{one.function.value}({one.column})" if one.column else one.function.value
