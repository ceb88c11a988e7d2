"""Questions over a table and one that it refers to, as one plan."""

from __future__ import annotations

import asyncio

import pytest

from unit.retrieval.tables.made_tables import table_of
from weft.offline.plans.joining import joined
from weft.offline.plans.sketch import sketch_of
from weft.retrieval.tables.describing import Describer
from weft.retrieval.tables.engine import TableDatabase
from weft.retrieval.tables.references import References

ORDERS = table_of(
    "orders",
    ["order", "customer", "amount", "name"],
    [["A-1", "C-1", 10, "x"], ["A-2", "C-2", 20, "x"], ["A-3", "C-1", 30, "y"]],
)
CUSTOMERS = table_of(
    "customers",
    ["customer", "segment", "limit", "name"],
    [["C-1", "trade", 500, "Ada"], ["C-2", "home", 50, "Ben"], ["C-3", "home", 70, "Cy"]],
)


def answers(question: str) -> list[list[tuple[str, ...]]]:
    """Return the rows of each plan over both tables."""
    tables = [ORDERS, CUSTOMERS]
    items = asyncio.run(Describer().described(question, tables, embedder=None))
    found = joined(question, [sketch_of(item) for item in items])
    return [list(TableDatabase(tables).run(one.plan).rows) for one in found]


def test_a_column_whose_cells_are_anothers_key_refers_to_it() -> None:
    [found] = References().of(ORDERS, [ORDERS, CUSTOMERS])
    assert (found.column, found.table, found.key) == ("customer", "customers", "customer")
    assert References().of(CUSTOMERS, [ORDERS, CUSTOMERS]) == []


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What is the total amount of the trade orders?", [("40",)]),
        ("How many orders are there by segment?", [("trade", "2"), ("home", "1")]),
        ("How many orders of trade customers are there?", [("2",)]),
        ("What is the segment of A-2?", [("home",)]),
        ("Which orders have a limit over 100?", [("A-1",), ("A-3",)]),
    ],
)
def test_a_question_may_name_what_the_other_table_tells(
    question: str, rows: list[tuple[str, ...]]
) -> None:
    assert answers(question) == [rows]


@pytest.mark.parametrize(
    "question",
    [
        "What is the total limit of the orders?",
        "How many segments are there in Oslo?",
        "How many trade customers have orders?",
    ],
)
def test_figures_of_the_other_table_are_not_added_up(question: str) -> None:
    assert answers(question) == []
