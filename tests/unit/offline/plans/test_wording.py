"""What is counted, what is asked for beside the greatest, and which word is no superlative."""

from __future__ import annotations

import pytest

from unit.offline.plans.read_tables import answered, plans_of
from unit.retrieval.tables.made_tables import table_of
from weft.offline.plans.wording import asks_measure
from weft.retrieval.tables.plan import Function
from weft.retrieval.tables.rows.series import with_series

HIRES = table_of(
    "hires.csv",
    ["Customer", "Minibus", "Day", "Paid"],
    [
        ["Dale School", "Red", "2024-03-01", 120],
        ["Dale School", "Red", "2024-03-09", 80],
        ["Hill Club", "Blue", "2024-04-02", 95],
    ],
)
PLACES = table_of(
    "delivery points.csv",
    ["Customer", "km from bakery", "First delivery", "Telephone"],
    [
        ["Ann's Café", 4, "2021-02-01", "0455 010 221"],
        ["Bay Park", 31, "2019-05-06", "not given"],
        ["Cove Inn", 12, "2023-07-08", "0455 010 387"],
    ],
)
ORDERS = table_of(
    "orders.csv",
    ["order", "customer", "amount", "status"],
    [
        [1001, "Tanaka", "20.00", "open"],
        [1002, "Brun", "500.00", "open"],
        [1003, "Tanaka", "35.50", "cancelled"],
        [1004, "Lund", "12.00", "paid"],
    ],
)
WHO_IS_IN = table_of(
    "in.csv",
    ["Name", "Key", "Mon", "Tue", "Wed"],
    [["Ann", "yes", "x", "x", ""], ["Ben", "no", "x", "", "x"], ["Cy", "yes", "", "x", "x"]],
)


@pytest.mark.parametrize(
    ("question", "dated", "both"),
    [
        ("Which customer is furthest away, and how far is it?", False, True),
        ("What was the priciest job this year and what did it come to?", False, True),
        ("Which hoist is the strongest, what is its tag?", False, False),
        ("Which contract ends first and when?", True, True),
        ("Which order was promised last, by when?", True, True),
        ("Which customer is furthest away?", False, False),
        ("Which customer is furthest away, and when did they begin?", False, False),
        ("How many were sold and which was the dearest?", False, False),
    ],
)
def test_how_far_it_is_may_be_asked_as_well(question: str, *, dated: bool, both: bool) -> None:
    assert asks_measure(question, dated=dated) is both


def test_both_are_told_where_both_are_asked() -> None:
    question = "Which customer has the most km from bakery, and how far is it?"
    found = answered(question, PLACES)
    assert found is not None
    assert found.short == "Bay Park, 31"


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("What is the dearest thing we sell?", "Mug"),
        ("What is the highest price we sell at?", "9.5"),
    ],
)
def test_the_dearest_thing_is_no_price(question: str, short: str) -> None:
    goods = [["Mug", 3, 9.5], ["Card", 40, 1.2], ["Map", 12, 4]]
    found = answered(
        question, table_of("shop.csv", ["Article", "Stock", "Price we sell at"], goods)
    )
    assert found is not None
    assert found.short == short


def test_words_in_place_of_a_figure_are_no_answer() -> None:
    assert answered("What is the telephone of Bay Park?", PLACES) is None
    found = answered("What is the telephone of Cove Inn?", PLACES)
    assert found is not None
    assert found.short == "0455 010 387"


def test_a_word_that_says_of_what_kind_things_are_is_not_what_is_counted() -> None:
    plans = plans_of("How many minibus hires did Dale School have?", HIRES)
    counts = {one.plan.aggregates[0].function for one in plans if one.way == "count"}
    assert counts == {Function.COUNT}
    plans = plans_of("How many minibuses did Dale School have?", HIRES)
    counts = {one.plan.aggregates[0].function for one in plans if one.way == "count"}
    assert counts == {Function.DISTINCT}


@pytest.mark.parametrize(
    ("question", "is_ordered"),
    [
        ("What did Dale School pay in the first quarter?", False),
        ("What did Dale School pay in the last term?", False),
        ("What did Dale School pay first?", True),
        ("Who had the first hire?", True),
    ],
)
def test_the_first_of_a_year_is_not_the_first_row(question: str, *, is_ordered: bool) -> None:
    plans = plans_of(question, HIRES)
    assert any(one.plan.order_by for one in plans) is is_ordered


def test_the_first_of_a_columns_name_is_not_the_first_row() -> None:
    plans = plans_of("Which customer has a first delivery in 2019?", PLACES)
    assert plans
    assert not any(one.plan.order_by for one in plans)


@pytest.mark.parametrize("question", ["Who paid the biggest price?", "Which hire cost the most?"])
def test_a_size_is_no_day(question: str) -> None:
    orders = {one.plan.order_by[0].column for one in plans_of(question, HIRES) if one.plan.order_by}
    assert "Paid" in orders
    assert "Day" not in orders


def test_rows_told_by_days_are_not_counted_without_a_day() -> None:
    _, told = with_series([WHO_IS_IN])
    plans = plans_of("How many have a key?", told)
    assert "count" not in {one.way for one in plans}
    plans = plans_of("How many are in on Tue?", told)
    assert "count" in {one.way for one in plans}


def test_who_has_been_there_longest_came_first() -> None:
    plans = plans_of("Which customer has been with us longest?", PLACES)
    orders = {(one.plan.order_by[0].column, one.descending) for one in plans if one.plan.order_by}
    assert ("First delivery", False) in orders
    assert ("First delivery", True) not in orders
    assert ("km from bakery", True) in orders


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("How many orders are open?", "2"),
        ("Which customer has the most orders?", "Tanaka"),
    ],
)
def test_rows_are_counted_that_their_numbers_tell_apart(question: str, short: str) -> None:
    found = answered(question, ORDERS)
    assert found is not None
    assert found.short == short


@pytest.mark.parametrize("question", ["How many orders are there?", "What is the biggest order?"])
def test_numbers_that_tell_rows_apart_are_not_added_up_nor_compared(question: str) -> None:
    plans = [one.plan for one in plans_of(question, ORDERS)]
    assert plans
    for plan in plans:
        assert not any(one.column == "order" for one in plan.aggregates)
        assert not any(one.column == "order" for one in plan.order_by)


def test_numbers_that_count_are_added_up_though_they_stand_first() -> None:
    clubs = table_of("clubs.csv", ["members", "club"], [[12, "Oar"], [30, "Sail"], [7, "Row"]])
    found = answered("How many members are there in total?", clubs)
    assert found is not None
    assert found.short == "49"
