"""What a question asks of rows, and what it compares them with, in both languages."""

from __future__ import annotations

import pytest

from weft.offline.plans.asking import AskedFor, asks, extremes
from weft.offline.plans.comparing import asks_less, compared


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("How many ships are in Oslo?", AskedFor.COUNT),
        ("Count the ships.", AskedFor.COUNT),
        ("오슬로에 배가 몇 척 있나요?", AskedFor.COUNT),
        ("What is the total load?", AskedFor.SUM),
        ("평균 무게는 얼마인가요?", AskedFor.AVERAGE),
        ("What percentage of the ships are blue?", AskedFor.SHARE),
        ("blue ships, in per cent", AskedFor.SHARE),
        ("How many years were above 7 percent?", AskedFor.COUNT),
        ("Which ships lost more than 4.5 per cent?", AskedFor.CELLS),
        ("the median load of the ships", AskedFor.MEDIAN),
        ("무게의 중앙값은?", AskedFor.MEDIAN),
        ("What is the difference between the Tern and the Skua?", AskedFor.DIFFERENCE),
        ("Is the Tern blue?", AskedFor.WHETHER),
        ("Which ships are blue?", AskedFor.CELLS),
    ],
)
def test_what_is_asked_for_is_told_by_its_words(text: str, asked: AskedFor) -> None:
    assert asks(text) is asked


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("the cheapest plan", [(False, 1)]),
        ("the sweetest cereal", [(True, 1)]),
        ("which colour is the rarest?", [(False, 1)]),
        ("the 3 oldest ships", [(True, 3)]),
        ("the latest request", [(True, 1)]),
        ("which device was checked longest ago?", [(False, 1)]),
        ("가장 비싼 배", [(True, 1)]),
        ("가장 가벼운 배", [(False, 1)]),
        ("ships of interest in the forest", []),
    ],
)
def test_the_most_and_the_least_are_found(text: str, told: list[tuple[bool, int]]) -> None:
    assert [(one.descending, one.count) for one in extremes(text)] == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ships of more than 2,000 kg", [(">", "2,000 kg", "")]),
        ("at least 5 seats", [(">=", "5 seats", "")]),
        ("between 3 and 5 tonnes", [("between", "3 tonnes", "5 tonnes")]),
        ("3톤 이상인 배", [(">=", "3톤", "")]),
        ("built after March 2020", [(">", "March 2020", "")]),
        ("built since 2019", [(">=", "2019", "")]),
        ("2021년 이전에 만든 배", [("<", "2021", "")]),
        ("from May 2020 to June 2021", [("between", "May 2020", "June 2021")]),
    ],
)
def test_comparisons_are_read_with_their_units(text: str, told: list[tuple[str, str, str]]) -> None:
    assert [(one.op.value, one.low, one.high) for one in compared(text)] == told


@pytest.mark.parametrize(
    ("text", "ages", "days"),
    [
        ("the oldest ship", True, False),
        ("the youngest ship", False, True),
        ("the newest ship", True, True),
        ("the first ship", False, False),
        ("the highest mast", True, True),
    ],
)
def test_the_oldest_are_the_most_of_ages_and_the_first_of_days(
    text: str, ages: bool, days: bool
) -> None:
    [found] = extremes(text)
    assert found.descends(dated=False) is ages
    assert found.descends(dated=True) is days


@pytest.mark.parametrize(
    ("text", "dated", "less"),
    [
        ("Which is older, the Tern or the Skua?", True, True),
        ("Which is newer, the Tern or the Skua?", True, False),
        ("Which is older, the Tern or the Skua?", False, False),
        ("Which is younger, the Tern or the Skua?", False, True),
        ("Which is cheaper, the Tern or the Skua?", True, True),
        ("Which sailed further, the Tern or the Skua?", False, False),
    ],
)
def test_the_older_of_two_days_is_the_lesser(text: str, dated: bool, less: bool) -> None:
    assert asks_less(text, dated=dated) is less
