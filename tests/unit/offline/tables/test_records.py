"""Values of fields as they are compared and said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.offline.tables.records import amount, items_of, name_words, spellings
from weft.retrieval.tables.naming import singular


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("1,480,000", (1_480_000.0, "")),
        ("99.95 %", (99.95, "%")),
        ("61 euro", (61.0, "euro")),
        ("EUR 7.5 million", (7_500_000.0, "eur")),
        ("14 months at one value", (14.0, "month")),
        ("2018-01-08", None),
        ("01:30 UTC", None),
        ("Porto", None),
    ],
)
def test_an_amount_is_a_figure_and_its_unit(value: str, wanted: tuple[float, str] | None) -> None:
    assert amount(value) == wanted


@given(st.integers(min_value=0, max_value=10**12))
def test_a_figure_with_or_without_commas_is_one_amount(figure: int) -> None:
    assert amount(f"{figure:,}") == amount(str(figure)) == (float(figure), "")


def test_offices_and_officers_stay_apart() -> None:
    assert singular("offices") == "office"
    assert singular("officers") == "officer"
    assert singular("cities") == "city"
    assert singular("status") == "status"


@given(st.text(alphabet="abcdefgy", min_size=1, max_size=9))
def test_a_plural_has_the_form_of_its_singular(word: str) -> None:
    if len(word) > 2 and not word.endswith(("s", "x", "h", "y", "e", "i", "u")):
        assert singular(f"{word}s") == singular(word)


def test_a_value_may_be_said_without_its_brackets_and_one_by_one() -> None:
    assert ("payment",) in spellings("Payments (before 2024: Data)")
    assert items_of("harbour, beacon and lamp") == ("harbour", "beacon", "lamp")
    prose = "a sentence that goes on and on, in which commas stand, says nothing of lists"
    assert items_of(prose) == (prose,)


def test_units_and_years_of_a_field_need_not_be_said() -> None:
    assert len(name_words("budget_2025_eur")) == 1
    assert len(name_words("meeting_rooms")) == 2
