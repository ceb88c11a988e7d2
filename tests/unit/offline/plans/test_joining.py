"""Questions over a table and one that it refers to, as one plan."""

from __future__ import annotations

import pytest

from unit.offline.plans.read_tables import answered
from unit.retrieval.tables.made_tables import table_of
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


def short_of(question: str) -> str | None:
    """Return what both tables answer in short."""
    found = answered(question, ORDERS, CUSTOMERS)
    return found.short if found is not None else None


def test_a_column_whose_cells_are_anothers_key_refers_to_it() -> None:
    [found] = References().of(ORDERS, [ORDERS, CUSTOMERS])
    assert (found.column, found.table, found.key) == ("customer", "customers", "customer")
    assert References().of(CUSTOMERS, [ORDERS, CUSTOMERS]) == []


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("What is the total amount of the trade orders?", "40"),
        ("How many orders of trade customers are there?", "2"),
        ("What is the segment of A-2?", "home"),
    ],
)
def test_a_question_may_name_what_the_other_table_tells(question: str, short: str) -> None:
    assert short_of(question) == short


@pytest.mark.parametrize(
    "question",
    [
        "What is the total limit of the orders?",
        "How many segments are there in Oslo?",
    ],
)
def test_figures_of_the_other_table_are_not_added_up(question: str) -> None:
    assert short_of(question) is None
