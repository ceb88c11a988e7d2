"""What a document says, asked by its title."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hopping_world import book, hit
from weft.language.sentences import sentences
from weft.offline.answering import answer_from
from weft.offline.evidence.found import FoundEvidence

TEXT = (
    "Status: accepted on 5 December 2023\n\nWe run two brokers. Each has its own rota. "
    "Only Joost knows both. From 2024 on there is one."
)


@pytest.mark.parametrize(
    "question",
    [
        "What does “Decision 7: one broker” say?",
        "What does Decision 7: one broker say?",
        "“Decision 7: one broker” 문서는 무엇을 말하나요?",
    ],
)
def test_a_document_asked_by_its_title_is_told_from_its_beginning(question: str) -> None:
    made = book(**{"Decision 7: one broker": TEXT, "Decision 8": "We run one broker. It is old."})
    reply = answer_from(question, made)
    assert [one.text for one in reply.sentences] == [
        "We run two brokers.",
        "Each has its own rota.",
        "Only Joost knows both.",
    ]


def test_a_title_that_no_document_bears_tells_nothing_of_another() -> None:
    reply = answer_from("What does “Decision 9” say?", book(**{"Decision 7: one broker": TEXT}))
    assert "We run two brokers." not in [one.text for one in reply.sentences]


def test_the_name_of_an_item_is_no_answer() -> None:
    licence = (
        "7. Disclaimer of Warranty. The licensor provides the work without any warranty.\n\n"
        "8. Limitation of Liability. Nobody is liable for damages."
    )
    found = hit("Licence", licence)
    made = FoundEvidence()
    made.add(replace(found, evidence=replace(found.evidence, sentences=sentences(licence))))
    reply = answer_from("What is the warranty of the work?", made)
    said = [one.text for one in reply.sentences]
    assert said[0] == "The licensor provides the work without any warranty."
    assert not any("Disclaimer" in one for one in said)
