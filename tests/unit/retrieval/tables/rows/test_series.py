"""Tables whose columns are months, years or days, told with a row for each of them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from weft.domain.ids import ChunkId, DocumentId
from weft.retrieval.tables.rows.series import with_series
from weft.retrieval.tables.table import RowPlace, TableRow, TypedTable, typed_columns


def table(names: Sequence[str], *rows: Sequence[str], title: str = "drops.csv") -> TypedTable:
    """Return a table of some rows, each in a passage of its own."""
    placed = tuple(
        TableRow(
            cells=tuple(cells),
            place=RowPlace(document_id=DocumentId("d"), chunk_id=ChunkId(f"c{at}"), start=0, end=1),
        )
        for at, cells in enumerate(rows)
    )
    return TypedTable(
        knowledge_base="kb",
        name="drops.csv",
        title=title,
        around="drops",
        columns=typed_columns(names, placed),
        rows=placed,
    )


def told(of: TypedTable) -> TypedTable | None:
    """Return what is told of a table besides itself, if anything is."""
    first, *others = with_series([of])
    assert first is of
    return others[0] if others else None


def test_each_month_of_a_row_is_a_row_that_stands_where_it_stood() -> None:
    wide = table(
        ["Customer", "Town", "Jan", "Feb", "Mar", "Total"],
        ["Heron", "Orwick", "14", "12", "16", "42"],
        ["Carters", "Stan", "6", "closed", "5", "11"],
    )
    long = told(wide)
    assert long is not None
    assert [one.name for one in long.columns] == ["Customer", "Town", "Month", "drops"]
    assert [row.cells for row in long.rows] == [
        ("Heron", "Orwick", "Jan", "14"),
        ("Heron", "Orwick", "Feb", "12"),
        ("Heron", "Orwick", "Mar", "16"),
        ("Carters", "Stan", "Jan", "6"),
        ("Carters", "Stan", "Mar", "5"),
    ]
    assert {row.place.chunk_id for row in long.rows} == {"c0", "c1"}
    assert long.rows_of == wide.name != long.name


def test_several_things_of_each_year_are_columns_beside_each_other() -> None:
    long = told(
        table(
            ["Kind", "2022 members", "2022 fee", "2023 members", "2023 fee"],
            ["Full", "88", "240", "93", "250"],
            ["Youth", "41", "90", "48", "95"],
        )
    )
    assert long is not None
    assert [one.name for one in long.columns] == ["Kind", "Year", "members", "fee"]
    assert long.rows[1].cells == ("Full", "2023", "93", "250")


def test_kinds_beside_months_are_rows_as_well_without_what_adds_them_up() -> None:
    long = told(
        table(
            ["Month", "Bar", "Shop", "Together"],
            *(["Jan", "10", "20", "30"], ["Feb", "30", "5", "35"], ["Mar", "7", "8", "15"]),
        )
    )
    assert long is not None
    assert [one.name for one in long.columns] == ["Month", "Item", "drops"]
    assert [row.cells[1] for row in long.rows] == ["Bar", "Shop"] * 3


def test_what_is_measured_otherwise_is_not_put_together() -> None:
    rows = [["Jan", "10", "20"], ["Feb", "30", "5"], ["Mar", "7", "8"]]
    assert told(table(["Month", "Miles (mi)", "Fuel (l)"], *rows)) is None


def test_two_months_or_a_year_alone_are_no_series() -> None:
    assert told(table(["Field", "May", "June"], ["North", "1", "2"], ["South", "3", "4"])) is None
    assert told(table(["Field", "2024"], ["North", "1"], ["South", "3"])) is None


NAMES = st.sampled_from(["Shop", "Jan", "Feb", "Mar", "2023", "2024", "Q1", "Mon", "Total", "Note"])
CELLS = st.sampled_from(["", "-", "3", "12.5", "closed", "Jan", "Feb", "Mar", "Quay", "7 kg"])


@given(names=st.lists(NAMES, min_size=1, max_size=7, unique=True), drawn=st.data())
def test_whatever_is_told_stands_in_the_row_that_it_is_cited_from(
    names: list[str], drawn: st.DataObject
) -> None:
    row = st.lists(CELLS, min_size=len(names), max_size=len(names))
    wide = table(names, *drawn.draw(st.lists(row, min_size=1, max_size=6)))
    long = told(wide)
    if long is None:
        return
    for one in long.rows:
        [origin] = [each for each in wide.rows if each.place == one.place]
        assert set(one.cells) <= {*origin.cells, *names}
        assert len(one.cells) == len(long.columns)


def test_months_beside_a_year_are_told_by_both_and_what_is_of_the_year_alone_by_none() -> None:
    wide = table(
        ["Year", "Jan", "Feb", "Mar", "Annual"],
        *([str(year), "5.1", str(year % 7), "4.5", "4.9"] for year in range(2001, 2009)),
        title="unemployment.csv",
    )
    long = told(wide)
    assert long is not None
    assert [one.name for one in long.columns] == ["Year", "Month", "unemployment"]
    assert [row.cells for row in long.rows[:3]] == [
        ("2001", "Jan", "5.1"),
        ("2001", "Feb", "6"),
        ("2001", "Mar", "4.5"),
    ]
    assert {row.cells[1] for row in long.rows} == {"Jan", "Feb", "Mar"}


def test_a_year_is_none_of_the_kinds_that_stand_beside_it() -> None:
    wide = table(
        ["Year", "Boys", "Girls"],
        *([str(year), str(year % 9), str(year % 8)] for year in range(2001, 2009)),
        title="births.csv",
    )
    long = told(wide)
    assert long is not None
    assert {row.cells[1] for row in long.rows} == {"Boys", "Girls"}


def test_the_unit_of_months_and_kinds_is_that_of_what_is_measured() -> None:
    months = table(
        ["지점", "1월 (천원)", "2월 (천원)", "3월 (천원)"],
        ["서울", "10", "20", "30"],
        ["부산", "1", "2", "3"],
        ["대구", "5", "5", "5"],
        title="매출.xlsx 월별",
    )
    across = told(months)
    assert across is not None
    assert [(one.name, one.unit, one.scale) for one in across.columns[2:]] == [
        ("매출 월별 (천원)", "krw", 1000)
    ]
    kinds = table(
        ["월", "온라인 (천원)", "매장 (천원)"],
        *([f"{at}월", str(at * 10), str(at * 7)] for at in range(1, 6)),
        title="매출.xlsx",
    )
    below = told(kinds)
    assert below is not None
    assert below.rows[0].cells == ("1월", "온라인", "10")
    assert (below.columns[2].unit, below.columns[2].scale) == ("krw", 1000)
