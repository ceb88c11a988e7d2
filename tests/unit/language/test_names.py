"""Names are folded to one spelling, once and for all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.language.names import are_people, normalise


@pytest.mark.parametrize(
    ("surface", "name"),
    [
        ("The Beatles", "beatles"),
        ("Weft's", "weft"),
        ("James’", "james"),
        ("Schindler's List", "schindlers list"),
        ("O’Brien", "obrien"),
        ("Mediaș", "medias"),
        ("ＡＣＭＥ  Corp.", "acme corp"),
        ("U.S.", "us"),
        ("J.K. Rowling", "jk rowling"),
        ("A. Smith", "a smith"),
        ("C++", "c++"),
        ("C#", "c#"),
        ("PROJ-123", "proj 123"),
        ("1,000", "1000"),
        ("1.5", "1.5"),
        ("numpy_financial", "numpy financial"),
        ("삼성전자에서", "삼성전자"),
        ("삼성전자를", "삼성전자"),
        ("김정은", "김정은"),
        ("마을", "마을"),
        ("が", "が"),
        ("й", "й"),
        ("The", "the"),
        ("???", ""),
    ],
)
def test_one_spelling(surface: str, name: str) -> None:
    assert normalise(surface) == name


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing(surface: str) -> None:
    once = normalise(surface)
    assert normalise(once) == once


@given(st.text(alphabet="The 'sS.,-+#_1aéİßﬁ서울에서를", max_size=30))
def test_normalising_twice_changes_nothing_of_awkward_names(surface: str) -> None:
    once = normalise(surface)
    assert normalise(once) == once


@given(st.text(alphabet="The aB1", max_size=20))
def test_the_short_way_for_plain_names_gives_the_same(surface: str) -> None:
    assert normalise(surface) == normalise(surface + "\u00ad.")


@pytest.mark.parametrize(
    "names",
    [
        ["Ann Lee", "Dr Moss", "Mrs P. Yelland", "Jean-Luc O'Hara"],
        ["Lee, Ann", "Moss, B.", "Hart, Idris J."],
    ],
)
def test_what_people_are_called_is_known_by_its_look(names: list[str]) -> None:
    assert are_people(names)


@pytest.mark.parametrize(
    "names",
    [
        ["blue", "front door", "red"],
        ["Room 3", "Lab A 2", "Hall 1"],
        ["MacDonald", "McGee", "DiMarco"],
        ["Ann Lee", "Ben Moss"],
        ["0455 010 221", "n/a", ""],
        [],
    ],
)
def test_other_names_and_too_few_are_not(names: list[str]) -> None:
    assert not are_people(names)
