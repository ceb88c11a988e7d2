"""What is told apart by a number is not told of its neighbour."""

from __future__ import annotations

import pytest

from hopping_world import book
from weft.offline.answering import answer_from
from weft.offline.units.numbering import numbered_things

DEPOTS = {f"d{n}": f"Depot {n} is led by Ann {name}." for n, name in ((28, "Oak"), (31, "Elm"))}


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("Who leads Depot 14?", {("depot", "14")}),
        ("When was pathfinder 6.4 released?", {("pathfind", "6.4")}),
        ("What is said of ticket PLT-57?", {("plt", "57")}),
        ("In 2023 there were 12 of them, on 3 May 2023.", set()),
        ("It opens at 9:30 for 1,200 people, 5% more.", set()),
    ],
)
def test_a_thing_with_a_number_behind_its_name_is_numbered(
    text: str, things: set[tuple[str, str]]
) -> None:
    assert numbered_things(text) == things


def test_what_is_said_of_another_number_is_no_answer() -> None:
    beside = {"gate": "The gate of the yard leads to the quay."}
    said = answer_from("Who leads Depot 14?", book(**DEPOTS, **beside))
    assert said.sentences == ()
    assert "Depot" in said.nearest[0].text


@pytest.mark.parametrize(("number", "name"), [(28, "Oak"), (31, "Elm")])
def test_what_is_said_of_the_number_asked_for_stands_alone(number: int, name: str) -> None:
    said = answer_from(f"Who leads Depot {number}?", book(**DEPOTS))
    assert [one.text for one in said.sentences] == [f"Depot {number} is led by Ann {name}."]
    assert said.notes == ()


def test_a_ticket_that_stands_nowhere_is_not_answered_with_another() -> None:
    tickets = {"one": "LED-14: The ledger stood still. Ann Oak put it right on 3 May."}
    assert answer_from("Who put LED-14 right?", book(**tickets)).sentences
    assert answer_from("Who put LED-57 right?", book(**tickets)).sentences == ()


@pytest.mark.parametrize("version", ["3", "3.11"])
def test_a_version_is_one_of_those_that_begin_with_it(version: str) -> None:
    told = "The mill tool needs Python 3.11."
    said = answer_from(f"Which tool needs Python {version}?", book(tool=told))
    assert [one.text for one in said.sentences] == [told]
    assert answer_from("Which tool needs Python 2?", book(tool=told)).sentences == ()
