"""The lines that name the columns of a table laid out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.adapters.reader.grids.heads import Head, head_of


def grid(text: str) -> list[list[str]]:
    """Return the cells of lines between bars."""
    return [line.split("|") for line in text.strip("\n").split("\n")]


def test_what_stands_above_names_in_two_lines_is_no_name() -> None:
    rows = grid(
        "Van log 2023|||Reg. on key fob\nMonth|Miles|Fuel|\n||litres|£\n"
        "Jan|412|38.2|57.10\nFeb|365|34.0|50.85\nMar|528|47.9|70.40"
    )
    assert head_of(rows) == Head(
        above=1, names=("Month", "Miles", "Fuel litres", "Fuel £"), lines=2
    )


NAMED = [
    (
        "months over days over marks",
        "Youth group|||Spring term|\n||Jan||Feb\nName|Age|11|18|1\n"
        "Alby|9|/|/|O\nBea|11|/|O|/\nDov|8|O|/|/",
        ("Name", "Age", "Jan 11", "Jan 18", "Feb 1"),
    ),
    (
        "years below what they are of",
        "No.|Name|Subs paid £||\n||2022|2023|2024\n003|Avril|L|L|L\n"
        "021|Hugh|25|25|28\n027|Petra|25|25|28\n033|Rosa|25|not paid|28",
        ("No.", "Name", "Subs paid £ 2022", "Subs paid £ 2023", "Subs paid £ 2024"),
    ),
    (
        "the same months below two years",
        "Takings||||\n|2024||2025|\nPart|Jan|Feb|Jan|Feb\n"
        "Trees|4120|5310|3980|6040\nPots|1260|2480|1410|2390\nSeeds|1890|4260|2040|4580",
        ("Part", "2024 Jan", "2024 Feb", "2025 Jan", "2025 Feb"),
    ),
]


@pytest.mark.parametrize(("rows", "names"), [one[1:] for one in NAMED], ids=[n for n, *_ in NAMED])
def test_what_stands_over_names_is_part_of_each(rows: str, names: tuple[str, ...]) -> None:
    head = head_of(grid(rows))
    assert head is not None
    assert head.names == names


def test_dates_below_weekdays_belong_to_them() -> None:
    rows = grid("Rota|Mon|Tue|Wed\n|18/3|19/3|20/3\nOdile|L||E\nCorwin|E|L|\nMabli||E|L")
    assert head_of(rows) == Head(
        above=0, names=("Rota", "Mon 18/3", "Tue 19/3", "Wed 20/3"), lines=2
    )


def test_a_row_below_names_of_all_its_columns_is_a_row() -> None:
    rows = grid("truth?|description\n|empty\n0|zero\n1|one\n2|two")
    assert head_of(rows) is None


def test_without_figures_nothing_is_told() -> None:
    assert head_of(grid("a|b\nc|d\ne|f")) is None
    assert head_of([]) is None


CELLS = st.sampled_from(["", "", "a", "North", "3", "12.5", "2024", "Jan", "18/3", "(kg)", "Total"])


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n))))
def test_whatever_names_columns_leaves_rows_and_says_what_stands_there(
    rows: list[list[str]],
) -> None:
    head = head_of(rows)
    if head is None:
        return
    assert 0 < head.lines <= 3
    assert 0 <= head.above < head.above + head.lines < len(rows)
    assert len(head.names) == len(rows[0])
    lines = rows[head.above : head.above + head.lines]
    said = {word for line in lines for cell in line for word in cell.split()}
    assert {word for name in head.names for word in name.split()} == said
