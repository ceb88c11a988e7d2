"""Tables of pages, told by how their words are aligned."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.adapters.reader.samples import only, placed_pdf
from weft.adapters.reader.formats.aligned import aligned_tables, with_tables
from weft.domain.record import BlockKind
from weft.retrieval.tables.rows.written import written_tables

SHIPS = (
    ("Ship", "Home port", "Seats"),
    ("Tern", "Oslo", "120"),
    ("Sea Eagle", "Hamar", "75"),
    ("Kittiwake", "Turku", "1,045"),
)
LAYOUT = """
 Our ships

  Ship         Home port     Seats
  Tern         Oslo            120
  Sea Eagle    Hamar            75
  Kittiwake    Turku         1,045

 All figures are of the end of 2024.
"""


def test_a_pages_table_stands_between_bars_with_each_row_in_its_place(tmp_path: Path) -> None:
    words = [(72, 740, "The ships of 2024 are told of here, in a line of prose.")]
    words += [
        (72 + 140 * column, 700 - 16 * row, cell)
        for row, cells in enumerate(SHIPS)
        for column, cell in enumerate(cells)
    ]
    words.append((72, 600, "So much for the 3 ships."))
    record = only(tmp_path, "ships.pdf", placed_pdf(words))
    [table] = written_tables(record.content)
    assert table.columns == SHIPS[0]
    assert [row.cells for row in table.rows] == list(SHIPS[1:])
    said = [record.content[row.span.start : row.span.end] for row in table.rows]
    assert said[1] == "| Sea Eagle | Hamar | 75 |"
    rows = [block for block in record.blocks if block.kind is BlockKind.ROW]
    assert [block.page for block in rows] == [1, 1, 1, 1]
    assert "told of here" in record.content
    assert record.content.endswith("So much for the 3 ships.")


def test_rows_are_told_by_columns_without_a_word() -> None:
    [table] = aligned_tables(LAYOUT)
    assert table.rows == SHIPS


def test_rows_may_stand_apart_and_cells_go_on_below() -> None:
    [apart] = aligned_tables("Name    Price\n\nTea      3.50\n\nMilk     1.10\n")
    assert apart.rows == (("Name", "Price"), ("Tea", "3.50"), ("Milk", "1.10"))
    wrapped = "Price   Goods\n3.50    Tea from\n        China\n1.10    Milk\n"
    [table] = aligned_tables(wrapped)
    assert table.rows[1] == ("3.50", "Tea from China")


@pytest.mark.parametrize(
    "layout",
    [
        "  Left column of prose     The right goes on\n"
        "  that goes on in 2024     with other words\n"
        "  for several lines        of 1999 or later.\n",
        "  1     2\n  3     4\n  5     6\n",
        "  Name     Name\n  Tea      3\n  Milk     4\n",
        "  Name     Price\n  Tea      3\n",
    ],
)
def test_what_is_not_surely_a_table_is_none(layout: str) -> None:
    assert list(aligned_tables(layout)) == []


def test_a_text_in_another_order_stays_as_it_is() -> None:
    by_column = "Ship Tern Sea Eagle Kittiwake Home port Oslo Hamar Turku Seats 120 75 1,045"
    assert with_tables(by_column, LAYOUT) == by_column


def test_names_stand_over_names() -> None:
    layout = """
                    Visitors             Income
     Museum      2023     2024       2023     2024
     Glass      5,100    6,300     20,400   25,900
     Rail       9,950    9,100     71,000   66,300
     Total     15,050   15,400     91,400   92,200
    """
    (table,) = aligned_tables(layout)
    assert table.rows[0] == (
        "Museum", "Visitors 2023", "Visitors 2024", "Income 2023", "Income 2024"
    )  # fmt: skip
    assert table.rows[1] == ("Glass", "5,100", "6,300", "20,400", "25,900")
