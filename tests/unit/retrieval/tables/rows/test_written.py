"""Tables between bars: where each row stands, what their columns are called."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weft.retrieval.tables.rows.written import cells_of, written_tables

TEXT = """# Plans

## Limits

What each plan allows:

| **Plan** | Price \\| month | [Seats](seats.md) |
|:---------|------:|---|
| Free | €0 | 3 |
| `Team` | €49 | 20 |

Below.
"""


def test_a_table_is_told_with_its_headings_and_what_leads_to_it() -> None:
    [table] = written_tables(TEXT)
    assert table.headings == ("Plans", "Limits")
    assert table.lead == "What each plan allows:"
    assert table.columns == ("Plan", "Price | month", "Seats")
    assert [row.cells for row in table.rows] == [("Free", "€0", "3"), ("Team", "€49", "20")]
    assert [TEXT[row.span.start : row.span.end] for row in table.rows] == [
        "| Free | €0 | 3 |",
        "| `Team` | €49 | 20 |",
    ]


def test_rows_without_a_rule_have_a_header_where_words_stand_over_figures() -> None:
    [table] = written_tables("| Port | Ships |\n| Oslo | 12 |\n| Turku | 9 |")
    assert table.columns == ("Port", "Ships")
    assert not list(written_tables("| Owner | Ann |\n| Team | Blue |"))


def test_a_table_of_rows_of_different_widths_is_none() -> None:
    assert not list(written_tables("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |"))


def test_columns_without_a_name_and_of_one_name_are_told_apart() -> None:
    [table] = written_tables("| | n | n |\n|---|---|---|\n| x | 1 | 2 |")
    assert len({name.casefold() for name in table.columns}) == 3


cell = st.text("ab 1.%€|\\", max_size=6)


@given(st.lists(st.tuples(cell, cell), min_size=1, max_size=6), st.text("x\n#|-", max_size=20))
def test_every_row_stands_where_it_is_said_to(rows: list[tuple[str, str]], before: str) -> None:
    lines = [f"| {a.replace('|', '/')} | {b.replace('|', '/')} |" for a, b in rows]
    text = "\n".join([before, "", "| A | B |", "|---|---|", *lines])
    for table in written_tables(text):
        for row in table.rows:
            assert cells_of(text[row.span.start : row.span.end]) == row.cells
