"""An answer to a question of a table is worth what it states, never what it happens to hold."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_scoring import Expected, Told, Worth, dates, worth

QUESTIONS = Path(__file__).parents[3] / "bench" / "table_questions"


def _short(text: str) -> Told:
    return Told(short=text, sentences=(), refused=False)


@pytest.mark.parametrize(
    ("short", "expected"),
    [
        ("23 days", 23),
        ("5,076 g", 5076.0163),
        ("19.8 %", 19.7674),
        ("11,453천 명", 11453.0),
        ("10 June 2023", ["2023-06-10"]),
        ("2023년 6월 10일", ["2023-06-10"]),
        ("1855-01-01", ["1855-01"]),
        ("2017", ["2017년"]),
        ("Yes: (0) Deprecated", ["yes"]),
        ("아니요", ["no"]),
        ("gentoo (217.2 mm)", ["Gentoo"]),
        ("AK, TX and CA", ["AK", "TX", "CA"]),
        ("-Clto=thin", ["-Clto=thin"]),
    ],
)
def test_the_expected_in_other_clothes_is_right(short: str, expected: Expected) -> None:
    assert worth(_short(short), expected, is_computed=True) is Worth.RIGHT


@pytest.mark.parametrize(
    ("short", "expected"),
    [
        ("22", 23),
        ("19 %", 19.7674),
        ("5", 5.4),
        ("2015: 23", 23),
        ("10 May 2023", ["2023-06-10"]),
        ("No", ["yes"]),
        ("AK, TX, CA, New York, Florida", ["AK", "TX", "CA"]),
        ("AK, TX", ["AK", "TX", "CA"]),
        ("12", None),
    ],
)
def test_what_is_stated_and_is_not_it_is_wrong(short: str, expected: Expected) -> None:
    assert worth(_short(short), expected, is_computed=False) is Worth.WRONG


def test_cited_rows_are_right_where_they_hold_it_and_nothing_else() -> None:
    def cited(*rows: str, computed: bool = False, expected: Expected) -> Worth:
        return worth(Told(short="", sentences=rows, refused=False), expected, is_computed=computed)

    assert cited("age: 69", expected=69) is Worth.RIGHT
    assert cited("age: 69", computed=True, expected=69) is Worth.SHOWN
    assert cited("name: Oslo", "name: Bremen", expected=["Oslo", "Bremen"]) is Worth.RIGHT
    assert cited("name: Oslo", "name: Rome", expected=["Oslo"]) is Worth.SHOWN
    assert cited("name: Rome", expected=["Oslo"]) is Worth.BESIDE
    assert cited("name: Rome", expected=None) is Worth.BESIDE


def test_a_count_of_the_rows_that_are_cited_is_no_other_answer() -> None:
    told = Told(short="2", sentences=("Oslo", "Bremen"), refused=False)
    assert worth(told, ["Oslo", "Bremen"], is_computed=False) is Worth.RIGHT
    assert worth(told, ["Oslo", "Rome"], is_computed=False) is Worth.BESIDE


def test_a_refusal_is_right_where_the_table_does_not_hold_it() -> None:
    refused = Told(short="", sentences=(), refused=True)
    assert worth(refused, None, is_computed=False) is Worth.RIGHT
    assert worth(refused, 3, is_computed=False) is Worth.REFUSED


@given(st.dates())
def test_a_day_is_found_however_it_is_written(day: date) -> None:
    told = (
        f"{day.year:04d}-{day.month:02d}-{day.day:02d}",
        f"{day.year:04d}년 {day.month}월 {day.day}일",
        f"{day.year:04d}/{day.month}/{day.day}",
    )
    for text in told:
        assert dates(f"on {text}.") == {told[0]}


def test_the_questions_are_what_was_asked_for() -> None:
    rows = {
        split: [
            json.loads(line)
            for line in (QUESTIONS / f"questions-{split}.jsonl")
            .read_text(encoding="utf-8")
            .splitlines()
        ]
        for split in ("dev", "kept")
    }
    assert [len(part) for part in rows.values()] == [50, 50]
    named = [{row["table"] for row in part} for part in rows.values()]
    assert [len(part) for part in named] == [10, 10]
    assert not named[0] & named[1]
    assert sum(row["answer"] is None for part in rows.values() for row in part) == 25
