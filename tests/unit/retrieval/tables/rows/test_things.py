"""Which rows of a table are things: none that adds others up, no remarks; what marks say."""

from __future__ import annotations

import pytest

from weft.domain.ids import ChunkId, DocumentId
from weft.retrieval.tables.rows.things import of_things, with_marks
from weft.retrieval.tables.table import RowPlace, TableRow

PLACE = RowPlace(document_id=DocumentId("file:t.csv"), chunk_id=ChunkId("c"), start=0, end=1)


def rows_of(*first: str) -> tuple[TableRow, ...]:
    """Return rows that begin with some cells."""
    return tuple(
        TableRow(cells=(one, "5", "x") if len(one.split()) < 3 else (one, "", ""), place=PLACE)
        for one in first
    )


@pytest.mark.parametrize(
    ("first", "kept"),
    [
        (("North", "South", "East", "Total"), 3),
        (("North", "South", "East", "**Total:**"), 3),
        (("서울", "부산", "대구", "합계"), 3),
        (("", "", "", "Total"), 3),
        (("North", "South", "East", "Total", "In euros, as of May"), 3),
        (("North", "South", "East", "All figures are in euros."), 3),
        (
            ("Clean roof", "Mow lawn", "Buy milk", "Paint the hall"),
            4,
        ),  # nothing else is known of it
        (("North", "All figures in euros", "South"), 3),
        (("North", "Total", "South"), 2),  # it adds up what stands above it
        (("Total", "North", "Total"), 3),  # one for each of some groups
        (("North", "Total"), 1),
        (("North", "South", "East", "Total Energies"), 4),
    ],
)
def test_what_is_no_thing_is_left_out_at_the_end(first: tuple[str, ...], kept: int) -> None:
    assert len(of_things(rows_of(*first))) == kept


def table(*rows: tuple[str, ...]) -> tuple[TableRow, ...]:
    """Return rows of some cells."""
    return tuple(TableRow(cells=row, place=PLACE) for row in rows)


@pytest.mark.parametrize(
    ("row", "is_kept"),
    [
        (("Estates together", "30", "7", "12"), False),
        (("Estates", "30", "7", "12"), False),  # three sums are none by chance
        (("Pumps", "30", "7", "13"), True),
        (("Pumps", "30", "", ""), False),  # hardly anything else is said of it
        (("Estates together", "31", "", ""), True),
    ],
)
def test_what_adds_up_those_above_is_no_thing(row: tuple[str, ...], is_kept: bool) -> None:
    rows = table(("Lifts", "10", "3", "5"), ("Roofs", "20", "4", "7"), row, ("Gas", "1", "1", "1"))
    assert (rows[2] in of_things(rows)) is is_kept


def test_a_figure_of_another_thing_keeps_no_sum_from_adding_up() -> None:
    told = (("Cakes", "412.60"), ("Raffle", "529.00"), ("Sponsors", "7 new sponsors"))
    stalls = table(*told, ("All stalls", "941.60"))
    assert of_things(stalls) == stalls[:3]
    another = table(*told, ("All stalls", "941.70"))
    assert of_things(another) == another


@pytest.mark.parametrize(
    ("last", "is_kept"),
    [
        (("East", "Numbers 013 to 015 are not used", ""), False),
        (("East", "026", ""), True),
        (("East", "See below", ""), True),
        (("West", "", "Still to be built"), True),
    ],
)
def test_words_below_figures_alone_are_a_remark(last: tuple[str, ...], is_kept: bool) -> None:
    rows = table(("North", "011", "new"), ("East", "012", ""), ("East", "016", "shady"), last)
    assert (last in {row.cells for row in of_things(rows)}) is is_kept


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["x", "", "X"], ["yes", "no", "yes"]),
        (["x", "-", ""], ["yes", "no", "no"]),
        (["✓", "", "✓"], ["yes", "no", "yes"]),
        (["✓", "x", ""], ["✓", "x", ""]),
        (["x", "x", "x"], ["x", "x", "x"]),
        (["x", "12", ""], ["x", "12", ""]),
        (["", "", ""], ["", "", ""]),
    ],
)
def test_a_mark_alone_is_a_yes_and_nothing_a_no(cells: list[str], read: list[str]) -> None:
    marked = with_marks(table(*((f"row {at}", cell) for at, cell in enumerate(cells))))
    assert [row.cells[1] for row in marked] == read
