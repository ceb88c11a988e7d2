"""Numbers in words have their values, and the pattern finds each of them."""

from __future__ import annotations

import re

import pytest

from weft.language.numerals import KOREAN_VALUES, ORDINALS, UNITS, VALUES, WRITTEN_PATTERN


def test_words_have_their_values() -> None:
    assert [VALUES[word] for word in ("zero", "twelve", "nineteen", "twenty", "ninety")] == [
        0,
        12,
        19,
        20,
        90,
    ]
    assert KOREAN_VALUES["열"] == 10
    assert ORDINALS.index("twentieth") == 19


@pytest.mark.parametrize("said", [*UNITS[1:], "forty-two", "dozen", "trillion"])
def test_a_number_in_words_is_found_whole(said: str) -> None:
    assert re.fullmatch(rf"\b(?:{WRITTEN_PATTERN})\b", said)
