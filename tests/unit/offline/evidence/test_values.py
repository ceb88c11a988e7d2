from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopping_world import hit
from weft.offline.evidence.found import FoundEvidence
from weft.offline.evidence.passages import Candidate, candidates, read_passages
from weft.offline.evidence.values import born, country, dates, died, lifetime, year


def read(text: str) -> list[Candidate]:
    book = FoundEvidence()
    book.add(hit("A", text))
    return list(candidates(read_passages(book)[0]))


@given(st.dates(min_value=date(1200, 1, 1), max_value=date(2090, 12, 31)))
def test_a_date_is_read_however_it_is_written(day: date) -> None:
    month = day.strftime("%B")
    for text in (
        f"on {day.day} {month} {day.year} it rained",
        f"on {month} {day.day}, {day.year} it rained",
        f"on {day.isoformat()} it rained",
        f"{day.year}년 {day.month}월 {day.day}일에",
    ):
        assert [one.date for one in dates(text)] == [(day.year, day.month, day.day)]


@pytest.mark.parametrize(
    ("text", "birth", "death"),
    [
        ("Ann Oak (3 May 1911 – 2 June 1970) was a painter.", (1911, 5, 3), (1970, 6, 2)),
        ("Ann Oak (born May 3, 1911) is a painter.", (1911, 5, 3), None),
        ("Ann Oak (died 1970) was a painter of note.", None, (1970, 0, 0)),
        ("Ann Oak( 3 May 19112 June 1970) was a painter.", (1911, 5, 3), (1970, 6, 2)),
        ("Ann Oak paints. She was born in Aarhus in 1911.", (1911, 0, 0), None),
    ],
)
def test_the_dates_of_a_life_are_read(
    text: str, birth: tuple[int, ...] | None, death: tuple[int, ...] | None
) -> None:
    found = born(read(text)), died(read(text))
    assert [value.key if value else None for value in found] == [birth, death]


def test_a_lifetime_needs_both_dates() -> None:
    both = lifetime(read("Ann Oak (1911 – 1970) was a painter."))
    assert both is not None
    assert both.key == (59.0,)
    assert lifetime(read("Ann Oak (born 1911) is a painter.")) is None


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("Ann is an American painter.", "Bo works in the United States of America."),
        ("Ann is a Danish-born British painter.", "Bo is an English poet of renown."),
        ("Ann is a Japanese American painter.", "Bo is an American poet of renown."),
    ],
)
def test_a_country_is_known_by_its_people(text: str, same_as: str) -> None:
    left, right = country(read(text)), country(read(same_as))
    assert left is not None
    assert right is not None
    assert left.key == right.key


def test_the_year_beside_its_verb_counts() -> None:
    found = year(read("After the fire of 1890 the company was founded in 1902 by Ann Oak."))
    assert found is not None
    assert found.key[0] == 1902
