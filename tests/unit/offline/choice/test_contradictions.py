from __future__ import annotations

from dataclasses import replace

import pytest

from hopping_world import book, hit
from weft.domain.ids import ChunkId, DocumentId
from weft.offline.answering import answer_from
from weft.offline.evidence.found import FoundEvidence


def test_two_documents_that_disagree_are_shown_side_by_side_the_later_first() -> None:
    reply = answer_from(
        "What is the daily meal allowance in Europe?",
        book(
            **{
                "Travel 2023-04-01": "The daily meal allowance in Europe is 55 euro.",
                "Travel 2025-02-01": "The daily meal allowance within Europe is 70 euro.",
            }
        ),
    )
    assert [one.text for one in reply.sentences][:2] == [
        "The daily meal allowance within Europe is 70 euro.",
        "The daily meal allowance in Europe is 55 euro.",
    ]
    assert "disagree" in reply.notes[0]
    assert reply.notes[0].index("2025-02-01") < reply.notes[0].index("2023-04-01")


def test_sentences_that_agree_are_no_contradiction() -> None:
    reply = answer_from(
        "What is the daily meal allowance in Europe?",
        book(
            A="The daily meal allowance in Europe is 70 euro.",
            B="In Europe the daily meal allowance is 70 euro.",
        ),
    )
    assert reply.sentences
    assert reply.notes == ()


@pytest.mark.parametrize("question", ["How long is the pier?", "How long is the bridge?"])
def test_how_long_another_thing_is_contradicts_nothing(question: str) -> None:
    reply = answer_from(
        question, book(pier="The pier is 300 metres long.", tunnel="The tunnel is 900 metres long.")
    )
    assert reply.notes == ()


def test_two_people_of_one_name_are_not_mixed_and_the_other_is_named() -> None:
    reply = answer_from(
        "When was the painter Ann Oak born?",
        book(
            **{
                "Ann Oak (painter)": "Ann Oak is a painter. Ann Oak was born in 1911 in Aarhus.",
                "Ann Oak (sailor)": "Ann Oak is a sailor. Ann Oak was born in 1954 in Bergen.",
            }
        ),
    )
    assert any("1911" in one.text for one in reply.sentences)
    assert not any("1954" in one.text for one in reply.sentences)
    assert any("Ann Oak (sailor)" in note for note in reply.notes)


def rows(*texts: str) -> FoundEvidence:
    """Return a book of the rows of one table; their second line names somebody."""
    made = FoundEvidence()
    for at, text in enumerate(texts):
        one = hit(f"row {at}", text)
        key = DocumentId(f"record:test/people.csv#p{at}")
        evidence = replace(one.evidence, document_id=key, uri="file:///people.csv")
        made.add(replace(one, evidence=evidence))
    return made


OAKS = (
    "id: p0\nname: Ann Oak\ntitle: Painter\noffice: Aarhus\njoined: 2019-01-08",
    "id: p1\nname: Ann Oak\ntitle: Sailor\noffice: Bergen\njoined: 2021-05-10",
    "id: p2\nname: Bo Elm\ntitle: Cook\noffice: Aarhus\njoined: 2022-02-01",
)


def test_all_rows_of_a_name_are_shown_where_nothing_says_which_is_meant() -> None:
    reply = answer_from("Who is Ann Oak?", rows(*OAKS))
    assert {one.text for one in reply.sentences} == set(OAKS[:2])
    assert any("Several" in note and "Ann Oak" in note for note in reply.notes)


def test_what_a_question_says_of_a_namesake_tells_which_row_is_meant() -> None:
    reply = answer_from("When did Ann Oak the sailor join?", rows(*OAKS))
    assert [one.text for one in (*reply.sentences, *reply.nearest)][:1] == [OAKS[1]]
    assert OAKS[0] not in {one.text for one in reply.sentences}


def test_one_row_of_a_name_is_no_namesake() -> None:
    reply = answer_from("Who is Bo Elm?", rows(*OAKS))
    assert OAKS[2] in [one.text for one in (*reply.sentences, *reply.nearest)]
    assert reply.notes == ()


def test_documents_without_a_date_disagree_without_an_order() -> None:
    reply = answer_from(
        "What is the daily meal allowance in Europe?",
        book(
            A="The daily meal allowance in Europe is 55 euro.",
            B="The daily meal allowance within Europe is 70 euro.",
        ),
    )
    assert reply.notes in (("The documents disagree: A · B.",), ("The documents disagree: B · A.",))


def test_the_month_of_a_date_does_not_contradict_it() -> None:
    reply = answer_from(
        "When did Ann Oak join the harbour office?",
        book(
            A="Ann Oak joined the harbour office on 6 May 2014.",
            B="Ann Oak joined the harbour office in May 2014.",
        ),
    )
    assert reply.sentences
    assert reply.notes == ()


def test_fields_at_the_head_of_two_pages_do_not_contradict_each_other() -> None:
    reply = answer_from(
        "Which licence does the pump have?",
        book(Pump="Licence of the pump: BSD 3", Valve="Licence of the pump: BSD 2"),
    )
    assert not any("disagree" in note for note in reply.notes)


def test_documents_of_one_title_are_told_apart_by_their_files() -> None:
    made = FoundEvidence()
    for folder, amount in (("north", 55), ("south", 70)):
        one = hit("Meals", f"The daily meal allowance in Europe is {amount} euro.")
        key = DocumentId(f"file:{folder}/meals.md")
        evidence = replace(
            one.evidence,
            document_id=key,
            chunk_id=ChunkId(folder),
            id=f"docs/{folder}",
            uri=f"file:///{folder}/meals.md",
        )
        made.add(replace(one, evidence=evidence))
    (note,) = answer_from("What is the daily meal allowance in Europe?", made).notes
    assert "Meals, north/meals.md" in note
    assert "Meals, south/meals.md" in note


def test_a_row_that_a_name_heads_is_found_beside_one_that_mentions_it() -> None:
    team = "id: p3\nname: Cy Ash\ntitle: Painter\noffice: Aarhus\nreports_to: Bo Elm"
    reply = answer_from("Who is Bo Elm?", rows(team, OAKS[2]))
    assert OAKS[2] in [one.text for one in (*reply.sentences, *reply.nearest)]


def tables(*texts: str, titles: tuple[str, ...]) -> FoundEvidence:
    """Return a book of rows, each the only one of a table of its own."""
    made = FoundEvidence()
    for at, (text, title) in enumerate(zip(texts, titles, strict=True)):
        one = hit(title, text)
        evidence = replace(
            one.evidence,
            document_id=DocumentId(f"record:test/t{at}.csv#1"),
            chunk_id=ChunkId(f"t{at}"),
            id=f"docs/t{at}",
            uri=f"file:///t{at}.csv",
        )
        made.add(replace(one, evidence=evidence))
    return made


PEOPLE = ("name: Ada\ncity: Oslo\nage: 33", "name: Eve\ncity: Oslo\nsalary: 100")


def test_rows_of_two_tables_about_two_things_stand_beside_each_other() -> None:
    reply = answer_from("Which people have city Oslo?", tables(*PEOPLE, titles=("Ada", "Eve")))
    assert {one.text for one in reply.sentences} == set(PEOPLE)
    assert reply.notes == ()


def test_a_row_of_another_thing_than_is_asked_about_does_not() -> None:
    reply = answer_from(
        "Which city does Ada have at age 33?", tables(*PEOPLE, titles=("Ada", "Eve"))
    )
    assert [one.text for one in reply.sentences] == [PEOPLE[0]]
    assert reply.notes == ()


@pytest.mark.parametrize(
    ("question", "left", "right", "title"),
    [
        (
            "What is the price of the Pump?",
            "item: Pump\nsupplier: Acme\nprice: 100",
            "item: Pump\nsupplier: Acme\nprice: 120",
            "",
        ),
        (
            "Which phone has the head of sales?",
            "name: Bo Elm\nrole: head of sales\ncity: Oslo\nphone: 41",
            "name: Bo Elm\nrole: head of sales\ncity: Rome\nphone: 52",
            "Bo Elm",
        ),
    ],
)
def test_rows_of_two_tables_about_one_thing_contradict_each_other(
    question: str, left: str, right: str, title: str
) -> None:
    titles = (title or "t0.csv 1", title or "t1.csv 1")
    reply = answer_from(question, tables(left, right, titles=titles))
    assert any("disagree" in note for note in reply.notes)
