"""Sheets as tables: several in one, names over names, and rows that have readers of their own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from weft.adapters.reader.columns import RecordCollection
from weft.adapters.reader.grids.grid import CellSheet, SheetRow, add_sheet
from weft.domain.record import Record

Cells = Sequence[Sequence[object]]


def added(cells: Cells, **columns: str) -> RecordCollection:
    """Return the records of a sheet of some cells; empty ones are none."""
    rows = [
        SheetRow(number=number, cells={at: cell for at, cell in enumerate(row) if cell != ""})
        for number, row in enumerate(cells, 1)
    ]
    found = RecordCollection(name="t.xlsx", columns=columns)
    add_sheet(found, CellSheet(name="S", rows=rows))
    return found


def rows_of(found: RecordCollection) -> list[Record]:
    """Return the records of rows, without what stands above them."""
    return [one for one in found.records if one.fragment != one.metadata["sheet"]]


def contents(found: RecordCollection) -> list[str]:
    """Return what the rows say, each in a line."""
    return [one.content.replace("\n", "; ") for one in rows_of(found)]


def test_names_stand_over_names() -> None:
    cells: Cells = [
        ["Kind", 2021, "", 2022, ""],
        ["Kind", "members", "fee", "members", "fee"],
        ["Full", 88, 240, 93, 250],
        ["Youth", 41, 90, 48, 95],
    ]
    found = added(cells)
    assert contents(found)[0] == (
        "Kind: Full; 2021 members: 88; 2021 fee: 240; 2022 members: 93; 2022 fee: 250"
    )


def test_tables_in_one_sheet_are_told_apart_and_keep_their_rows_numbers() -> None:
    found = added(
        [["Stock"], ["Tool", "Count"], ["Saw", 6], [], ["Staff"], ["Name", "Hours"], ["Ida", 32]]
    )
    assert contents(found) == ["Tool: Saw; Count: 6", "Name: Ida; Hours: 32"]
    assert [one.fragment for one in rows_of(found)] == ["S Stock!3", "S Staff!7"]


def test_a_broken_workbook_that_numbers_rows_alike_loses_none() -> None:
    rows = [
        SheetRow(number=1, cells={0: "Name", 1: "Age"}),
        SheetRow(number=2, cells={0: "Ida", 1: 31}),
        SheetRow(number=2, cells={0: "Ben", 1: 40}),
    ]
    found = RecordCollection(name="t.xlsx")
    add_sheet(found, CellSheet(name="S", rows=rows))
    assert contents(found) == ["Name: Ida; Age: 31", "Name: Ben; Age: 40"]


@pytest.mark.parametrize(
    ("cells", "columns"),
    [
        ([["Site", "Room", "acl"], ["Mill", "a", "group:board"], ["", "b", ""]], {}),
        ([["Site", "Room", "Who"], ["Mill", "a", "group:board"], ["", "b", ""]], {"who": "acl"}),
        (
            [
                ["Tool", "acl", "", "Wood", "Metres"],
                ["Saw", "group:board", "", "Oak", 4],
                ["Drill", "group:board", "", "", ""],
            ],
            {},
        ),
    ],
)
def test_a_sheet_whose_rows_have_readers_is_taken_as_it_stands(
    cells: Cells, columns: dict[str, str]
) -> None:
    found = added(cells, **columns)
    assert len(found.records) == len(cells) - 1
    for record, row in zip(found.records, cells[1:], strict=True):
        assert "Mill" not in record.content or "Mill" in row
        assert (record.acl == frozenset({"group:board"})) is ("group:board" in row)
        assert all(str(cell) in record.content for cell in row if cell not in ("", "group:board"))
