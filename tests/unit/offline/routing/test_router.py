"""Whom a question is handed to: by what it asks for, never by a part of a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.agents.routing import GraphSide, Specialist
from weft.domain.errors import BadInput
from weft.offline.routing.router import ReadQuestion, side_for, specialist_for
from weft.offline.routing.signs import names, sheet, signs_of

GRAPH, VECTOR, WEB, TABLE = Specialist


@pytest.mark.parametrize("name", sheet())
def test_a_sign_has_questions_that_have_it_and_that_do_not(name: str) -> None:
    at, sign = names().index(name), sheet()[name]
    assert sign.has
    assert [question for question in sign.has if not signs_of(question)[at]] == []
    assert [question for question in sign.lacks if signs_of(question)[at]] == []


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Who owns the team that runs the ledger service?", GRAPH),
        ("결제 서비스 담당자의 상사는 누구야?", GRAPH),
        ("How do I request parental leave?", VECTOR),
        ("재택근무 규정 설명해줘", VECTOR),
        ("Search the web for reviews of standing desks", WEB),
        ("오늘 서울 날씨 어때?", WEB),
        ("Average order value per region in 2023", TABLE),
        ("부서별 평균 급여", TABLE),
        ("Who maintains the web server?", GRAPH),
        ("How many days of leave do I get?", VECTOR),
    ],
)
def test_a_question_goes_to_who_can_answer_it(question: str, wanted: Specialist) -> None:
    assert specialist_for(ReadQuestion(text=question)).choice is wanted


@pytest.mark.parametrize(
    "question",
    [
        "Who leads Security?",
        "Which offices are in Missouri?",
        "Who manages the knowledge base team?",
        "Are there classes next Monday?",
    ],
)
def test_what_only_looks_like_rdf_is_asked_of_the_property_graph(question: str) -> None:
    assert side_for(ReadQuestion(text=question)).choice is GraphSide.LPG


@pytest.mark.parametrize(
    "question", ["Which classes have a subclass?", "온톨로지에서 직원 클래스의 하위 클래스는?"]
)
def test_what_asks_for_the_ontology_is_asked_of_the_rdf_side(question: str) -> None:
    assert side_for(ReadQuestion(text=question)).choice is GraphSide.RDF


@given(question=st.text(max_size=80), among=st.sets(st.sampled_from(Specialist), min_size=1))
def test_exactly_one_of_those_at_hand_is_chosen(question: str, among: set[Specialist]) -> None:
    found = specialist_for(ReadQuestion(text=question), among=among)
    assert found.choice in among
    assert set(found.chances) == among
    assert abs(sum(found.chances.values()) - 1) < 0.001


def test_where_nobody_is_it_is_said() -> None:
    with pytest.raises(BadInput):
        specialist_for(ReadQuestion(text="Who?"), among=())
