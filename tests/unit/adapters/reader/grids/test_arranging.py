"""Rows as they are laid out by hand, made rows that each say all they are of."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.adapters.reader.samples import parsed
from weft.adapters.reader.grids.arranging import NumberedRow, arranged
from weft.adapters.reader.grids.regions import regions

Cells = list[list[str]]
CELLS = st.sampled_from(["", "a", "b", "North", "3", "12.5", "yes", "2024", "2024-05-01", "Total"])


def rows_of(cells: Sequence[Sequence[str]]) -> list[NumberedRow]:
    """Return rows with their numbers."""
    return [NumberedRow(number=at, cells=list(row)) for at, row in enumerate(cells, 1)]


def laid(names: list[str], cells: Cells) -> tuple[list[str], Cells]:
    """Return what names and cells are arranged to."""
    named, rows = arranged(names, rows_of(cells))
    return named, [[str(cell) for cell in row.cells] for row in rows]


def test_lines_that_name_what_stands_below_are_a_column() -> None:
    cells = [["Soups", ""], ["Leek", "3"], ["Pasta:", ""], ["Penne", "6"], ["Fusilli", "7"]]
    names, rows = laid(["Dish", "Price"], cells)
    assert names == ["Section", "Dish", "Price"]
    assert rows == [["Soups", "Leek", "3"], ["Pasta", "Penne", "6"], ["Pasta", "Fusilli", "7"]]


@pytest.mark.parametrize(
    "cells",
    [
        [["Leek", "3"], ["Soups", ""], ["Penne", "6"], ["Pasta", ""], ["Rice", "2"]],  # none on top
        [["Soups", ""], ["Leek", "3"], ["Pasta", ""]],  # nothing below the last
        [["Soups", ""], ["Leek", "3"], ["Cold", ""], ["Pasta", ""], ["Penne", "6"]],
        [["Soups", ""], ["Leek", "3"], ["Penne", "6"]],  # one alone may lack its price
    ],
)
def test_a_row_of_which_little_is_known_is_no_such_line(cells: Cells) -> None:
    assert laid(["Dish", "Price"], cells) == (["Dish", "Price"], cells)


def test_a_name_over_several_rows_is_in_each() -> None:
    cells = [["Mill", "a", "1"], ["", "b", "2"], ["Dock", "c", "3"], ["", "d", "4"]]
    _, rows = laid(["Site", "Room", "Seats"], cells)
    assert [row[0] for row in rows] == ["Mill", "Mill", "Dock", "Dock"]


@pytest.mark.parametrize(
    "cells",
    [
        [["", "a", "1"], ["Mill", "b", "2"], ["", "c", "3"], ["Dock", "d", "4"]],  # none on top
        [["Mill", "a", "1"], ["", "b", "2"], ["Mill", "c", "3"], ["", "d", "4"]],  # there twice
        [["Mill", "a", "1"], ["", "", "2"], ["Dock", "c", "3"], ["", "d", "4"]],
        [[str(at) if at else "Mill", "a", "1"] if at % 9 else ["", "b", "2"] for at in range(18)],
    ],
)
def test_a_name_that_is_not_known_stays_unknown(cells: Cells) -> None:
    assert laid(["Site", "Room", "Seats"], cells)[1] == cells


def test_a_table_of_what_things_have_is_turned() -> None:
    cells = [["Fee", "12", "19"], ["Roaming", "no", "yes"], ["Data (GB)", "5", "20"]]
    names, rows = laid(["Feature", "Basic", "Plus"], cells)
    assert names == ["Feature", "Fee", "Roaming", "Data (GB)"]
    assert rows == [["Basic", "12", "no", "5"], ["Plus", "19", "yes", "20"]]


@pytest.mark.parametrize(
    ("names", "cells"),
    [
        (["Town", "Men", "Women"], [["A", "1", "2"], ["B", "yes", "no"], ["C", "5", "6"]]),
        (["Feature", "A", "B"], [["x", "1", "2"], ["y", "3", "4"], ["z", "5", "6"]]),  # one kind
        (["Feature", "A", "B"], [["x", "1", "b"], ["y", "yes", "4"], ["z", "5", "6"]]),
        (["Feature", "A", "B"], [["x", "1", "2"], ["x", "yes", "no"], ["z", "5", "6"]]),
    ],
)
def test_a_table_of_things_is_not_turned(names: list[str], cells: Cells) -> None:
    assert laid(names, cells) == (names, cells)


def parts(cells: Cells) -> list[Cells]:
    """Return the cells of the tables that a grid has."""
    return [[list(map(str, row.cells)) for row in part] for part in regions(rows_of(cells))]


def test_tables_below_each_other_are_told_apart() -> None:
    one = [["Player", "Rating", ""], ["Ivo", "1820", ""]]
    two = [["Rower", "Boat", "Medals"], ["Tess", "Heron", "4"]]
    assert parts([*one, ["", "", ""], *two]) == [one, two]


def test_a_gap_in_a_table_is_no_end_of_it() -> None:
    head, rows = ["Name", "Town"], [["Ivo", "Bern"], ["Lea", "Ulm"]]
    assert parts([head, rows[0], ["", ""], rows[1]]) == [[head, *rows]]


def test_names_that_are_there_again_begin_a_table_of_their_own() -> None:
    head, title = ["Name", "Town"], ["Guests", ""]
    one, two = [head, ["Ivo", "Bern"]], [title, head, ["Lea", "Ulm"]]
    assert parts([*one, *two]) == [one, two]
    assert parts([*one, ["", ""], *two[1:]]) == [one, two[1:]]


def test_tables_side_by_side_are_told_apart() -> None:
    cells = [
        ["Tool", "Count", "", "Material", "Metres"],
        ["Saw", "6", "", "Cable", "400"],
        ["Drill", "9", "", "", ""],
    ]
    left, right = parts(cells)
    assert left == [row[:2] for row in cells]
    assert right == [row[3:] for row in cells[:2]]


def test_an_empty_column_alone_parts_nothing() -> None:
    cells = [["Name", "Age", "", "Town", "Floor"], ["Ivo", "31", "", "Bern", "2"]]
    assert parts(cells) == [cells]


@pytest.mark.parametrize(
    "text",
    [
        "Site,Room,acl\nMill,a,group:board\n,b,\nDock,c,group:board\n,d,\n",
        "Dish,Price,ACL\nSoups,,group:board\nLeek,3,\nPasta,,group:board\nRice,2,\n",
        "Tool,Count,acl,,Material,Metres\nSaw,6,group:board,,Cable,400\nDrill,9,group:board,,,\n",
        "Feature,Basic,Plus\nFee,12,19\nRoaming,no,yes\nacl,group:board,user:ann\n",
    ],
)
def test_where_rows_have_readers_nothing_comes_from_one_into_another(
    tmp_path: Path, text: str
) -> None:
    lines = text.splitlines()
    found = parsed(tmp_path, "t.csv", text)
    assert len(found.records) == len(lines) - 1
    for record, line in zip(found.records, lines[1:], strict=True):
        values = [one.partition(": ")[2] for one in record.content.splitlines()]
        assert set(values) <= set(line.split(","))
        if line.split(",")[2] == "group:board":
            assert record.acl == frozenset({"group:board"})


def test_the_objects_of_a_list_have_the_readers_of_the_file_around_it(tmp_path: Path) -> None:
    buses = [{"line": "4"}, {"line": "9", "acl": ["user:ann"]}, {"line": "11"}]
    for name in ("buses", "items"):
        text = json.dumps({"acl": ["group:board"], name: buses})
        found = {record.content: record.acl for record in parsed(tmp_path, "t.json", text).records}
        assert found["line: 4"] == found["line: 11"] == frozenset({"group:board"})
        assert found["line: 9"] == frozenset({"user:ann"})


def test_lists_beside_the_readers_of_a_file_are_no_columns(tmp_path: Path) -> None:
    text = json.dumps({"acl": ["group:board", "user:ann"], "towns": ["Bern", "Ulm"]})
    (record,) = parsed(tmp_path, "t.json", text).records
    assert record.acl == frozenset({"group:board", "user:ann"})


@given(st.lists(st.lists(CELLS, min_size=4, max_size=4), max_size=12))
def test_no_cell_with_a_value_is_lost(cells: Cells) -> None:
    wanted = sorted(cell for row in cells for cell in row if cell)
    assert sorted(c for part in parts(cells) for row in part for c in row if c) == wanted
    names = ["one", "two", "three", "four"]
    named, rows = laid(names, cells)
    assert set(wanted) <= {cell for row in [named, *rows] for cell in row}


@pytest.mark.parametrize("words", [1, 40])
def test_a_name_that_stands_over_rows_is_short(words: int) -> None:
    name = " ".join(["Mill"] * words)
    cells = [[name, "a", "1"], ["", "b", "2"], ["Dock", "c", "3"], ["", "d", "4"]]
    _, rows = laid(["Site", "Room", "Seats"], cells)
    assert (rows[1][0] == name) is (words == 1)


def test_a_ditto_mark_says_what_stands_above_it() -> None:
    cells = [["Hut A", "Oslo", "3"], ["Hut B", '"', "4"], ["Hut C", "ditto", "5"]]
    _, rows = laid(["Hut", "Town", "Beds"], cells)
    assert [row[1] for row in rows] == ["Oslo"] * 3


def test_things_of_a_turned_table_have_a_name_where_the_corner_has_none() -> None:
    cells = [["Kind", "open", "conical"], ["Capacity", "20", "12"], ["Cooled", "no", "yes"]]
    names, rows = laid(["", "Tank 1", "Tank 2"], cells)
    assert names == ["Name", "Kind", "Capacity", "Cooled"]
    assert rows[0] == ["Tank 1", "open", "20", "no"]
