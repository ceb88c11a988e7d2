from __future__ import annotations

import pytest

from hopping_world import hit
from weft.offline.units.lists import MOST_ITEMS, as_one, asks_list, joined, of_each, whole_list
from weft.offline.units.order import RankedUnits, rank_units

EXITS = """# Exits of the hall

The hall has these exits:

- the front door
- the stage door
- the tunnel under the stage

It was built in 1931."""

JOINERS = """Four people start with us this March. Say hello to them.

- **Bo Elm** joins the mill
  on 3 March.
- **Ann Oak** joins the tower on 10 March.

Laptops are ready."""


@pytest.mark.parametrize(
    "question",
    [
        "List the exits of the hall.",
        "What are the exits of the hall?",
        "Which exits are open at night?",
        "Name the exits of the hall.",
        "비상구를 모두 알려 주세요.",
        "어떤 출구가 있나요?",
    ],
)
def test_what_asks_for_several_things_asks_for_a_list(question: str) -> None:
    assert asks_list(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who keeps the list of the exits?",
        "Which exit is open at night?",
        "What is the status of the hall?",
        "Which class does he teach?",
        "Tell me the name of the keeper.",
        "출구는 어디에 있나요?",
    ],
)
def test_what_asks_for_one_thing_asks_for_no_list(question: str) -> None:
    assert not asks_list(question)


def ranked(question: str, *texts: str) -> RankedUnits:
    hits = [hit(f"{n}", text) for n, text in enumerate(texts)]
    return rank_units(question, (), entries=[(one.evidence.id, one) for one in hits])


def test_a_list_is_whole_and_in_its_order() -> None:
    found = whole_list(ranked("Which exits lead to the stage door of the hall?", EXITS))
    assert [one.text for one in found] == [
        "the front door",
        "the stage door",
        "the tunnel under the stage",
    ]


def test_the_sentence_above_a_list_stands_in_front_of_it() -> None:
    found = whole_list(ranked("How many people start in March?", JOINERS))
    assert [one.text for one in found] == [
        "Four people start with us this March.",
        "**Bo Elm** joins the mill\n  on 3 March.",
        "**Ann Oak** joins the tower on 10 March.",
    ]
    assert as_one(found) == JOINERS.removesuffix("\n\nLaptops are ready.")


def test_words_between_part_a_sentence_from_a_list() -> None:
    apart = JOINERS.replace("- **Bo", "Their desks are taken.\n\n- **Bo")
    assert whole_list(ranked("How many people start in March?", apart)) == ()


def test_a_list_of_long_items_is_not_shown_as_one() -> None:
    items = "\n".join(
        f"- {name} joins the mill. {'She likes bread. ' * 15}"
        for name in ("Ann", "Bo", "Di", "Eve")
    )
    long = f"Two people start with us this March.\n\n{items}\n- Cy joins. {'He likes tea. ' * 15}"
    found = whole_list(ranked("How many people start in March?", long))
    assert len(found) > 1
    assert as_one(found) == ""


def test_a_sentence_and_a_list_too_long_to_be_read_are_no_answer_of_items() -> None:
    assert whole_list(ranked("When was it built?", "It was built in 1931.")) == ()
    many = "\n".join(f"- exit number {n} of the hall" for n in range(MOST_ITEMS + 1))
    assert whole_list(ranked("Which exits does it have?", f"The exits:\n\n{many}")) == ()


def test_units_side_by_side_are_joined_and_others_are_not() -> None:
    told = "On paper she is Theodora.\nEverybody calls her Teddy. She joined in May.\n\nWe bake."
    units = ranked("What do they call Theodora?", f"{told} The mill is old.", "Theodora sings.")
    found = [as_one(one) for one in joined(units.units)]
    assert "On paper she is Theodora.\nEverybody calls her Teddy. She joined in May." in found
    assert "We bake. The mill is old." in found
    assert "Theodora sings." in found
    assert len(found) == 3


def test_a_heading_or_a_sentence_that_is_not_near_parts_two_units() -> None:
    units = ranked("Where is the mill?", "The mill is old.\n\n## Bread\n\nThe mill is near Ede.")
    assert {len(one) for one in joined(units.units)} == {1}
    three = ranked("Where is the mill?", "The mill is old. We bake. The mill is near Ede.")
    apart = [one for one in three.units if one.text != "We bake."]
    assert [len(one) for one in joined(apart)] == [1, 1]


def test_rows_code_and_what_is_too_long_stand_alone() -> None:
    mills = "| Mill | Sails |\n| --- | --- |\n| Oss | 4 |\n| Ede | 6 |"
    assert [len(one) for one in joined(ranked("Sails of a mill?", mills).units)] == [1, 1]
    long = " ".join(f"The mill number {n} {'turns ' * 60}well." for n in range(4))
    found = [as_one(one) for one in joined(ranked("Which mill turns well?", long).units)]
    assert all(0 < len(one) <= 900 for one in found)
    assert len(found) == 2


def test_each_thing_compared_has_a_unit_of_its_own() -> None:
    units = ranked("Who is older, Ann Oak or Bo Elm?", "Ann Oak paints.", "Bo Elm sings.")
    assert {one.text for one in of_each(("Ann Oak", "Bo Elm"), units)} == {
        "Ann Oak paints.",
        "Bo Elm sings.",
    }
    assert [one.text for one in of_each(("Ann Oak", "Cy Fir"), units)] == ["Ann Oak paints."]


def test_beside_a_row_stands_the_row_of_the_same_table() -> None:
    mills = "| Mill | Sails |\n| --- | --- |\n| Oss | 4 |\n| Ede | 6 |"
    question = "Which has the higher sails, Oss or Ede?"
    units = ranked(question, mills, "We buy our flour at the mill of Ede.")
    assert [one.text for one in of_each(("Oss", "Ede"), units)] == ["| Oss | 4 |", "| Ede | 6 |"]


def test_a_name_without_a_word_is_spoken_of_nowhere() -> None:
    assert of_each(("the", "Ann Oak"), ranked("Who is Ann Oak?", "Bo Elm sings.")) == ()
