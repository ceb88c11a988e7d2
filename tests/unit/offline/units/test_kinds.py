from __future__ import annotations

import pytest

from weft.offline.units.kinds import FITS, AskedKind, kind_of, kind_table, signs_in

ASKED = {
    "Who signs it?": AskedKind.PERSON,
    "이 문서는 누가 승인하나요?": AskedKind.PERSON,
    "How often is it run?": AskedKind.OFTEN,
    "회의는 얼마나 자주 하나요?": AskedKind.OFTEN,
    "How long is the leave?": AskedKind.LONG,
    "휴가는 며칠인가요?": AskedKind.LONG,
    "How much does it cost?": AskedKind.MONEY,
    "가격은 어떻게 되나요?": AskedKind.MONEY,
    "How many berths are there?": AskedKind.MANY,
    "직원은 몇 명인가요?": AskedKind.MANY,
    "In what year was it built?": AskedKind.TIME,
    "언제 시작하나요?": AskedKind.TIME,
    "Where is the harbour?": AskedKind.PLACE,
    "본사는 어디에 있나요?": AskedKind.PLACE,
    "Why was it closed?": AskedKind.WHY,
    "왜 닫았나요?": AskedKind.WHY,
    "How is it opened?": AskedKind.MANNER,
    "어떻게 신청하나요?": AskedKind.MANNER,
    "Is it open on Sunday?": AskedKind.YESNO,
    "써도 되나요?": AskedKind.YESNO,
    "What is a tide?": AskedKind.DEFINE,
    "조수란": AskedKind.DEFINE,
    "Which boat won the race of 1990?": AskedKind.WHICH,
    "어느 배가 이겼습니까 그때는": AskedKind.WHICH,
    "List the boats.": AskedKind.OTHER,
}
# A text with the sign and one without it.
SIGNED = {
    "number": [("It has 12 berths", "It has berths"), ("배가 세 척, 사람 두 명", "배가 있다")],
    "duration": [("for two weeks", "for two boats"), ("3개월 동안", "동안")],
    "measure": [("a 20 km road", "a 20 kmx road"), ("높이 5미터", "높이")],
    "money": [("it costs $5", "it costs five"), ("5만원", "원"), ("30 euros", "30 boats")],
    "date": [
        ("on 3 May it", "on 3 Mayors it"),
        ("built in 1931", "built in 931"),
        ("2020년", "년"),
    ],
    "often": [("once a week", "a week"), ("매주 한다", "한다")],
    "name": [("met Olga Berg there", "met them there"), ("김민수 팀장", "사람")],
    "role": [("the bursar and the committee", "the bursa"), ("인사팀은 한다", "그는")],
    "place": [("at the Port Vell", "at the port"), ("서울시", "서울")],
    "why": [("because of rain", "rain"), ("비 때문이다", "비")],
    "manner": [("by post", "post"), ("우편으로", "우편")],
    "modal": [("you must ask", "you ask"), ("할 수 없다", "한다")],
    "define": [("A tide is a wave", "A tide rises"), ("조수는 파도이다", "조수는 파도")],
}


@pytest.mark.parametrize("question", ASKED)
def test_a_question_asks_for_something(question: str) -> None:
    assert kind_of(question) is ASKED[question]


@pytest.mark.parametrize("name", SIGNED)
def test_a_sign_is_seen_where_it_stands_and_nowhere_else(name: str) -> None:
    for held, without in SIGNED[name]:
        assert list(signs_in(held, name)), held
        assert not list(signs_in(without, name)), without


def test_every_pattern_has_its_examples() -> None:
    table = kind_table()
    assert set(table.kinds) == set(ASKED.values()) - {AskedKind.OTHER}
    assert set(table.signs) == set(SIGNED)
    assert {sign for signs in FITS.values() for sign in signs} <= set(table.signs)
