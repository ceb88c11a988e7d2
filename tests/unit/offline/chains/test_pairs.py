from __future__ import annotations

import pytest

from hopping_world import FILMS, book
from weft.offline.answering import Reply, answer_from
from weft.offline.chains.pairs import read_pair, sides_of

ENCYCLOPAEDIA = 0.4


def reply_to(question: str, passages: dict[str, str], *, naming: float = ENCYCLOPAEDIA) -> Reply:
    held = book(**passages)
    held.naming = naming
    return answer_from(question, held)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who is older, Ann Oak or Bo Elm?", ("Ann Oak", "Bo Elm")),
        ("Which band was formed first The Exies or Circus Diablo ?", ("Exies", "Circus Diablo")),
        ("Are Ann Oak and Bo von Elm both directors?", ("Ann Oak", "Bo von Elm")),
        ("Are both magazines, the Owl and Night Post, British?", ("Owl", "Night Post")),
        ("Is Red Tide (1952 film) or Blue Hour the longer?", ("Red Tide", "Blue Hour")),
        ("Who directed the film that was shot in or around Leland, North Carolina?", None),
        ("Where do we keep keys and badges?", None),
        ("Is it Monday or Tuesday, or the day after?", None),
        ("바다팀과 강팀 중 어디가 더 큰가?", None),
    ],
)
def test_two_names_are_read_where_a_question_sets_them_side_by_side(
    question: str, names: tuple[str, str] | None
) -> None:
    pair = read_pair(question)
    assert (pair.names if pair else None) == names


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("Who is older, Ann Oak or Bo Elm?", ("Ann Oak", "Bo Elm")),
        ("Which is older, the mill or the tower?", ("mill", "tower")),
        ("Is the wheel of the mill larger than that of the forge?", ("the mill", "forge")),
        (
            "Are the lower meadows more fertile than the upper ones?",
            ("lower meadows", "upper ones"),
        ),
        ("방앗간과 탑 중 어느 것이 더 높은가요?", ("방앗간", "탑")),
        ("본관이 별관보다 높은가요?", ("본관", "별관")),
        ("Do we sell tea or coffee?", ()),
        ("Are there more cats than dogs?", ()),
        ("Is rent higher now?", ()),
        ("방앗간은 언제 지었나요?", ()),
    ],
)
def test_two_things_set_side_by_side_need_no_names(question: str, sides: tuple[str, ...]) -> None:
    assert sides_of(question) == sides


@pytest.mark.parametrize(
    "question",
    [
        "Who is more popular, Ann Oak or Bo Elm?",
        "Are Ann Oak and Bo Elm both members of a club?",
        "Are Ann Oak and Bo Elm of the same nationality?",
    ],
)
def test_a_name_that_nothing_is_about_is_named(question: str) -> None:
    left = {name: text for name, text in FILMS.items() if name != "Bo_Elm"}
    reply = reply_to(question, left)
    assert (reply.sentences, reply.short) == ((), "")
    assert reply.reason == "I cannot compare them: I found no document about Bo Elm."


def test_what_one_passage_sets_side_by_side_is_not_missed() -> None:
    minutes = {
        "minutes": "The crew liked the Corvid C4 best of all.\nOn water the Polder Mini won."
    }
    reply = reply_to("Did the crew like the Corvid C4 or the Polder Mini best?", minutes)
    assert reply.reason == ""


@pytest.mark.parametrize(("naming", "is_broken"), [(0.1, False), (ENCYCLOPAEDIA, True)])
def test_it_is_a_sign_only_where_most_names_have_a_passage_of_their_own(
    naming: float, is_broken: bool
) -> None:
    notes = {
        "first": "The crew liked the Corvid C4 best of all on the first day.",
        "second": "On the second day they took the Polder Mini.",
    }
    question = "Did the crew like the Corvid C4 or the Polder Mini best?"
    assert bool(reply_to(question, notes, naming=naming).reason) is is_broken


def test_a_part_of_a_known_name_is_not_missed() -> None:
    films = {**FILMS, "Lying, Sleeping": "Lying, Sleeping is a 1990 film directed by Bo Elm."}
    reply = reply_to("Which film was released later, Lying, Sleeping or Red Tide?", films)
    assert reply.short


def test_where_nothing_answers_the_nearest_are_of_both_sides() -> None:
    town = {
        "mill": "The mill was painted in May.\n\nThe mill is painted by its miller.",
        "tower": "Visitors like the tower.",
    }
    reply = reply_to(
        "Which was painted by more people of the village, the mill or the tower?", town
    )
    assert reply.sentences == ()
    first, second, *_ = (one.text for one in reply.nearest)
    assert first.startswith("The mill")
    assert second == "Visitors like the tower."
