from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from rag_world import Shelf, plain_search
from weft.language.sentences import sentences
from weft.offline.answering import Reply, answer_from
from weft.offline.evidence.found import FoundEvidence
from weft.offline.evidence.passages import candidates, read_passages
from weft.offline.question.measures import gives_measure
from weft.offline.question.question import read_question
from weft.offline.question.wanting import Want, gives, read_words, want_of
from weft.platform.identity import local_owner
from weft.ports.knowledge import Knowledge
from weft.ports.store import Base
from weft.retrieval.hits import Query

pytestmark = pytest.mark.anyio

HARBOUR = """# Harbour rules

The harbour bank pays for the paint of every boat. A boat club from Malmo looks after the pier.

## When it storms

Nobody sails then. Boats stay at the quay.

1. **The next regatta.** Sopot, in June. Somebody looks for a boat.

| Boat | Built by |
|---|---|
| Seagull | Olga Berg |
"""
LANTERNS = "The lantern on the mole weighs 40 kilos. Ada Lindqvist lights it at dusk."
NAMES = read_words([HARBOUR, LANTERNS])


def book_of(question: str) -> tuple[Shelf, FoundEvidence]:
    shelf, book = Shelf(), FoundEvidence()
    shelf.put("harbour.md", HARBOUR, title="Harbour rules")
    shelf.put("lanterns.md", LANTERNS, title="Lanterns")
    return shelf, book


async def filled(question: str) -> FoundEvidence:
    shelf, book = book_of(question)
    bases = [Base(name="docs", knowledge=cast(Knowledge, shelf))]
    found = await plain_search(bases, None, local_owner(), query=Query(text=question))
    book.learn(found.terms, naming=found.naming)
    for hit in found.hits:
        book.add(hit)
    return book


async def reply(question: str) -> Reply:
    return answer_from(question, await filled(question))


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("How many desks are there?", "There are 84 desks.", True),
        ("How many desks are there?", "desks: 84", True),
        ("How many desks are there?", "There are 84 chairs and some desks.", False),
        ("How long may it take?", "It takes two weeks.", True),
        ("How long may it take?", "It takes 14 people.", False),
        ("How much does a night cost?", "Up to EUR 165 a night.", True),
        ("How much does a night cost?", "It was opened in 2016.", False),
        ("며칠까지 쉴 수 있나요?", "최대 20일까지 쉴 수 있습니다.", True),
        ("며칠까지 쉴 수 있나요?", "20명이 쉴 수 있습니다.", False),
        ("몇 명이 들어가나요?", "24명이 들어갑니다.", True),
        ("몇 명이 들어가나요?", "24대가 들어갑니다.", False),
        ("검진 비용은 얼마인가요?", "1인당 45만 원입니다.", True),
        ("검진 비용은 얼마인가요?", "45분 걸립니다.", False),
        ("크레인의 하중은 얼마인가?", "하중은 120톤이다.", True),
        ("Who is it?", "It is 4.", None),
    ],
)
def test_a_figure_answers_what_is_counted(
    question: str, sentence: str, expected: bool | None
) -> None:
    assert gives_measure(question, sentence) is expected


@pytest.mark.parametrize(
    ("question", "want"),
    [
        ("Who lights it?", Want.PERSON),
        ("What are the names of the boats?", Want.NAME),
        ("Which supplier sends the paint?", Want.NAME),
        ("To which address do I write?", Want.PLACE),
        ("What is her phone extension?", Want.CONTACT),
        ("When does it start?", Want.DATE),
        ("What does it cost?", Want.FIGURE),
        ("What does it do?", Want.ANYTHING),
        ("누가 고쳤나요?", Want.PERSON),
        ("메일은 어느 주소로 쓰나요?", Want.CONTACT),
    ],
)
def test_a_question_says_what_it_wants(question: str, want: Want) -> None:
    assert want_of(read_question(question)) is want


@pytest.mark.parametrize(
    ("question", "sentence", "share"),
    [
        ("Who lights it?", "Ada Lindqvist lights it.", 1.0),
        ("Who lights it?", "Ada lights it.", 1.0),  # half of a name that stands elsewhere
        ("Who lights it?", "In Malmo it is lit.", 0.4),
        ("Who lights it?", "Somebody of the crew lights it.", 0.0),
        ("Who helps Ada Lindqvist?", "Ada Lindqvist has help.", 0.0),
        ("When is it lit?", "It is lit at nine.", 1.0),
        ("When is it lit?", "It is lit by hand.", 0.0),
        ("누가 고쳤나요?", "류가온이 고쳤습니다.", 1.0),
        ("누가 고쳤나요?", "고객은 기다렸습니다.", 0.0),
        ("Which mail address is it?", "Write to berg@example.org.", 1.0),
        ("Which mail address is it?", "Write to Berg.", 0.0),
    ],
)
def test_a_sentence_gives_what_is_wanted(question: str, sentence: str, share: float) -> None:
    assert gives(read_question(question), sentence, known=NAMES) == share


@pytest.mark.parametrize(
    "question",
    [
        "How much does the harbour bank pay for the paint?",
        "What is the name of the boat club that looks after the pier?",
    ],
)
async def test_without_a_thing_of_the_kind_asked_for_there_is_no_answer(question: str) -> None:
    assert (await reply(question)).sentences == ()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many kilos does the lantern weigh?", "40 kilos"),
        ("Who lights the lantern on the mole?", "Ada Lindqvist"),
        ("Where is the next regatta?", "Sopot, in June."),
    ],
)
async def test_a_thing_of_the_kind_asked_for_is_shown(question: str, expected: str) -> None:
    said = await reply(question)
    assert any(expected in one.text for one in said.sentences), said


async def test_sentences_know_what_they_stand_under() -> None:
    book, whole = await filled("What about the harbour?"), FoundEvidence()
    _, hit = book.entries()[0]
    read = replace(hit.evidence, text=HARBOUR, sentences=sentences(HARBOUR))
    whole.add(replace(hit, evidence=read, cosines=()))
    [harbour] = read_passages(whole)
    found = {one.text: one for one in candidates(harbour)}
    assert "regatta" in found["Sopot, in June."].head
    assert "storm" in found["Nobody sails then."].head
    assert "regatta" not in found["Nobody sails then."].head
    [row] = [one for text, one in found.items() if "Seagull" in text]
    assert "built" in row.head
    assert not any("Built by" in text for text in found), "the head of a table says nothing"
    assert not any(text.startswith("The next regatta") for text in found)
