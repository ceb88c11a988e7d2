"""Questions over random tables with what SQLite answers, and the plan that a model would hand in.

`generated(seed)` yields worlds of files with their questions, 200 in all by default. A plan names
tables by their file's name without its ending, and columns by their heads; a join's ends are
`table.column`; what is ordered by an aggregate says `sum(amount)`, `count(*)`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import Any

from flow.table_conditions import Condition, any_of, day_of, negated, number_of, value_of
from flow.table_wordings import told
from flow.table_worlds import Column, Kind, MadeTable, made_tables

Value = str | float
Plan = dict[str, Any]
_Maker = Callable[[Random, MadeTable, MadeTable], "_Asked"]
_TRIES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedQuestion:
    """A question, the rows that answer it (in order where it asks for one), and its plan."""

    text: str
    language: str
    kind: str
    expected: tuple[tuple[Value, ...], ...]
    plan: Plan
    is_ordered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedWorld:
    """Files to write, by name, and questions about them."""

    files: Mapping[str, str]
    tables: tuple[MadeTable, ...]
    questions: tuple[GeneratedQuestion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question before it is answered: `values` are put into a wording of its kind."""

    kind: str
    values: Mapping[str, str]
    sql: str
    plan: Plan = field(default_factory=dict)
    is_one: bool = False
    is_ordered: bool = False


def generated(seed: int, *, worlds: int = 10, each: int = 20) -> Iterator[GeneratedWorld]:
    """Yield worlds of random tables; the same seed gives the same."""
    for place in range(worlds):
        random = Random(f"{seed}-{place}")
        tables = made_tables(random, place)
        base = _loaded(tables)
        makers = [_MAKERS[at % len(_MAKERS)] for at in range(place * each, (place + 1) * each)]
        questions = tuple(_question(random, base, tables, maker) for maker in makers)
        base.close()
        files = {table.file: table.text for table in tables}
        yield GeneratedWorld(files=files, tables=tuple(tables), questions=questions)


def _loaded(tables: Sequence[MadeTable]) -> sqlite3.Connection:
    """Return a database of the tables as they are meant; days are texts."""
    base = sqlite3.connect(":memory:")
    for table in tables:
        heads = ", ".join(f'"{column.name}"' for column in table.kind.columns)
        base.execute(f'create table "{table.kind.name}" ({heads})')
        marks = ", ".join("?" * len(table.kind.columns))
        rows = [
            [cell.isoformat() if isinstance(cell, date) else cell for cell in row]
            for row in table.rows
        ]
        base.executemany(f'insert into "{table.kind.name}" values ({marks})', rows)
    return base


def _question(
    random: Random, base: sqlite3.Connection, tables: Sequence[MadeTable], maker: _Maker
) -> GeneratedQuestion:
    """Return a question of a kind that has an answer, and one answer only."""
    for _ in range(_TRIES):
        # The pair for a question of both, else any of the tables that are more than a list of keys.
        table = tables[1] if maker in _OF_PAIRS else random.choice(tables[:2])
        asked = maker(random, table, tables[2])
        rows = base.execute(asked.sql).fetchall()
        if _is_told(rows) and not _is_tied(asked, rows):
            return GeneratedQuestion(
                text=told(random, table.kind, asked.kind, asked.values),
                language=table.kind.language,
                kind=asked.kind,
                expected=tuple(tuple(row) for row in rows[: asked.plan["limit"]]),
                plan=asked.plan,
                is_ordered=asked.is_ordered,
            )
    raise AssertionError(f"no question came of {tables[0].kind.name}")


def _is_told(rows: Sequence[tuple[Value | None, ...]]) -> bool:
    """Tell whether there is an answer, without what nobody can read; none counted is none."""
    return bool(rows) and all(None not in row for row in rows) and rows != [(0,)]


def _is_tied(asked: _Asked, rows: Sequence[tuple[Value, ...]]) -> bool:
    """Tell whether more than one group is the largest: the query gives one more than is asked."""
    return asked.is_one and len(rows) > 1 and rows[0][1] == rows[1][1]


def _plan(kind: Kind, conditions: Sequence[Condition] = (), **other: object) -> Plan:
    """Return a plan with all its fields."""
    made: Plan = {
        "tables": [kind.name],
        "filters": [each for condition in conditions for each in condition.filters],
        "joins": [],
        "group_by": [],
        "aggregates": [],
        "order_by": [],
        "limit": None,
        "columns": [],
    }
    return made | other


def _where(conditions: Sequence[Condition]) -> str:
    told = " and ".join(condition.sql for condition in conditions)
    return f" where {told}" if told else ""


def _subject(kind: Kind) -> Column:
    """Return the column that names a row."""
    return kind.columns[0]


def _lookup(random: Random, table: MadeTable, _: MadeTable) -> _Asked:
    kind = table.kind
    row = random.choice(table.rows)
    column = random.choice([*kind.of_kind("category"), *kind.of_kind("number")])
    named, who = _subject(kind), str(row[0])
    wanted = Condition(text=who, sql=f"\"{named.name}\" = '{who}'", filters=(_is(named, who),))
    return _Asked(
        kind="lookup",
        values={"name": who, "column": column.name},
        sql=f'select "{column.name}" from "{kind.name}"{_where([wanted])}',
        plan=_plan(kind, [wanted], columns=[column.name]),
    )


def _is(column: Column, value: str) -> dict[str, object]:
    return {"column": column.name, "op": "=", "value": value}


def _counted(kind: Kind, conditions: Sequence[Condition], name: str) -> _Asked:
    return _Asked(
        kind=name,
        values={"condition": " ".join(condition.text for condition in conditions)},
        sql=f'select count(*) from "{kind.name}"{_where(conditions)}',
        plan=_plan(kind, conditions, aggregates=[{"function": "count", "column": "*"}]),
    )


def _count(random: Random, table: MadeTable, _: MadeTable) -> _Asked:
    return _counted(table.kind, [any_of(random, table)], "count")


def _dated(random: Random, table: MadeTable, _: MadeTable) -> _Asked:
    return _counted(table.kind, [day_of(random, table)], "count")


def _not(random: Random, table: MadeTable, _: MadeTable) -> _Asked:
    return _counted(table.kind, [negated(random, table)], "count")


def _aggregate(random: Random, table: MadeTable, _: MadeTable) -> _Asked:
    kind = table.kind
    name, sql = random.choice((("sum", "sum"), ("average", "avg"), ("max", "max"), ("min", "min")))
    column, wanted = random.choice(kind.of_kind("number")), value_of(random, table)
    return _Asked(
        kind=name,
        values={"column": column.name, "condition": wanted.text},
        sql=f'select {sql}("{column.name}") from "{kind.name}"{_where([wanted])}',
        plan=_plan(kind, [wanted], aggregates=[{"function": name, "column": column.name}]),
    )


def _top(random: Random, table: MadeTable, _: MadeTable) -> _Asked:
    kind, count = table.kind, random.choice((1, 1, 3, 5))
    column, is_down = random.choice(kind.of_kind("number")), random.random() < 0.7
    named = _subject(kind).name
    order = f'"{column.name}" {"desc" if is_down else "asc"} limit {count}'
    known = f'"{column.name}" is not null'
    largest = "largest" if is_down else "smallest"
    return _Asked(
        kind=largest if count == 1 else f"top {largest}",
        values={"column": column.name, "count": str(count)},
        sql=f'select "{named}" from "{kind.name}" where {known} order by {order}',
        plan=_plan(
            kind,
            order_by=[{"column": column.name, "descending": is_down}],
            limit=count,
            columns=[named],
        ),
        is_ordered=True,
    )


def _grouped(random: Random, table: MadeTable, _: MadeTable) -> _Asked:
    kind = table.kind
    by, column = kind.of_kind("category")[0].name, random.choice(kind.of_kind("number")).name
    name, sql, over = random.choice(
        (("count", "count(*)", "*"), ("average", f'avg("{column}")', column))
    )
    return _Asked(
        kind=f"group {name}",
        values={"by": by, "column": column},
        sql=f'select "{by}", {sql} from "{kind.name}" group by 1',
        plan=_plan(
            kind,
            group_by=[by],
            aggregates=[{"function": name, "column": over}],
            columns=[by],
        ),
    )


def _largest_group(random: Random, table: MadeTable, _: MadeTable) -> _Asked:
    kind = table.kind
    by, column = kind.of_kind("category")[0].name, random.choice(kind.of_kind("number")).name
    return _Asked(
        kind="largest group",
        values={"by": by, "column": column},
        sql=f'select "{by}", sum("{column}") from "{kind.name}" group by 1 order by 2 desc limit 2',
        plan=_plan(
            kind,
            group_by=[by],
            aggregates=[{"function": "sum", "column": column}],
            order_by=[{"column": f"sum({column})", "descending": True}],
            limit=1,
            columns=[by],
        ),
        is_one=True,
        is_ordered=True,
    )


def _listed(random: Random, table: MadeTable, _: MadeTable) -> _Asked:
    kind, named = table.kind, _subject(table.kind).name
    conditions = [value_of(random, table), random.choice((number_of, day_of))(random, table)]
    return _Asked(
        kind="list",
        values={"condition": " ".join(condition.text for condition in conditions)},
        sql=f'select "{named}" from "{kind.name}"{_where(conditions)}',
        plan=_plan(kind, conditions, columns=[named]),
    )


def _joined(random: Random, table: MadeTable, referred: MadeTable) -> _Asked:
    """Ask for rows of one table by what the other says of whom they refer to."""
    kind, other = table.kind, referred.kind
    left, right = kind.of_kind("reference")[0].name, other.columns[0].name
    wanted = value_of(random, referred)
    column = kind.of_kind("number")[0].name
    name, sql, over = random.choice(
        (("count", "count(*)", "*"), ("sum", f'sum("{column}")', column))
    )
    both = f'"{kind.name}" join "{other.name}" on "{kind.name}"."{left}" = "{other.name}"."{right}"'
    return _Asked(
        kind=name,
        values={"column": column, "condition": kind.of.replace("{c}", wanted.text)},
        sql=f"select {sql} from {both}{_where([wanted])}",
        plan=_plan(
            kind,
            [wanted],
            tables=[kind.name, other.name],
            joins=[{"left": f"{kind.name}.{left}", "right": f"{other.name}.{right}"}],
            aggregates=[{"function": name, "column": over}],
        ),
    )


_OF_PAIRS = (_joined,)
_MAKERS: tuple[_Maker, ...] = (
    _lookup,
    _count,
    _dated,
    _aggregate,
    _top,
    _not,
    _grouped,
    _largest_group,
    _listed,
    _joined,
    _aggregate,
    _top,
    _joined,
)
