"""Plans over typed rows: equal to plain Python, blind to rows that are not there, checked."""

from __future__ import annotations

import statistics
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.retrieval.tables.made_tables import table_of
from weft.domain.errors import BadInput, BudgetExceeded
from weft.domain.outside.limits import reader_of
from weft.retrieval.tables.engine import TableDatabase, TableResult
from weft.retrieval.tables.plan import Aggregate, Filter, Function, Op, TablePlan, said
from weft.retrieval.tables.table import ColumnKind

PEOPLE = table_of(
    "people",
    ["name", "team", "salary", "joined", "active"],
    [
        ["Anna Berg", "Sales", "4,200 EUR", "2020-03-01", "yes"],
        ["Bo Lund", "Ops", "3900 EUR", "2019-11-15", "no"],
        ["Cid Ray", "Sales", "n/a", "2021-01-05", "yes"],
        ["Dee Moe", "", "three", "May 2021", "no"],
        ["Eva Ost", "Ops", "3900", "2021-01-05", "yes"],
    ],
)
TEAMS = table_of("teams", ["team", "lead"], [["sales", "Zoe"], ["Ops", "Yan"], ["Legal", "Xi"]])


def planned(**parts: Any) -> TablePlan:
    return reader_of(TablePlan).validate_python(parts)


def ran(**plan: Any) -> TableResult:
    return TableDatabase([PEOPLE]).run(planned(tables=["people"], **plan))


def test_columns_are_typed_and_what_is_not_of_a_kind_is_counted() -> None:
    kinds = [column.kind for column in PEOPLE.columns]
    number, day, yes = ColumnKind.NUMBER, ColumnKind.DATE, ColumnKind.TRUTH
    assert kinds == [ColumnKind.CATEGORY, ColumnKind.CATEGORY, number, day, yes]
    salary = PEOPLE.columns[2]
    assert (salary.unit, salary.dirty, salary.low, salary.high) == ("eur", 2, 3900, 4200)
    assert PEOPLE.columns[PEOPLE.key].name == "name"


def test_each_of_two_who_are_called_the_same_is_cited() -> None:
    people = table_of("people", ["name", "pay"], [["김민수", 62], ["이영희", 48], ["김민수", 75]])
    found = TableDatabase([people]).run(
        planned(
            tables=["people"],
            columns=["name"],
            distinct=True,
            filters=[{"column": "pay", "op": ">=", "value": 60}],
        )
    )
    assert (found.rows, found.total) == ((("김민수",),), 1)
    assert (found.kept, found.counted) == (((0,), (2,)), 2)


def test_a_sum_in_a_large_size_loses_no_coin() -> None:
    rows = [["a", "2억원"], ["b", "3억원"], ["c", "1,234원"]]
    base = TableDatabase([table_of("t", ["what", "paid"], rows)])
    plan = planned(tables=["t"], aggregates=[{"function": "sum", "column": "paid"}])
    assert base.run(plan).rows == (("5.00001234",),)
    assert base.run(plan).units == ("억 krw",)


def test_what_is_kept_is_cited_and_what_takes_no_part_is_counted() -> None:
    found = ran(
        filters=[{"column": "Team", "op": "=", "value": "SALES"}],
        aggregates=[{"function": "avg", "column": "salary"}],
    )
    assert (found.rows, found.units) == ((("4200",),), ("eur",))
    assert (found.kept, found.counted, found.dirty) == (((0,), (2,)), 2, 2)


def test_a_cell_that_says_that_there_is_no_value_is_counted_and_an_empty_one_is_not() -> None:
    said = ["1200", "n/a", "-", "none", "", "  ", "300", "500"]
    amount = table_of("sales", ["amount"], [[one] for one in said]).columns[0]
    assert (amount.kind, amount.dirty, amount.distinct) == (ColumnKind.NUMBER, 3, 3)


def test_those_that_are_level_with_the_last_are_told_too() -> None:
    found = ran(order_by=[{"column": "salary"}], limit=1, columns=["name"])
    assert [row[0] for row in found.rows] == ["Bo Lund", "Eva Ost"]
    groups = ran(
        group_by=["team"], aggregates=[{"function": "count"}], order_by=[{"descending": True}]
    )
    assert groups.rows == (("Ops", "2"), ("Sales", "2"), ("", "1"))


def test_days_are_compared_by_month_and_year() -> None:
    def names(op: str, value: object) -> list[str]:
        found = ran(filters=[{"column": "joined", "op": op, "value": value}], columns=["name"])
        return [row[0].split()[0] for row in found.rows]

    assert names("=", "2021") == ["Cid", "Dee", "Eva"]
    assert names(">", "2020") == ["Cid", "Dee", "Eva"]
    assert names("<", "March 2020") == ["Bo"]
    assert names("between", ["2020-03", "2021-01-05"]) == ["Anna", "Cid", "Eva"]


def test_tables_are_joined_by_words_without_regard_to_case() -> None:
    both = TableDatabase([PEOPLE, TEAMS])
    plan = planned(
        tables=["people", "teams"],
        joins=[{"left": "people.team", "right": "teams.team"}],
        filters=[{"column": "lead", "op": "=", "value": "Zoe"}],
        columns=["name", "lead"],
    )
    found = both.run(plan)
    assert found.rows == (("Anna Berg", "Zoe"), ("Cid Ray", "Zoe"))
    assert found.kept == ((0, 0), (2, 0))


@pytest.mark.parametrize(
    ("plan", "named"),
    [
        ({"columns": ["wage"]}, "wage"),
        ({"filters": [{"column": "salary", "op": ">", "value": "much"}]}, "much"),
        ({"filters": [{"column": "salary", "op": ">", "value": "5 km"}]}, "km"),
        ({"filters": [{"column": "team", "op": ">", "value": "A"}]}, "team"),
        ({"filters": [{"column": "joined", "op": "=", "value": "soon"}]}, "soon"),
        ({"filters": [{"column": "joined", "op": "between", "value": ["2020"]}]}, "between"),
        ({"aggregates": [{"function": "sum", "column": "team"}]}, "team"),
        ({"aggregates": [{"function": "sum"}]}, "sum"),
        ({"aggregates": [{"function": "median"}]}, "median"),
        ({"aggregates": [{"function": "share", "column": "team"}]}, "team"),
    ],
)
def test_a_plan_that_cannot_be_is_named(plan: dict[str, Any], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        ran(**plan)


def test_words_of_a_plan_are_never_a_query() -> None:
    evil = table_of("t", ['a"); DROP TABLE t0; --'], [["x' OR 1=1 --"], ["y"]])
    base = TableDatabase([evil])
    name = evil.columns[0].name
    plan = planned(
        tables=["t"],
        filters=[{"column": name, "op": "=", "value": "x' or 1=1 --"}],
        columns=[name],
    )
    assert base.run(plan).rows == (("x' OR 1=1 --",),)
    assert base.run(planned(tables=["t"])).total == 2


def test_a_plan_that_takes_too_long_is_ended() -> None:
    numbers = table_of("n", ["k", "v"], [["a", at] for at in range(3000)])
    both = TableDatabase([numbers, table_of("m", ["k", "w"], [["a", at] for at in range(3000)])])
    plan = planned(
        tables=["n", "m"],
        joins=[{"left": "n.k", "right": "m.k"}],
        aggregates=[{"function": "sum", "column": "w"}],
    )
    with pytest.raises(BudgetExceeded):
        both.run(plan, seconds=0.05)


def test_figures_of_one_table_are_given_up_in_time_too() -> None:
    rows = TableDatabase([table_of("one", ["k", "v"], [[f"k{n % 7}", n] for n in range(100)])])
    plan = planned(tables=["one"], group_by=["k"], aggregates=[{"function": "sum", "column": "v"}])
    with pytest.raises(BudgetExceeded, match="within 0 seconds"):
        rows.run(plan, seconds=0)
    assert rows.run(plan).total == 7


def test_a_plan_is_said_in_one_line() -> None:
    plan = planned(
        tables=["people"],
        filters=[{"column": "team", "op": "in", "value": ["Sales", "Ops"]}],
        aggregates=[{"function": "avg", "column": "salary"}],
    )
    assert said(plan, ["people.csv"]) == "people.csv · team ∈ {Sales, Ops} · avg(salary)"


rows = st.lists(
    st.tuples(st.sampled_from(["red", "Blue", "green", ""]), st.integers(-50, 50), st.booleans()),
    min_size=1,
    max_size=30,
)


@given(rows, st.integers(-50, 50))
def test_figures_equal_plain_python(given_rows: list[tuple[str, int, bool]], least: int) -> None:
    table = table_of("t", ["colour", "n", "hidden"], given_rows)
    kept = [n for _, n, _ in given_rows if n >= least]
    plan = planned(
        tables=["t"],
        filters=[{"column": "n", "op": ">=", "value": least}],
        aggregates=[{"function": one, "column": "n"} for one in ("count", "sum", "min", "max")],
    )
    found = TableDatabase([table]).run(plan).figures[0]
    assert found == (len(kept), *((sum(kept), min(kept), max(kept)) if kept else (None,) * 3))


@given(rows, st.integers(-50, 50))
def test_middles_and_shares_of_a_sum_equal_plain_python(
    given_rows: list[tuple[str, int, bool]], least: int
) -> None:
    numbers = [abs(n) for _, n, _ in given_rows]
    table = table_of("t", ["colour", "n"], [(one[0], abs(one[1])) for one in given_rows])
    # Joined to a table of one row each, the same is worked out by queries.
    other = table_of("m", ["n", "twice"], [(n, 2 * n) for n in dict.fromkeys(numbers)])
    kept = [n for n in numbers if n >= least]
    parts: dict[str, Any] = {
        "filters": [{"column": "t.n", "op": ">=", "value": least}],
        "aggregates": [
            {"function": "median", "column": "t.n"},
            {"function": "share", "column": "t.n"},
        ],
    }
    alone = TableDatabase([table]).run(planned(tables=["t"], **parts))
    joined = planned(tables=["t", "m"], joins=[{"left": "t.n", "right": "m.n"}], **parts)
    middle, share = alone.figures[0]
    assert middle == (statistics.median(kept) if kept else None)
    assert share == (
        pytest.approx(100 * sum(kept) / sum(numbers)) if kept and sum(numbers) else None
    )
    assert TableDatabase([table, other]).run(joined).figures[0] == (middle, share)
    assert alone.units[1] == "%"


ADMITTED = [
    (f"{40 + 7 * at}", gender, admitted, f"department {place}")
    for at, (gender, admitted, place) in enumerate(
        product(("women", "men"), ("yes", "no"), ("A", "B", "C"))
    )
]


@pytest.mark.parametrize(
    ("rows", "counts"),
    [
        (ADMITTED, "n"),
        (ADMITTED[:-1], "n"),  # a way to combine them that nobody has
        ([(f"{row[0]} kg", *row[1:]) for row in ADMITTED], None),  # what has a unit counts nothing
        ([(f"{row[0]}.5", *row[1:]) for row in ADMITTED], None),
        ([*ADMITTED, ADMITTED[0]], None),
        ([(*row[:3], f"{row[3]}{at}") for at, row in enumerate(ADMITTED)], None),
    ],
)
def test_a_table_of_counts_is_known_by_its_categories(
    rows: list[tuple[str, ...]], counts: str | None
) -> None:
    table = table_of("t", ["n", "gender", "admitted", "department"], rows)
    assert (None if table.counts is None else table.columns[table.counts].name) == counts


STOCK = table_of(
    "stock.csv",
    ["item", "held", "wanted", "price", "weight", "ordered", "due"],
    [
        ["rope", 4, 10, "3 EUR", "2 kg", "2024-03-01", "2024-04-01"],
        ["nails", 200, 150, "1 EUR", "1 kg", "2024-05-02", "2024-04-01"],
        ["glue", 7, 7, "5 EUR", "3 kg", "", "2024-04-01"],
        ["tape", "", 9, "4 EUR", "1 kg", "2024-01-01", ""],
    ],
)


@pytest.mark.parametrize(
    ("column", "op", "than", "items"),
    [
        ("held", Op.UNDER, "wanted", ["rope"]),
        ("held", Op.AT_MOST, "wanted", ["rope", "glue"]),
        ("held", Op.OVER, "wanted", ["nails"]),
        ("held", Op.IS, "wanted", ["glue"]),
        ("held", Op.IS_NOT, "wanted", ["rope", "nails"]),
        ("ordered", Op.OVER, "due", ["nails"]),
    ],
)
def test_two_columns_of_a_row_are_compared_alike_in_a_list_and_in_a_count(
    column: str, op: Op, than: str, items: list[str]
) -> None:
    kept = [Filter(column=column, op=op, than=than)]
    base = TableDatabase([STOCK])
    listed = base.run(TablePlan(tables=["stock.csv"], filters=kept, columns=["item"]))
    assert [row[0] for row in listed.rows] == items
    counted = base.run(
        TablePlan(
            tables=["stock.csv"], filters=kept, aggregates=[Aggregate(function=Function.COUNT)]
        )
    )
    assert counted.rows == ((str(len(items)),),)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (Filter(column="weight", op=Op.UNDER, than="price"), "in eur"),
        (Filter(column="held", op=Op.UNDER, than="item"), "not both numbers"),
        (Filter(column="held", op=Op.UNDER, than="due"), "not both numbers"),
        (Filter(column="held", op=Op.UNDER, value=3, than="wanted"), "not both"),
        (Filter(column="held", op=Op.CONTAINS, than="wanted"), "does not compare"),
        (Filter(column="held", op=Op.UNDER, than="missing"), "no column 'missing'"),
    ],
)
def test_what_cannot_be_compared_is_named(wrong: Filter, said: str) -> None:
    listed = TablePlan(tables=["stock.csv"], filters=[wrong], columns=["item"])
    counted = replace(listed, columns=[], aggregates=[Aggregate(function=Function.COUNT)])
    for plan in (listed, counted):
        with pytest.raises(BadInput, match=said):
            TableDatabase([STOCK]).run(plan)
