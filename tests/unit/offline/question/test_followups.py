"""Follow-up questions made whole by rules, in English and Korean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.agents.rewriting import PastTurn
from weft.offline.question.followups import rewrite

BRIDGE = PastTurn(
    question="Who opened the Harbour Bridge?",
    answer="The Harbour Bridge was opened by Ada Lindqvist on 14 March 1932. [1]",
    titles=("Harbour Bridge",),
)
WHERE = PastTurn(
    question="Where was Ada Lindqvist born?",
    answer="Ada Lindqvist was born in Port Merrow. [1]",
    titles=("Ada Lindqvist",),
)
LICENCE = PastTurn(question="What is the licence of alpha?", answer="License: MIT [1]")
DARI = PastTurn(
    question="하버 브리지는 언제 개통되었나요?",
    answer="하버 브리지는 1932년에 개통되었다. 린드크비스트가 개통식을 열었다. [1]",
)
WHO = PastTurn(
    question="하버 브리지는 누가 열었나요?", answer="하버 브리지는 린드크비스트가 열었다. [1]"
)
BYLAW = PastTurn(question="4월 정기 회의의 안건은 무엇인가요?", answer="안건은 회비입니다. [1]")
TWO = PastTurn(
    question="When did Ada Lindqvist and Boris Karlsen meet?",
    answer="Ada Lindqvist and Boris Karlsen met in 1921. [1]",
)
FIRM = PastTurn(
    question="Who makes the bolts of the bridge?", answer="Karlsen Works makes the bolts. [1]"
)
UNSAID = PastTurn(question="Who is the harbour master?", answer="I cannot answer this.")


@pytest.mark.parametrize(
    ("turns", "message", "expected"),
    [
        ([BRIDGE], "When was she born?", "When was Ada Lindqvist born?"),
        ([BRIDGE], "Where did he live?", "Where did Ada Lindqvist live?"),
        ([BRIDGE], "What is her job?", "What is Ada Lindqvist's job?"),
        ([BRIDGE], "Who knew her?", "Who knew Ada Lindqvist?"),
        ([BRIDGE], "How long is it?", "How long is the Harbour Bridge?"),
        ([BRIDGE], "What is its length?", "What is the Harbour Bridge's length?"),
        ([BRIDGE], "How long is the bridge?", "How long is the Harbour Bridge?"),
        ([WHERE], "When?", "When was Ada Lindqvist born?"),
        ([BRIDGE], "What about the Opera House?", "Who opened the Opera House?"),
        ([LICENCE], "And beta?", "What is the licence of beta?"),
        ([WHERE], "How many people live there?", "How many people live in Port Merrow?"),
        ([BRIDGE], "Who designed the Eiffel Tower?", "Who designed the Eiffel Tower?"),
        ([BRIDGE], "Is it true that cats sleep?", "Is it true that cats sleep?"),
        ([DARI], "그것은 누가 열었나요?", "하버 브리지는 누가 열었나요?"),
        ([WHO], "그녀는 언제 태어났나요?", "린드크비스트는 언제 태어났나요?"),
        ([DARI], "그럼 오페라 극장은?", "오페라 극장은 언제 개통되었나요?"),
        ([DARI], "시청은요?", "시청은 언제 개통되었나요?"),
        ([BYLAW], "그 회의의 의장은 누구인가요?", "4월 정기 회의의 의장은 누구인가요?"),
        ([DARI], "에펠탑은 누가 지었나요?", "에펠탑은 누가 지었나요?"),
    ],
)
def test_a_follow_up_is_made_whole(turns: list[PastTurn], message: str, expected: str) -> None:
    assert rewrite(message, turns).question == expected


@pytest.mark.parametrize(
    ("turn", "message", "about"),
    [
        (TWO, "Where was she born?", "Ada Lindqvist Boris Karlsen"),
        (FIRM, "When were they founded?", "Karlsen Works makes bolts bridge"),
        (UNSAID, "When did she start?", "the harbour master"),
        (BRIDGE, "When?", "opened Harbour Bridge"),
        (BRIDGE, "What does that weigh?", "Ada Lindqvist the Harbour Bridge"),
        (LICENCE, "Who wrote it?", "licence alpha"),
        (DARI, "거기에서 무슨 일이 있었나요?", "하버 브리지"),
        (DARI, "왜요?", "하버 브리지 개통되었"),
    ],
)
def test_what_is_not_sure_stays_and_names_what_it_goes_on_from(
    turn: PastTurn, message: str, about: str
) -> None:
    found = rewrite(message, [turn])
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
    found = rewrite(message, [BRIDGE])
    assert (found.question, found.about, found.points) == (message, "", False)


def test_a_chain_of_follow_ups_is_followed() -> None:
    born = PastTurn(question="Where was she born?", answer="She was born in Port Merrow. [1]")
    assert rewrite("When?", [BRIDGE, born]).question == "When was Ada Lindqvist born?"
    assert rewrite("And Boris Karlsen?", [BRIDGE, born]).question == "Where was Boris Karlsen born?"


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
    found = rewrite(message, [BRIDGE])
    assert found.points
    assert found.question == message


@given(st.text(max_size=80))
def test_without_a_conversation_nothing_changes(message: str) -> None:
    assert rewrite(message, []).question == message.strip()
    assert not rewrite(message, []).points


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_any_words_are_taken(message: str, question: str, answer: str) -> None:
    turn = PastTurn(question=question, answer=answer, titles=(answer,))
    assert len(rewrite(message, [turn, turn]).question) <= 2000
