"""The unit that a column's name has."""

from __future__ import annotations

import pytest

from weft.retrieval.tables.naming import name_meanings, named_unit


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("Price (EUR)", "EUR"),
        ("length [km]", "km"),
        ("Area (in m²)", "m²"),
        ("Fee (€) ", "€"),
        ("취득가액(만원)", "만원"),
        ("금액 (단위: 백만원)", "백만원"),
        ("수량(대)", "대"),
        ("매출(온라인)", ""),
        ("금액(제외)", ""),
        ("Price (net)", ""),
        ("Population (2019)", ""),
        ("(EUR) price", ""),
        ("Pupils (f)", ""),
        ("Score (max 10)", ""),
        ("kg", ""),
        ("", ""),
        ("(", ""),
    ],
)
def test_the_unit_stands_in_the_brackets_at_the_end(name: str, unit: str) -> None:
    assert named_unit(name) == unit


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Mar 2024", ("march", "2024")),
        ("Dec", ("december",)),
        ("mar status", ("march", "status")),
    ],
)
def test_a_month_is_called_by_its_whole_name(name: str, says: tuple[str, ...]) -> None:
    is_said = [said in meant for said, meant in zip(says, name_meanings(name), strict=True)]
    assert all(is_said) is ("status" not in name)


@pytest.mark.parametrize(
    ("name", "says"),
    [("No.", ("number",)), ("Key no", ("key", "number")), ("no show", ("no", "show"))],
)
def test_no_at_the_end_of_a_name_is_a_number(name: str, says: tuple[str, ...]) -> None:
    meanings = name_meanings(name)
    assert len(meanings) == len(says)
    assert all(word in each for word, each in zip(says, meanings, strict=True))
