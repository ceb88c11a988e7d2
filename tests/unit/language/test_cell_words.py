"""Cells that say in words that there is no figure, and columns that have one in most cells."""

from __future__ import annotations

import pytest

from weft.language.cell_words import are_figured, is_untold


@pytest.mark.parametrize(
    "cell",
    ["not counted", "unknown, see Ann", "? ask", "no mobile", "don't know", "on request", "미확인"],
)
def test_words_in_place_of_a_figure_say_that_there_is_none(cell: str) -> None:
    assert is_untold(cell)


@pytest.mark.parametrize(
    "cell",
    ["", "free", "sold out", "never", "North Road", "no. 12", "asked 3 times", "not 5 but 6"],
)
def test_other_words_say_something(cell: str) -> None:
    assert not is_untold(cell)


def test_telephone_numbers_are_figured_and_names_are_not() -> None:
    assert are_figured(["0455 010 221", "0455 010 387", "no mobile", "n/a"])
    assert not are_figured(["Ann Lee", "Room 3", "Ben Moss"])
    assert not are_figured([])
