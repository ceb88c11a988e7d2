"""What is worked out of the rows that a plan keeps: by arrays over one table, else by queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from weft.domain.frozen import dataclass
from weft.retrieval.tables.arrays import Figure, RowGroups, TableArrays
from weft.retrieval.tables.plan import Aggregate, Filter, Function, TablePlan
from weft.retrieval.tables.query import WITH_UNIT, PlanQuery

MOST_KEPT = 20
MOST_DISTINCT = 10_000
MOST_TIES = 20
_ENDS = (Function.MOST, Function.LEAST, Function.SPREAD)

Cells = Sequence[tuple[Figure, ...]]
Run = Callable[[str, Sequence[object]], Cells]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedFigures:
    """Figures by group in the plan's order: what each group is of, then each aggregate.

    They stand on `counted` rows, of which `kept` are the first. For each aggregate `whole` is what
    a share is of, rows or a sum, and `bare` counts the cells without the unit that others of their
    column have.
    """

    found: Cells
    counted: int
    whole: tuple[float, ...]
    kept: tuple[tuple[int, ...], ...]
    bare: tuple[int, ...]


class ArrayFigures:
    """Figures over one table, from its arrays."""

    def __init__(
        self,
        query: PlanQuery,
        plan: TablePlan,
        *,
        arrays: TableArrays,
        in_time: Callable[[], None],
    ) -> None:
        """Take a plan that was checked; `in_time` is called between the steps, and may raise."""
        self._query = query
        self._plan = plan
        self._arrays = arrays
        self._in_time = in_time

    def _placed(self, filters: Sequence[Filter]) -> list[tuple[int, Filter, int | None]]:
        """Return conditions with the places of their columns."""
        name = self._query.name
        return [
            (name(one.column).at, one, name(one.than).at if one.than else None) for one in filters
        ]

    def worked(self, functions: Sequence[Aggregate]) -> WorkedFigures:
        """Return the figures of some aggregates."""
        query, plan, arrays = self._query, self._plan, self._arrays
        mask = arrays.kept(self._placed(plan.filters))
        self._in_time()
        groups = arrays.groups(mask, [query.name(one).at for one in plan.group_by])
        worked: list[Sequence[Figure]] = []
        for one in functions:
            self._in_time()
            worked.append(arrays.worked(groups, one, at=self._place(one)))
        self._in_time()
        values = [[None if np.isnan(v) else float(v) for v in one] for one in groups.values]
        rows = list(zip(*values, *worked, strict=True))
        chosen = self._ordered(rows, functions) if plan.group_by else list(range(len(rows)))
        return WorkedFigures(
            found=[rows[at] for at in chosen],
            counted=len(groups.rows),
            whole=tuple(map(self._whole, functions)),
            kept=self._standing_on(groups, functions, chosen=chosen),
            bare=tuple(self._bare(one, groups) for one in functions),
        )

    def _whole(self, one: Aggregate) -> float:
        if one.function is not Function.SHARE:
            return 0.0
        of = self._placed(self._plan.share_of)
        every = self._arrays.groups(self._arrays.kept(of), [])
        return self._arrays.worked(every, one, at=self._place(one))[0] or 0.0

    def _bare(self, one: Aggregate, groups: RowGroups) -> int:
        if one.function not in WITH_UNIT:
            return 0
        return self._query.name(one.column).coded.column.without_unit(groups.rows)

    def _place(self, one: Aggregate) -> int | None:
        return self._query.name(one.column).at if one.column else None

    def _ordered(self, rows: Cells, functions: Sequence[Aggregate]) -> list[int]:
        """Return which groups are told, in order, those level with the last of them as well."""
        plan = self._plan
        if not plan.order_by:
            return list(range(len(rows)))[: plan.limit or MOST_DISTINCT]
        order = plan.order_by[0]
        at = self._query.order_at(order.column, functions)
        filled = [n for n, row in enumerate(rows) if row[at] is not None]
        # Equal ones stay in order of their groups.
        sign = -1.0 if order.descending else 1.0
        filled.sort(key=lambda n: sign * (rows[n][at] or 0.0))
        every = [*filled, *(n for n, row in enumerate(rows) if row[at] is None)]
        if plan.limit is None:
            return every[:MOST_DISTINCT]
        told = with_ties([(rows[n][at], float(n)) for n in every], plan.limit)
        return every[: min(len(told), plan.limit + MOST_TIES)]

    def _standing_on(
        self, groups: RowGroups, functions: Sequence[Aggregate], *, chosen: Sequence[int]
    ) -> tuple[tuple[int, ...], ...]:
        """Return the first rows that a figure stands on: of a greatest value those with it."""
        rows = groups.rows
        only = functions[0] if len(functions) == 1 and not self._plan.group_by else None
        if only is not None and only.function in _ENDS and only.column:
            values = self._arrays.column(self._query.name(only.column).at)[rows]
            there = values[~np.isnan(values)]
            ends = [there.min(), there.max()] if len(there) else []
            wanted = {Function.LEAST: ends[:1], Function.MOST: ends[1:]}.get(only.function, ends)
            rows = rows[np.isin(values, wanted)]
        elif self._plan.group_by and self._plan.limit:
            rows = rows[np.isin(groups.of, list(chosen[:MOST_KEPT]))]
        return tuple((int(number),) for number in rows[:MOST_KEPT])


class QueryFigures:
    """Figures over joined tables, by queries."""

    def __init__(self, query: PlanQuery, plan: TablePlan, *, run: Run) -> None:
        """Take a plan that was checked, and what runs a query."""
        self._query = query
        self._plan = plan
        self._run = run

    def worked(self, functions: Sequence[Aggregate]) -> WorkedFigures:
        """Return the figures of some aggregates."""
        query, plan = self._query, self._plan
        groups = [query.name(one).sql for one in plan.group_by]
        worked = [query.worked(one) for one in functions]
        selected = ", ".join([*groups, *worked])
        if not groups:
            found = self._run(f"SELECT {selected} {query.source}", query.values)
        else:
            found = self._grouped(selected, groups=groups, worked=worked, functions=functions)
        counted = self._run(f"SELECT COUNT(*) {query.source}", query.values)[0][0]
        return WorkedFigures(
            found=found,
            counted=int(counted or 0),
            whole=tuple(map(self._whole, functions)),
            kept=self._standing_on(functions, groups=groups, found=found),
            bare=tuple(map(self._bare, functions)),
        )

    def _whole(self, one: Aggregate) -> float:
        if one.function is not Function.SHARE:
            return 0.0
        query = self._query
        text = f"SELECT {query.worked(one)} {query.whole}"
        return self._run(text, query.whole_values)[0][0] or 0.0

    def _bare(self, one: Aggregate) -> int:
        if one.function not in WITH_UNIT:
            return 0
        named = self._query.name(one.column)
        if not named.coded.column.bare:
            return 0
        number = self._query.numbers[named.table]
        rows = self._run(f"SELECT {number} {self._query.source}", self._query.values)
        return named.coded.column.without_unit(int(row[0] or 0) for row in rows)

    def _grouped(
        self,
        selected: str,
        *,
        groups: Sequence[str],
        worked: Sequence[str],
        functions: Sequence[Aggregate],
    ) -> Cells:
        query, plan = self._query, self._plan
        order = plan.order_by[0] if plan.order_by else None
        by = list(groups)
        if order is not None:
            down = " DESC" if order.descending else ""
            first = [*groups, *worked][query.order_at(order.column, functions)]
            by = [f"{first} IS NULL", f"{first}{down}", *groups]
            selected = f"{first}, {selected}"
        text = (
            f"SELECT {selected} {query.source} GROUP BY {', '.join(groups)}"
            f" ORDER BY {', '.join(by)}"
        )
        if order is None:
            return self._run(f"{text} LIMIT {int(plan.limit or MOST_DISTINCT)}", query.values)
        most = (plan.limit + MOST_TIES) if plan.limit else MOST_DISTINCT
        found = self._run(f"{text} LIMIT {int(most)}", query.values)
        kept = with_ties(found, plan.limit) if plan.limit else found
        return [row[1:] for row in kept]

    def _standing_on(
        self, functions: Sequence[Aggregate], *, groups: Sequence[str], found: Cells
    ) -> tuple[tuple[int, ...], ...]:
        """Return the first rows that a figure stands on: of a greatest value those with it."""
        query, plan = self._query, self._plan
        conditions, values = [], list(query.values)
        extreme = functions[0] if len(functions) == 1 and not groups else None
        if extreme and extreme.function in _ENDS:
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
        return tuple(whole_row(row) for row in rows)


def whole_row(row: Sequence[Figure]) -> tuple[int, ...]:
    """Return the numbers of a row in each table."""
    return tuple(int(number or 0) for number in row)


def with_ties(found: Cells, limit: int) -> Cells:
    """Return the first rows, and those that the first cell puts level with the last of them."""
    if len(found) <= limit:
        return found
    last = found[limit - 1][0]
    end = limit
    while end < len(found) and found[end][0] == last:
        end += 1
    return found[:end]
