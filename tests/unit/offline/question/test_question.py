from __future__ import annotations

import pytest

from weft.language.terms import stem
from weft.offline.question.question import (
    alike,
    asked_words,
    compares,
    goes_over_several,
    is_choice,
    occurs,
    spelt,
)


def test_a_choice_names_what_it_is_between() -> None:
    assert is_choice("Which is older, Alpha or Beta?")
    assert not is_choice("Which is the oldest?")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who is older, Ada Berg or Bo Elm?", True),
        ("Who leads the team that owns the crane?", True),
        ("Who is Ann Oak's father's brother?", True),
        ("In which year did it open?", False),
        ("Who leads Coast?", False),
    ],
)
def test_a_question_over_several_things_is_told_from_one(text: str, expected: bool) -> None:
    assert goes_over_several(text) is expected


def test_two_names_are_compared_and_one_is_not() -> None:
    assert compares("Are Ada Berg and Bo Elm both painters?")
    assert not compares("Is it open or closed?")


def test_the_words_that_ask_are_not_what_is_asked_about() -> None:
    assert asked_words("What is the licence of alpha?") == ("licence", "alpha")
    assert asked_words("알파의 라이선스는 무엇입니까?") == ("알파", "라이선스")


def test_words_stand_for_each_other() -> None:
    assert "licens" in alike("licenc")
    assert alike("zebra") == {"zebra"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("licence", "license"),
        ("colour", "color"),
        ("organisation", "organization"),
        ("analyse", "analyze"),
        ("centre", "center"),
        ("catalogue", "catalog"),
        ("fulfill", "fulfil"),
    ],
)
def test_spellings_of_one_word_are_one(one: str, other: str) -> None:
    assert spelt(stem(one)) == spelt(stem(other))
    assert occurs(stem(one), frozenset({stem(other)}))


@pytest.mark.parametrize(
    ("one", "other"), [("four", "for"), ("size", "sise"), ("centre", "cent"), ("prince", "print")]
)
def test_other_words_stay_apart(one: str, other: str) -> None:
    assert spelt(stem(one)) != spelt(stem(other))
