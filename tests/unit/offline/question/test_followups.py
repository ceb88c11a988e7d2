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


@pytest.mark.parametrize(
    ("turns", "message", "expected"),
    [
        ([BRIDGE], "When was she born?", "When was Ada Lindqvist born?"),
        ([BRIDGE], "Where did he live?", "Where did Ada Lindqvist live?"),
        ([BRIDGE], "What is her job?", "What is Ada Lindqvist's job?"),
        ([BRIDGE], "Who knew her?", "Who knew Ada Lindqvist?"),
        ([BRIDGE], "How long is it?", "How long is Harbour Bridge?"),
        ([BRIDGE], "What is its length?", "What is Harbour Bridge's length?"),
        ([BRIDGE], "How long is the bridge?", "How long is Harbour Bridge?"),
        ([BRIDGE], "When?", "When opened the Harbour Bridge?"),
        ([BRIDGE], "What about the Opera House?", "Who opened the Opera House?"),
        ([LICENCE], "And beta?", "What is the licence of beta?"),
        ([LICENCE], "Who wrote it?", "Who wrote alpha?"),
        ([WHERE], "How many people live there?", "How many people live in Port Merrow?"),
        ([BRIDGE], "Who designed the Eiffel Tower?", "Who designed the Eiffel Tower?"),
        ([BRIDGE], "Is it true that cats sleep?", "Is it true that cats sleep?"),
        ([DARI], "그것은 누가 열었나요?", "하버 브리지는 누가 열었나요?"),
        ([DARI], "그녀는 언제 태어났나요?", "린드크비스트는 언제 태어났나요?"),
        ([DARI], "그럼 오페라 극장은?", "오페라 극장은 언제 개통되었나요?"),
        ([DARI], "시청은요?", "시청은 언제 개통되었나요?"),
        ([DARI], "누가?", "하버 브리지는 누가 개통되었나요?"),
        ([DARI], "거기에서 무슨 일이 있었나요?", "하버 브리지에서 무슨 일이 있었나요?"),
        ([DARI], "에펠탑은 누가 지었나요?", "에펠탑은 누가 지었나요?"),
    ],
)
def test_a_follow_up_is_made_whole(turns: list[PastTurn], message: str, expected: str) -> None:
    assert rewrite(message, turns).question == expected


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
