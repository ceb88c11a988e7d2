"""Months are found in each way in which they are written, and in no other."""

from __future__ import annotations

import re

import pytest

from weft.language.months import ABBREVIATED, MONTHS, NUMBERS, SPELLINGS_PATTERN


@pytest.mark.parametrize(
    ("spelling", "number"), [("january", 1), ("may", 5), ("sep", 9), ("sept", 9), ("december", 12)]
)
def test_each_spelling_has_its_number(spelling: str, number: int) -> None:
    assert NUMBERS[spelling] == number


def test_the_pattern_takes_all_spellings_whole_and_nothing_between() -> None:
    found = re.compile(SPELLINGS_PATTERN)
    assert all(found.fullmatch(name.capitalize()) for name in NUMBERS)
    assert not any(found.fullmatch(name) for name in ("Janu", "Septem", "Ma", "january"))


def test_what_is_written_whole_is_no_abbreviation() -> None:
    assert len(ABBREVIATED) == len(MONTHS)  # eleven of three letters, and "sept"
    assert not ABBREVIATED & set(MONTHS)
