from __future__ import annotations

import pytest

from weft.offline.question.cues import LANGUAGES, cues
from weft.offline.question.names import key_of, keys_of_title, names_among, names_in, spans_beside
from weft.offline.question.roles import read_plan


def plan(question: str, *names: str) -> tuple[list[tuple[str, tuple[str, ...]]], str]:
    read = read_plan(question, {key_of(name): () for name in names})
    return [(way.key, way.roles) for way in read.ways], read.relation.name if read.relation else ""


@pytest.mark.parametrize(
    ("question", "name", "roles", "relation"),
    [
        ("Where was the director of film Red Tide born?", "Red Tide", ("director",), "birth_place"),
        ("Who is Ann Oak's paternal grandmother?", "Ann Oak", ("father", "mother"), ""),
        ("When did Ann Oak's husband die?", "Ann Oak", ("husband",), "death_date"),
        ("What is the place of birth of Ann Oak's mother?", "Ann Oak", ("mother",), "birth_place"),
        ("Who is the spouse of the owner of the service Tally?", "Tally", ("owner", "spouse"), ""),
        ("Where does the person who wrote Red Tide work?", "Red Tide", ("author",), ""),
        ("레드타이드의 감독의 국적은 무엇인가요?", "레드타이드", ("director",), "nationality"),
        ("정산 서비스의 담당자의 상사는 누구인가요?", "정산 서비스", ("maintainer", "manager"), ""),
    ],
)
def test_a_name_and_the_roles_around_it_are_read(
    question: str, name: str, roles: tuple[str, ...], relation: str
) -> None:
    ways, asked = plan(question, name)
    assert ways == [(key_of(name), roles)]
    assert not relation or asked == relation


def test_what_is_compared_shares_the_role_that_is_named_once() -> None:
    question = "Which film has the director who was born first, Red Tide or Blue Hour?"
    read = read_plan(question, {"red tide": (), "blue hour": ()})
    assert [way.roles for way in read.ways] == [("director",), ("director",)]
    assert read.measure is not None
    assert (read.measure.value, read.measure.wins) == ("born", "least")


@pytest.mark.parametrize(
    ("question", "value", "wins"),
    [
        ("Who lived longer, A Oak or B Elm?", "lifetime", "most"),
        ("Who is younger, A Oak or B Elm?", "born", "most"),
        ("Who died first, A Oak or B Elm?", "died", "least"),
        ("Which was founded earlier, A Oak or B Elm?", "year", "least"),
        ("Which was released more recently, A Oak or B Elm?", "year", "most"),
    ],
)
def test_what_a_comparison_compares_is_known(question: str, value: str, wins: str) -> None:
    read = read_plan(question, {"a oak": (), "b elm": ()})
    assert read.measure is not None
    assert (read.measure.value, read.measure.wins) == (value, wins)


def test_one_thing_alone_is_not_compared() -> None:
    assert read_plan("Who was the first owner of A Oak?", {"a oak": ()}).measure is None


def test_the_longest_name_is_meant_and_none_overlap() -> None:
    known = {"red": (), "red tide": (), "tide of 1911": ()}
    assert [named.key for named in names_among("the Red Tide of Ann", known)] == ["red tide"]


def test_a_lower_case_word_is_no_name_unless_it_is_joined() -> None:
    known = {"tide": (), "billing api": ()}
    assert names_among("is the tide high", known) == []
    assert [n.key for n in names_among("who owns billing-api", known)] == ["billing api"]


def test_names_end_with_their_sentence() -> None:
    keys = [named.key for named in names_in("by H. P. Lovecraft in Providence. The end")]
    assert "h p lovecraft" in keys
    assert not [key for key in keys if "providence" in key and key.endswith("the")]


def test_a_title_is_meant_with_and_without_what_is_in_brackets() -> None:
    assert keys_of_title("Mutiny (1952 film)") == ("mutiny 1952 film", "mutiny")


def test_spans_beside_leave_out_what_a_question_begins_with() -> None:
    assert spans_beside("When did Ann Oak meet Bo Elm?", [(9, 16)]) == ("Bo Elm",)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_role_of_kin_is_a_role(language: str) -> None:
    table = cues(language)
    assert {role for chain in table.kin.values() for role in chain} <= set(table.roles)
    assert all(relation.kind for relation in table.relations)
