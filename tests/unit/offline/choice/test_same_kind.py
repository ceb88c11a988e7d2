from __future__ import annotations

import pytest

from hopping_world import book
from weft.offline.answering import answer_from
from weft.offline.choice.same_kind import Sort, read_sort
from weft.offline.evidence.values import countries

PEOPLE = {
    "Ann_Oak": "Ann Oak (born 3 May 1911) is a Danish film director. She also wrote two novels.",
    "Bo_Elm": "Bo Elm is a Danish director and producer of documentary film.",
    "Cy_Fir": "Cy Fir was a Dutch film director. He was born in Utrecht.",
    "Dee_Ash": "Dee Ash restores boats. Nobody has told where she lives.",
    "Ed_Yew": "Ed Yew is a gardener of film directors in Denmark. Danish roses are his.",
    "Cy_Fir_(gardener)": "Cy Fir is a gardener and a friend of film directors.",
}


def answered(question: str, **left_out: str) -> tuple[str, set[str]]:
    held = {name: text for name, text in PEOPLE.items() if name not in left_out.values()}
    reply = answer_from(question, book(**held))
    return reply.short, {one.text for one in reply.sentences}


def test_yes_where_a_sentence_on_each_says_all_of_it() -> None:
    short, said = answered("Are Ann Oak and Bo Elm both Danish film directors?")
    assert short == "yes"
    assert {text.split(" ", 1)[0] for text in said} == {"Ann", "Bo"}
    assert len(said) == 2


def test_no_where_one_is_of_another_country() -> None:
    question = "Were Ann Oak and Cy Fir both Danish directors?"
    assert answered(question)[0] != "no"  # another of that name may be one
    short, said = answered(question, without="Cy_Fir_(gardener)")
    assert short == "no"
    assert any("Dutch" in text for text in said)


@pytest.mark.parametrize(
    "question",
    [
        "Are Ann Oak and Dee Ash both film directors?",
        "Are Ann Oak and Dee Ash both Danish?",
        "Are Ann Oak and Ed Yew both film directors?",
        "Are Ann Oak and Ed Yew both Danish?",
        "Were Bo Elm and Cy Fir both born in Denmark?",
        "Are Ann Oak and Bo Elm both novelists?",
        "Are Ann Oak and Bo Elm not directors?",
        "Are Ann Oak and Bo Elm different directors?",
    ],
)
def test_what_is_not_said_is_not_denied(question: str) -> None:
    assert answered(question)[0] == ""


def test_what_things_are_said_to_be_is_read_apart_from_their_country() -> None:
    (denmark,), _ = countries("Danish")
    read = read_sort(" both Danish film directors?")
    stems = frozenset({"film", "director"})
    assert read == Sort(countries=frozenset({denmark}), stems=stems, own=frozenset({"director"}))
    bound = read_sort(" both singers of Danish bands?")
    assert bound == Sort(
        countries=frozenset({denmark}),
        stems=frozenset({"singer", "band"}),
        own=frozenset({"singer"}),
        is_plain=False,
    )
    assert read_sort(" of the same nationality?") is None
    assert read_sort(" both?") is None
