from __future__ import annotations

import pytest

from hopping_world import FILMS, book
from weft.offline.answering import answer_from


def said(question: str, **passages: str) -> tuple[str, str, str]:
    reply = answer_from(question, book(**(passages or FILMS)))
    return "\n".join(one.text for one in reply.sentences), reply.short, reply.reason


@pytest.mark.parametrize(
    ("question", "first", "then"),
    [
        ("Where was the director of film Red Tide born?", "directed by Ann Oak", "in Aarhus"),
        ("Who is the spouse of the director of Red Tide?", "directed by Ann Oak", "Di Ash"),
    ],
)
def test_a_chain_shows_the_hop_and_then_the_answer(question: str, first: str, then: str) -> None:
    text, _, _ = said(question)
    assert 0 <= text.find(first) < text.find(then)


def test_a_hop_whose_document_is_missing_is_named() -> None:
    left = {name: text for name, text in FILMS.items() if name != "Ann_Oak"}
    text, _, reason = said("Where was the director of film Red Tide born?", **left)
    assert text == ""
    assert reason == "I found Red Tide, but no document about its director Ann Oak."


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("Which film has the director who was born first, Red Tide or Blue Hour?", "Red Tide"),
        ("Which film has the director who is younger, Red Tide or Blue Hour?", "Blue Hour"),
        ("Which film was released later, Red Tide or Blue Hour?", "Blue Hour"),
        ("Are Ann Oak and Bo Elm of the same nationality?", "no"),
    ],
)
def test_comparisons_are_computed_and_cite_what_they_rest_on(question: str, short: str) -> None:
    text, computed, _ = said(question)
    assert computed == short
    assert all(line in "\n".join(FILMS.values()) for line in text.split("\n"))
    assert len(text.split("\n")) >= 2


def test_a_comparison_without_one_of_the_two_is_refused_by_name() -> None:
    left = {name: text for name, text in FILMS.items() if name != "Blue_Hour"}
    reply = answer_from("Which film came out first, Red Tide or Blue Hour?", book(**left))
    assert reply.sentences == ()
    assert "Blue Hour" in reply.reason


def test_a_mother_is_not_taken_for_a_father() -> None:
    family = {
        "Ed_Oak": "Ed Oak was the son of Ida Yew and Jo Oak.",
        "Ida_Yew": "Ida Yew was a singer. She sang until her death. She died in Bergen.",
        "Jo_Oak": "Jo Oak was a carpenter. He built his house himself. He died in Oslo.",
    }
    text, _, _ = said("Where did Ed Oak's father die?", **family)
    assert "Oslo" in text


def test_korean_chains_are_followed() -> None:
    pages = {
        "정산": "정산 서비스의 담당자는 박민수이다.",
        "박민수": "박민수는 2019년에 입사했다. 박민수의 상사는 이서연이다.",
    }
    reply = answer_from("정산의 담당자의 상사는 누구인가요?", book(**pages))
    assert any("이서연" in one.text for one in (*reply.sentences, *reply.nearest))
