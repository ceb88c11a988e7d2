from __future__ import annotations

import pytest

from weft.offline.question.question import (
    QuestionKind,
    alike,
    asked_words,
    holds_kind,
    read_question,
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Who wrote the parser?", QuestionKind.PERSON),
        ("When was it released?", QuestionKind.DATE),
        ("In which year was it released?", QuestionKind.DATE),
        ("Where is the office?", QuestionKind.PLACE),
        ("How many files does it read?", QuestionKind.NUMBER),
        ("How long is the bridge?", QuestionKind.NUMBER),
        ("Is it free?", QuestionKind.YES_NO),
        ("Which is older, Alpha or Beta?", QuestionKind.CHOICE),
        ("What is httpx?", QuestionKind.DEFINITION),
        ("What is the licence of alpha?", QuestionKind.OTHER),
        ("언제 열렸습니까?", QuestionKind.DATE),
        ("누가 만들었나요?", QuestionKind.PERSON),
    ],
)
def test_the_kind_of_answer_is_read_from_the_words(text: str, kind: QuestionKind) -> None:
    assert read_question(text).kind is kind


def test_names_phrases_and_codes_are_what_must_occur() -> None:
    question = read_question('Did Ada Berg close PROJ-12 in "Phase Two" of 2024, see src/a.py?')
    assert set(question.names) >= {"Ada", "Berg", "2024"}
    assert question.phrases == ("Phase Two",)
    assert {"proj-12", "src/a.py"} <= set(question.codes)
    assert read_question("What does Requests need?").names == ("Requests",)


def test_the_words_that_ask_are_not_what_is_asked_about() -> None:
    assert asked_words("What is the licence of alpha?") == ("licence", "alpha")
    assert asked_words("알파의 라이선스는 무엇입니까?") == ("알파", "라이선스")


def test_words_stand_for_each_other() -> None:
    assert "licens" in alike("licenc")
    assert alike("zebra") == {"zebra"}


@pytest.mark.parametrize(
    ("kind", "holds", "lacks"),
    [
        (QuestionKind.DATE, "It opened on 14 March 1932.", "It opened late."),
        (QuestionKind.NUMBER, "It has twelve gates.", "It has gates."),
        (QuestionKind.PERSON, "It was made by Jane Roe.", "it was made by hand."),
        (QuestionKind.PLACE, "It stands in Oslo.", "It stands still."),
    ],
)
def test_a_sentence_holds_the_kind_or_not(kind: QuestionKind, holds: str, lacks: str) -> None:
    assert holds_kind(kind, holds)
    assert not holds_kind(kind, lacks)
