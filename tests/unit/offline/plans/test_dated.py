"""Months, days and what is not there yet: what a question sets as a condition without a year."""

from __future__ import annotations

import asyncio

import pytest

from unit.retrieval.tables.made_tables import table_of
from weft.offline.plans.conditions import condition_sets
from weft.offline.plans.signs import signs_of
from weft.offline.plans.sketch import sketch_of
from weft.retrieval.tables.describing import Describer
from weft.retrieval.tables.plan import Filter, Op, Scalar
from weft.retrieval.tables.table import TypedTable

LOANS = table_of(
    "loans.csv",
    ["Borrower", "Item", "Lent", "Returned"],
    [
        ["Orla", "ladder", "2024-02-06", "2024-03-01"],
        ["Piet", "saw", "2024-03-11", ""],
        ["Rosa", "drill", "2024-05-20", "2024-06-02"],
        ["Sven", "tent", "2024-07-02", ""],
    ],
)
SALES = table_of(
    "sales.csv",
    ["Shop", "Month", "Sales"],
    [
        [shop, month, at + 3 * len(shop)]
        for shop in ("Quay", "Market")
        for at, month in enumerate(["Jan", "Feb", "Mar", "Apr", "May", "Jun"])
    ],
)


def meant(question: str, table: TypedTable) -> list[tuple[Filter, ...]]:
    """Return the sets of conditions that a question may mean, the likeliest first."""
    [item] = asyncio.run(Describer().described(question, [table], embedder=None))
    return [one.filters for one in condition_sets(signs_of(question, sketch_of(item)))]


DAYS: list[tuple[str, Op, Scalar | list[Scalar]]] = [
    ("What was lent in March?", Op.IS, "2024-03"),
    ("What was lent on 11 March?", Op.IS, "2024-03-11"),
    ("What was lent before May?", Op.UNDER, "2024-05"),
    ("What was lent from February to May?", Op.BETWEEN, ["2024-02", "2024-05"]),
    ("What was lent in March and May?", Op.AMONG, ["2024-03", "2024-05"]),
]


@pytest.mark.parametrize(("question", "op", "value"), DAYS)
def test_a_month_is_of_the_year_that_all_days_have(
    question: str, op: Op, value: Scalar | list[Scalar]
) -> None:
    wanted = Filter(column="Lent", op=op, value=value)
    assert any(wanted in one for one in meant(question, LOANS))


def test_of_days_of_several_years_a_month_alone_is_none() -> None:
    rows = [["Orla", "2023-02-06"], ["Piet", "2024-03-11"], ["Rosa", "2024-05-20"]]
    found = meant("What was lent in March?", table_of("loans.csv", ["Borrower", "Lent"], rows))
    assert not any(found)


@pytest.mark.parametrize("day", ["45 March", "31 February", "March 0", "March to 40 May"])
def test_a_day_that_is_none_is_no_condition(day: str) -> None:
    assert not any(
        one.column == "Lent" for some in meant(f"What was lent on {day}?", LOANS) for one in some
    )


def test_what_is_not_there_yet_is_nothing_in_its_column() -> None:
    wanted = Filter(column="Returned", op=Op.EMPTY)
    assert any(wanted in one for one in meant("Which items are not returned yet?", LOANS))
    full = table_of(
        "loans.csv", ["Item", "Returned"], [["saw", "2024-03-01"], ["tent", "2024-06-02"]]
    )
    assert not any(
        one.op is Op.EMPTY for some in meant("Which are not returned yet?", full) for one in some
    )


STRETCHES = [
    ("How much did Quay sell from February to April?", ["Feb", "Mar", "Apr"]),
    ("How much did Quay sell in the first quarter?", ["Jan", "Feb", "Mar"]),
    ("How much did Quay sell in the last two months?", ["May", "Jun"]),
]


@pytest.mark.parametrize(("question", "months"), STRETCHES)
def test_several_months_are_said_at_once(question: str, months: list[str]) -> None:
    wanted = Filter(column="Month", op=Op.AMONG, value=[*months])
    assert any(wanted in one for one in meant(question, SALES))


def test_a_stretch_beyond_what_a_table_has_is_none() -> None:
    found = meant("How much did Quay sell from April to September?", SALES)
    several = [one.value for some in found for one in some if isinstance(one.value, list)]
    assert not any(len(value) > 2 for value in several)


STOCK = table_of(
    "stock.csv",
    ["Item", "In stock", "Reorder level", "Price"],
    [["Rope", 4, 10, 3], ["Nails", 200, 150, 1], ["Glue", 7, 7, 5], ["Tape", 2, 9, 4]],
)


def test_less_than_a_column_that_is_named_is_what_stands_beside_it() -> None:
    wanted = Filter(column="In stock", op=Op.UNDER, than="Reorder level")
    assert any(wanted in one for one in meant("Which items are below the reorder level?", STOCK))
    spoken = Filter(column="Price", op=Op.OVER, than="Reorder level")
    found = meant("Which items have a price over the reorder level?", STOCK)
    assert any(spoken in one for one in found)


def test_beyond_a_figure_no_column_is_compared() -> None:
    found = meant("Which items have a reorder level above 8?", STOCK)
    assert not any(one.than for some in found for one in some)


RATES = table_of(
    "unemployment.csv##Month",
    ["Year", "Month", "unemployment"],
    [
        [year, month, round(4 + (at * 7 + year) % 11 / 2, 1)]
        for year in (2007, 2008, 2009)
        for at, month in enumerate(["Jan", "Feb", "Mar", "Apr", "May", "Jun"])
    ],
)


def test_a_month_of_a_year_is_a_month_where_a_table_has_years_beside_months() -> None:
    wanted = {
        Filter(column="Year", op=Op.IS, value=2008.0),
        Filter(column="Month", op=Op.IS, value="Mar"),
    }
    found = meant("What was the unemployment in March 2008?", RATES)
    assert any(all(one in some for one in wanted) for some in found)
