"""What a follow-up question goes on from, in English and Korean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.agents.rewriting import PastTurn
from weft.offline.rewriter import follow_up

BRIDGE = PastTurn(
    question="Who opened the Harbour Bridge?",
    answer="The Harbour Bridge was opened by Ada Lindqvist on 14 March 1932. [1]",
    titles=("Harbour Bridge",),
)
LICENCE = PastTurn(question="What is the licence of alpha?", answer="License: MIT [1]")
DARI = PastTurn(
    question="하버 브리지는 언제 개통되었나요?",
    answer="하버 브리지는 1932년에 개통되었다. 린드크비스트가 개통식을 열었다. [1]",
)
BYLAW = PastTurn(question="4월 정기 회의의 안건은 무엇인가요?", answer="안건은 회비입니다. [1]")
TWO = PastTurn(
    question="When did Ada Lindqvist and Boris Karlsen meet?",
    answer="Ada Lindqvist and Boris Karlsen met in 1921. [1]",
)
FIRM = PastTurn(
    question="Who makes the bolts of the bridge?", answer="Karlsen Works makes the bolts. [1]"
)
YEARLY = PastTurn(
    question="Who won the ferry race in 2024?", answer="The ferry race was won by the Alder. [1]"
)
UNSAID = PastTurn(question="Who is the harbour master?", answer="I cannot answer this.")


@pytest.mark.parametrize(
    ("turn", "message", "about"),
    [
        (BRIDGE, "When was she born?", "Ada Lindqvist"),
        (BRIDGE, "What is its length?", "Ada Lindqvist Harbour Bridge"),
        (BRIDGE, "What does that weigh?", "Ada Lindqvist Harbour Bridge"),
        (BRIDGE, "When?", "Ada Lindqvist opened Harbour Bridge"),
        (BRIDGE, "What about the Opera House?", "opened Harbour Bridge"),
        (TWO, "Where was she born?", "Ada Lindqvist and Boris Karlsen"),
        (FIRM, "When were they founded?", "Karlsen Works makes bolts bridge"),
        (UNSAID, "When did she start?", "harbour master"),
        (LICENCE, "Who wrote it?", "licence alpha"),
        (LICENCE, "And beta?", "licence alpha"),
        (YEARLY, "And in 2023?", "won ferry race"),
        (YEARLY, "And the ferry wharf?", "won ferry 2024"),
        (DARI, "그것은 누가 열었나요?", "하버 브리지 개통되었"),
        (DARI, "거기에서 무슨 일이 있었나요?", "하버 브리지 개통되었"),
        (DARI, "그럼 오페라 극장은?", "하버 브리지 개통되었"),
        (DARI, "시청은요?", "하버 브리지 개통되었"),
        (DARI, "왜요?", "하버 브리지 개통되었"),
        (BYLAW, "그 회의의 의장은 누구인가요?", "4월 정기 회의 안건"),
    ],
)
def test_a_follow_up_stays_and_names_what_it_goes_on_from(
    turn: PastTurn, message: str, about: str
) -> None:
    found = follow_up(message, [turn])
    assert found.question == message
    assert found.about == about


@pytest.mark.parametrize(
    "message",
    [
        "Who sang “It Will Rain”?",
        "Who sang It Will Rain?",
        "Is it allowed to fish here?",
        "How long does it take to cross?",
        "What is it called when a bridge opens?",
        "Where did Karlsen hide during his escape?",
        "Does the ferry wait when it is late?",
        "How is oxygen stored in its cycle?",
        "Which is the harbour that was not there?",
        "Who painted the boats that carry coal?",
        "등대는 누가 지었나요?",
    ],
)
def test_a_question_of_its_own_is_left_alone(message: str) -> None:
    found = follow_up(message, [BRIDGE])
    assert (found.question, found.about, found.points) == (message, "", False)


def test_a_follow_up_goes_on_from_the_few_words_of_an_answer_and_not_from_its_row() -> None:
    row = "id: busan · office: Busan · city: Busan · manager: Oh Se-ra · street: Centum dong-ro 71"
    past = PastTurn(question="Who runs the office?", answer=f"Oh Se-ra\n{row} [1]")
    about = follow_up("How does she announce the health check?", [past]).about
    assert "Oh Se-ra" in about
    assert "Centum" not in about


def test_a_chain_of_follow_ups_goes_on_from_the_first_of_them() -> None:
    born = PastTurn(question="Where was she born?", answer="She was born in Port Merrow. [1]")
    about = follow_up("When?", [BRIDGE, born]).about
    assert about == "born Ada Lindqvist"
    assert follow_up("Who designed the Eiffel Tower?", [BRIDGE, born]).about == ""


@pytest.mark.parametrize(
    "message",
    [
        "Filter those by licence",
        "What do their neighbours say?",
        "Which of them mention trams?",
        "Summarise these documents",
        "그 문서들 중에서 MIT 라이선스만",
        "그중에서 전차가 나오는 것은?",
    ],
)
def test_the_last_documents_are_pointed_at(message: str) -> None:
    found = follow_up(message, [BRIDGE])
    assert found.points
    assert found.question == message


@given(st.text(max_size=80))
def test_without_a_conversation_nothing_changes(message: str) -> None:
    assert follow_up(message, []).question == message.strip()
    assert not follow_up(message, []).points


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_any_words_are_taken(message: str, question: str, answer: str) -> None:
    turn = PastTurn(question=question, answer=answer, titles=(answer,))
    assert follow_up(message, [turn, turn]).question == message.strip()
