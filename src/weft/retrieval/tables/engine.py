"""Plans run by SQLite in memory: rows of one table, or of a few that are joined.

Texts stand there as their rank among the column's texts, so a condition on texts is decided once a
text and never by a pattern in the query; no word of a plan or of a cell is ever part of a query.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from weft.domain.errors import BudgetExceeded
from weft.retrieval.tables.coding import coded
from weft.retrieval.tables.plan import Aggregate, Function, TablePlan
from weft.retrieval.tables.query import PlanQuery
from weft.retrieval.tables.table import ColumnKind, TypedTable

SECONDS = 5.0
MOST_JOINED = 500_000
MOST_KEPT = 20
_STEPS = 20_000
_MOST_TIES = 20
_MOST_DISTINCT = 10_000

Figure = float | None
Cells = Sequence[tuple[Figure, ...]]
Run = Callable[[str, Sequence[object]], Cells]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResult:
    """What a plan gave: texts as they stand in the cells, and figures with their columns' units.

    `rows` are the first of `total`. It stands on `counted` rows, of which `kept` are the first: of
    each the number of the row in each table. `dirty` counts cells of the columns it goes by that
    are not of the column's kind, so that they take no part in it.
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


class TableDatabase:
    """One table, or several joined, ready for plans; made for one caller's rows."""

    def __init__(self, tables: Sequence[TypedTable]) -> None:
        """Load the tables; takes a second or two for a million rows."""
        self.tables = tuple(tables)
        self._lock = threading.Lock()
        self._paired: set[str] = set()
        self._rows = sqlite3.connect(":memory:", check_same_thread=False)
        self._coded = tuple(tuple(map(coded, _texts(table), table.columns)) for table in tables)
        for number, columns in enumerate(self._coded):
            names = ", ".join(f"c{at}" for at in range(len(columns)))
            self._rows.execute(f"CREATE TABLE t{number} (n INTEGER PRIMARY KEY, {names})")
            marks = ", ".join("?" * (len(columns) + 1))
            held = zip(
                range(len(tables[number].rows)), *(one.values for one in columns), strict=True
            )
            self._rows.executemany(f"INSERT INTO t{number} VALUES ({marks})", held)  # noqa: S608

    def run(
        self, plan: TablePlan, *, most: int = MOST_KEPT, seconds: float = SECONDS
    ) -> TableResult:
        """Return what a plan gives, `most` rows of it at most.

        Raises `BadInput` for a column that is not there or cannot do what is asked of it, and
        `BudgetExceeded` when it takes longer than `seconds`.
        """
        deadline = time.monotonic() + seconds
        with self._lock:
            self._rows.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            try:
                query = PlanQuery(self.tables, self._coded, plan=plan, base=self)
                return _Working(query, plan, run=self._all).result(most)
            except sqlite3.OperationalError as error:
                if "interrupted" not in str(error):
                    raise
                raise BudgetExceeded(
                    f"The tables were not worked out within {seconds:g} seconds."
                ) from None
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


def _texts(table: TypedTable) -> list[list[str]]:
    return [[row.cells[at] for row in table.rows] for at in range(len(table.columns))]


class _Working:
    """One plan on its way to its result."""

    def __init__(self, query: PlanQuery, plan: TablePlan, *, run: Run) -> None:
        self._query = query
        self._plan = plan
        self._run = run

    def result(self, most: int) -> TableResult:
        counted = int(
            self._run(f"SELECT COUNT(*) {self._query.source}", self._query.values)[0][0] or 0
        )
        if self._plan.aggregates or self._plan.group_by:
            return self._worked_out(counted, most)
        return self._listed(counted, most)

    def _listed(self, counted: int, most: int) -> TableResult:
        query, plan = self._query, self._plan
        names = [query.name(one) for one in plan.columns] or query.every()
        selected = ", ".join([*query.numbers, *(one.sql for one in names)])
        found = self._ordered(f"SELECT {selected} {query.source_ordered}", distinct=plan.distinct)
        tables = len(query.numbers)
        rows = [
            tuple(one.text(row[one.table], row[tables + at]) for at, one in enumerate(names))
            for row in found
        ]
        total = len(found) if plan.limit or plan.distinct else counted
        if plan.distinct:
            first = {row: at for at, row in reversed(list(enumerate(rows)))}
            kept = sorted(first.values())
            found, rows = [found[at] for at in kept], [rows[at] for at in kept]
            total = len(rows)
        return TableResult(
            columns=tuple(one.label for one in names),
            rows=tuple(rows[:most]),
            figures=tuple(tuple(row[tables:]) for row in found[:most]),
            units=tuple(one.coded.column.unit for one in names),
            kinds=tuple(one.coded.column.kind.value for one in names),
            total=total,
            kept=tuple(_whole(row[:tables]) for row in found[:MOST_KEPT]),
            counted=len(found) if plan.limit else counted,
            dirty=query.dirty,
        )

    def _ordered(self, selected: str, *, distinct: bool) -> Cells:
        """Return the rows up to the plan's limit, and those equal to the last of them."""
        query, plan = self._query, self._plan
        if plan.limit is None:
            most = _MOST_DISTINCT
            return self._run(f"{selected} LIMIT {most}", query.values)
        if not query.order:
            return self._run(f"{selected} LIMIT {int(plan.limit)}", query.values)
        ties = selected.replace("SELECT ", f"SELECT {query.order[0]}, ", 1)
        most = _MOST_DISTINCT if distinct else plan.limit + _MOST_TIES
        found = self._run(f"{ties} LIMIT {int(most)}", query.values)
        return [row[1:] for row in _with_ties(found, plan.limit)]

    def _worked_out(self, counted: int, most: int) -> TableResult:
        query, plan = self._query, self._plan
        groups = [query.name(one) for one in plan.group_by]
        functions = plan.aggregates or [Aggregate(function=Function.COUNT)]
        worked = [query.worked(one) for one in functions]
        selected = ", ".join([*(one.sql for one in groups), *worked])
        if not groups:
            found = self._run(f"SELECT {selected} {query.source}", query.values)
        else:
            found = self._grouped(selected, groups=[one.sql for one in groups], worked=worked)
        shares = [
            at for at, one in enumerate(functions, len(groups)) if one.function is Function.SHARE
        ]
        whole = self._run(f"SELECT COUNT(*) FROM {query.tables}", ())[0][0] if shares else 0  # noqa: S608
        found = [
            tuple(
                (100 * value / whole if whole and value is not None else None)
                if at in shares
                else value
                for at, value in enumerate(row)
            )
            for row in found
        ]
        units = [one.coded.column.unit for one in groups]
        units += [query.unit(one) for one in functions]
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
            kept=self._standing_on(functions, groups=[one.sql for one in groups], found=found),
            counted=counted,
            dirty=query.dirty,
        )

    def _grouped(self, selected: str, *, groups: list[str], worked: list[str]) -> Cells:
        query, plan = self._query, self._plan
        order = plan.order_by[0] if plan.order_by else None
        by = groups
        if order is not None:
            down = " DESC" if order.descending else ""
            first = worked[0] if not order.column else query.order_of(order.column, worked)
            by = [f"{first} IS NULL", f"{first}{down}", *groups]
            selected = f"{first}, {selected}"
        text = (
            f"SELECT {selected} {query.source} GROUP BY {', '.join(groups)}"
            f" ORDER BY {', '.join(by)}"
        )
        if order is None:
            return self._run(f"{text} LIMIT {int(plan.limit or _MOST_DISTINCT)}", query.values)
        most = (plan.limit + _MOST_TIES) if plan.limit else _MOST_DISTINCT
        found = self._run(f"{text} LIMIT {int(most)}", query.values)
        kept = _with_ties(found, plan.limit) if plan.limit else found
        return [row[1:] for row in kept]

    def _standing_on(
        self, functions: Sequence[Aggregate], *, groups: Sequence[str], found: Cells
    ) -> tuple[tuple[int, ...], ...]:
        """Return the first rows that a figure stands on: of a greatest value those with it."""
        query, plan = self._query, self._plan
        conditions, values = [], list(query.values)
        extreme = functions[0] if len(functions) == 1 and not groups else None
        if extreme and extreme.function in (Function.MOST, Function.LEAST, Function.SPREAD):
            column = query.name(extreme.column).sql
            ends = self._run(f"SELECT MIN({column}), MAX({column}) {query.source}", query.values)[0]
            wanted = {Function.LEAST: ends[:1], Function.MOST: ends[1:]}.get(extreme.function, ends)
            conditions.append(f"{column} IN ({', '.join('?' * len(wanted))})")
            values += wanted
        elif groups and plan.limit:
            conditions.append(
                " OR ".join(
                    f"({' AND '.join(f'{one} IS ?' for one in groups)})" for _ in found[:MOST_KEPT]
                )
                or "1"
            )
            values += [value for row in found[:MOST_KEPT] for value in row[: len(groups)]]
        text = query.narrowed(" AND ".join(f"({one})" for one in conditions))
        order = ", ".join(query.numbers)
        rows = self._run(f"SELECT {order} {text} ORDER BY {order} LIMIT {MOST_KEPT}", values)
        return tuple(_whole(row) for row in rows)


def _whole(row: Sequence[Figure]) -> tuple[int, ...]:
    return tuple(int(number or 0) for number in row)


def _called(one: Aggregate) -> str:
    return f"{one.function.value}({one.column})" if one.column else one.function.value


def _with_ties(found: Cells, limit: int) -> Cells:
    """Return the first rows, and those that the first cell puts level with the last of them."""
    if len(found) <= limit:
        return found
    last = found[limit - 1][0]
    end = limit
    while end < len(found) and found[end][0] == last:
        end += 1
    return found[:end]
