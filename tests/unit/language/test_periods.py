"""Stretches of time by the names that columns and cells have."""

from __future__ import annotations

import pytest

from weft.language.periods import Period, PeriodKind, period_of

NAMED = [
    ("Jan", PeriodKind.MONTH, 1),
    ("Sept.", PeriodKind.MONTH, 9),
    ("March 2024", PeriodKind.MONTH, 3),
    ("Jan-24", PeriodKind.MONTH, 1),
    ("3월", PeriodKind.MONTH, 3),
    ("Tues", PeriodKind.WEEKDAY, 2),
    ("Mon 18/3", PeriodKind.WEEKDAY, 1),
    ("목요일", PeriodKind.WEEKDAY, 4),
    ("Q3 2024", PeriodKind.QUARTER, 3),
    ("1st quarter", PeriodKind.QUARTER, 1),
    ("2분기", PeriodKind.QUARTER, 2),
    ("2023", PeriodKind.YEAR, 2023),
    ("2023/24", PeriodKind.YEAR, 2023),
    ("week 12", PeriodKind.WEEK, 12),
]


@pytest.mark.parametrize(("text", "kind", "number"), NAMED)
def test_what_names_a_stretch_of_time_is_read(text: str, kind: PeriodKind, number: int) -> None:
    assert period_of(text) == Period(kind=kind, number=number)


@pytest.mark.parametrize("text", ["", "12", "Marching", "March out", "13월", "Q5", "Monday club"])
def test_what_names_none_is_none(text: str) -> None:
    assert period_of(text) is None
