"""Numbers in words have their values."""

from __future__ import annotations

import pytest

from weft.language.numerals import KOREAN_VALUES, ORDINALS, VALUES, korean_amount


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


@pytest.mark.parametrize(
    ("said", "value", "scale", "left"),
    [
        ("1억 2천만원", 120_000_000, 10_000, "원"),
        ("3억5,000만 원", 350_000_000, 10_000, " 원"),
        ("4천5백만", 45_000_000, 10_000, ""),
        ("2만5천 원", 25_000, 10_000, " 원"),
        ("12만3,456원", 123_456, 10_000, "원"),
        ("2조 3,000억", 2_300_000_000_000, 100_000_000, ""),
        ("1.5억", 150_000_000, 100_000_000, ""),
        ("5천 명", 5_000, 1, " 명"),
        ("1억 2천", 120_000_000, 100_000_000, ""),
        ("1억 2천원", 100_002_000, 100_000_000, "원"),
        ("3,200万円", 32_000_000, 10_000, "円"),
    ],
)
def test_an_amount_in_korean_is_added_up(said: str, value: int, scale: int, left: str) -> None:
    found = korean_amount(said)
    assert found is not None
    assert (found[0], found[1], said[found[2] :]) == (value, scale, left)


@pytest.mark.parametrize("said", ["3만 2만", "3억 5", "12", "만", "2백 3천", ""])
def test_what_does_not_fall_is_no_amount(said: str) -> None:
    assert korean_amount(said) is None
