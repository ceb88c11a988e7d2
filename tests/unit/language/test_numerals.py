"""Numbers in words have their values."""

from __future__ import annotations

from weft.language.numerals import KOREAN_VALUES, ORDINALS, VALUES


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
