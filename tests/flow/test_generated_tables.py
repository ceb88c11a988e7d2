"""The generated questions are what they say: of every kind, and answered alike by their plans."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from statistics import fmean
from typing import Any

import pytest

from flow.generated_tables import GeneratedQuestion, GeneratedWorld, Plan, Value, generated
from flow.table_worlds import MadeTable

SEED = 7
Row = Mapping[str, Value | None]
COMPARES: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
FUNCTIONS: Mapping[str, Callable[[Sequence[Any]], float]] = {
    "count": len,
    "sum": sum,
    "average": fmean,
    "max": max,
    "min": min,
}


@pytest.fixture(scope="module")
def worlds() -> list[GeneratedWorld]:
    return list(generated(SEED))


def _rows(table: MadeTable) -> list[Row]:
    heads = [column.name for column in table.kind.columns]
    return [
        dict(zip(heads, (c.isoformat() if isinstance(c, date) else c for c in row), strict=True))
        for row in table.rows
    ]


def _joined(world: GeneratedWorld, plan: Plan) -> list[Row]:
    """Return the rows of a plan's tables, joined where it joins."""
    known = {table.kind.name: _rows(table) for table in world.tables}
    rows = known[plan["tables"][0]]
    for join in plan["joins"]:
        left = join["left"].split(".")[1]
        name, right = join["right"].split(".")
        rows = [
            {**other, **row} for row in rows for other in known[name] if row[left] == other[right]
        ]
    return rows


def _aggregated(plan: Plan, rows: Sequence[Row]) -> tuple[float, ...]:
    told: list[float] = []
    for each in plan["aggregates"]:
        column = each["column"]
        values = [row[column] for row in rows if row[column] is not None] if column != "*" else rows
        told.append(FUNCTIONS[each["function"]](values))
    return tuple(told)


def _by(column: str) -> Callable[[Row], Any]:
    return operator.itemgetter(column)


def _run(world: GeneratedWorld, plan: Plan) -> list[tuple[Value | None, ...]]:
    """Run a plan the slow way."""
    rows = [
        row
        for row in _joined(world, plan)
        if all(
            row[each["column"]] is not None
            and COMPARES[each["op"]](row[each["column"]], each["value"])
            for each in plan["filters"]
        )
    ]
    if plan["aggregates"]:
        groups: dict[tuple[Any, ...], list[Row]] = {}
        for row in rows:
            groups.setdefault(tuple(row[name] for name in plan["group_by"]), []).append(row)
        found = [(*key, *_aggregated(plan, part)) for key, part in groups.items()]
        if plan["order_by"]:
            found.sort(key=lambda row: row[-1], reverse=plan["order_by"][0]["descending"])
        return found[: plan["limit"]]
    for order in plan["order_by"]:
        rows = [row for row in rows if row[order["column"]] is not None]
        rows = sorted(rows, key=_by(order["column"]), reverse=order["descending"])
    return [tuple(row[name] for name in plan["columns"]) for row in rows[: plan["limit"]]]


def test_there_are_two_hundred_of_every_kind_in_both_languages(
    worlds: list[GeneratedWorld],
) -> None:
    asked = [each for world in worlds for each in world.questions]
    assert len(asked) == 200
    assert len({each.text for each in asked}) > 170
    languages = [each.language for each in asked]
    assert min(languages.count("en"), languages.count("ko")) >= 70
    assert len({each.kind for each in asked}) >= 12
    assert sum(bool(each.plan["joins"]) for each in asked) >= 20
    assert {name.split(".")[1] for world in worlds for name in world.files} == {
        "csv",
        "tsv",
        "json",
        "md",
    }


def test_a_seed_is_a_world() -> None:
    assert list(generated(3, worlds=2)) == list(generated(3, worlds=2))
    assert list(generated(3, worlds=1)) != list(generated(4, worlds=1))


def test_what_nobody_can_read_and_every_form_of_a_number_is_there(
    worlds: list[GeneratedWorld],
) -> None:
    text = "\n".join(text for world in worlds for text in world.files.values())
    for form in ("n/a", "tbd", " kW", "만 원", "년 ", "2021-", " 2021"):
        assert form in text
    cells = [
        cell for world in worlds for table in world.tables for row in table.rows for cell in row
    ]
    assert cells.count(None) > 20


def test_every_plan_gives_what_the_query_does(worlds: list[GeneratedWorld]) -> None:
    wrong = [
        (each.text, each.expected, _run(world, each.plan))
        for world in worlds
        for each in world.questions
        if not _is_same(each, _run(world, each.plan))
    ]
    assert wrong == []


def _is_same(question: GeneratedQuestion, rows: Sequence[tuple[Value | None, ...]]) -> bool:
    expected = list(question.expected)
    if question.is_ordered:
        return _rounded(expected) == _rounded(rows)
    return sorted(map(repr, _rounded(expected))) == sorted(map(repr, _rounded(rows)))


def _rounded(rows: Sequence[tuple[Value | None, ...]]) -> list[tuple[Value | None, ...]]:
    return [
        tuple(round(float(cell), 6) if isinstance(cell, int | float) else cell for cell in row)
        for row in rows
    ]
