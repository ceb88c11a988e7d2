"""What a plan answers in a few words: of two that are compared, whichever way they are written."""

from __future__ import annotations

import pytest

from unit.offline.plans.read_tables import likeliest
from unit.retrieval.tables.made_tables import table_of
from weft.offline.plans.answers.short import is_of_kind_asked

RATES = table_of(
    "rates.csv",
    ["Year", "Sales", "Visitors"],
    [[year, 10 + (year * 7) % 13, 300 - year % 100 * 20] for year in range(2004, 2012)],
)
SHIPS = table_of(
    "ships.csv",
    ["Ship", "Seats"],
    [["Heron", 240], ["Gannet", 12], ["Osprey", 410], ["Petrel", 6]],
)


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("Were the sales higher in 2008 than in 2007?", "no"),
        ("Were the sales higher in 2007 than in 2008?", "yes"),
        ("Were the visitors higher in 2005 than in 2009?", "yes"),
        ("Were the visitors higher in 2009 than in 2005?", "no"),
    ],
)
def test_two_years_are_compared_by_their_figures(question: str, short: str) -> None:
    found = likeliest(question, RATES)
    assert found is not None
    assert found.short == short


@pytest.mark.parametrize(
    ("first", "second", "short"), [("Heron", "Gannet", "yes"), ("Petrel", "Heron", "no")]
)
def test_two_names_are_compared_by_what_they_have(first: str, second: str, short: str) -> None:
    found = likeliest(f"Does {first} have more seats than {second}?", SHIPS)
    assert found is not None
    assert found.short == short


@pytest.mark.parametrize(
    ("question", "short", "may_be"),
    [
        ("Phone number for the golf club?", "W09", False),
        ("Phone number for the golf club?", "087 555 0165", True),
        ("Phone number for the golf club?", "A402", False),
        ("What is the phone number for emergencies?", "999", True),
        ("What is the phone number of the gate?", "ext. 4471", True),
        ("Which cell number has sample 12?", "W09", True),
        ("What's her mobile number?", "ask Ann", False),
        ("Which fax number is 555 0115?", "Ann Oak", True),  # who has it is asked
        ("What is Ann's e-mail address?", "Oss 4", False),
        ("What is Ann's email address?", "ann@mill.example", True),
        ("What is Ann's number?", "W09", True),
        ("안나의 전화번호는?", "W09", False),
        ("안나의 전화번호는?", "010-5550-1401", True),
        ("동방식품 담당자 이메일은?", "최지은", False),
        ("동방식품 담당자 이메일은?", "ji@east.example", True),
    ],
)
def test_what_is_no_telephone_number_or_mail_address_is_none(
    question: str, short: str, may_be: bool
) -> None:
    assert is_of_kind_asked(question, short) is may_be


DEALS = table_of(
    "계약.csv",
    ["거래처", "담당", "계약금액", "보증금(만원)", "수량(대)"],
    [
        ["한울상사", "김민수", "3억 5,000만원", "1,200", "12"],
        ["동방식품", "최지은", "2억원", "800", "24"],
        ["세종테크", "이영희", "8,500만 원", "450", "3"],
        ["미래산업", "김민수", "4천5백만원", "200", "7"],
    ],
)


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("계약금액이 가장 큰 거래처는?", "한울상사"),
        ("계약금액 합계는 얼마인가요?", "68,000만원"),
        ("보증금 합계는 얼마인가요?", "2,650만원"),
        ("세종테크의 보증금은 얼마인가요?", "450만원"),
        ("계약금액이 1억원 이상인 거래처는 몇 곳인가요?", "2"),
        ("담당별 보증금 합계는?", "김민수: 1,400만원, 최지은: 800만원, 이영희: 450만원"),
    ],
)
def test_amounts_in_korean_are_told_with_their_size(question: str, short: str) -> None:
    found = likeliest(question, DEALS)
    assert found is not None
    assert found.short == short


STAFF = table_of(
    "직원명부.csv",
    ["사번", "이름", "부서", "연봉"],
    [
        ["1001", "김민수", "영업1팀", "62,000,000원"],
        ["1002", "이영희", "영업2팀", "48,500,000원"],
        ["1004", "김민수", "개발팀", "75,000,000원"],
        ["1003", "박철수", "영업1팀", "36,000,000원"],
    ],
)
ORDERS = table_of(
    "주문내역.csv",
    ["주문번호", "주문일", "상품", "수량", "상태"],
    [
        ["A-1", "2024년 8월 3일", "커버", "120개", "배송완료"],
        ["A-2", "2024년 9월 2일", "하우징", "80개", "취소"],
        ["A-3", "2024년 9월 27일", "하우징", "40개", "배송완료"],
        ["A-4", "2024년 10월 1일", "하우징", "200개", "배송중"],
        ["A-5", "2024년 11월 5일", "커버", "30개", "배송완료"],
    ],
)


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("영업1팀 김민수 연봉은?", "62,000,000원"),
        ("박철수의 연봉은 얼마인가요?", "36,000,000원"),
        ("김민수의 연봉은 얼마인가요?", "62,000,000원, 75,000,000원"),
        ("영업1팀 직원 수는?", "2"),
        ("평균연봉은 얼마인가요?", "55,375,000원"),
        ("이영희 연봉을 알 수 있을까요?", "48,500,000원"),
    ],
)
def test_a_name_that_ends_as_a_count_does_is_a_name(question: str, short: str) -> None:
    found = likeliest(question, STAFF)
    assert found is not None
    assert found.short == short


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("취소된 주문은 몇 건인가요?", "1"),
        ("배송완료된 주문 수량 합계는?", "190개"),
        ("9월 이후 하우징 주문 수량 합계는?", "320개"),
        ("8~9월 주문 수량 합계는?", "240개"),
        ("8월부터 9월까지 주문 수량 합계는?", "240개"),
        ("10월 이전 주문은 몇 건인가요?", "3"),
    ],
)
def test_months_and_states_in_korean_are_conditions(question: str, short: str) -> None:
    found = likeliest(question, ORDERS)
    assert found is not None
    assert found.short == short


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("마케팅팀 평균 연봉은 얼마인가요?", None),
        ("마케팅팀 직원은 몇 명인가요?", None),
        ("개발팀 평균 연봉은 얼마인가요?", "75,000,000원"),
        (
            "각 팀의 평균 연봉은?",
            "개발팀: 75,000,000원, 영업1팀: 49,000,000원, 영업2팀: 48,500,000원",
        ),
        ("전체 평균 연봉은 얼마인가요?", "55,375,000원"),
    ],
)
def test_nothing_is_told_of_a_team_that_is_not_there(question: str, short: str | None) -> None:
    found = likeliest(question, STAFF)
    assert (found and found.short) == short


def test_a_word_that_only_ends_as_names_do_is_none_of_them() -> None:
    ranks = table_of(
        "명부.csv",
        ["이름", "직급", "연봉"],
        [["가람", "과장", "62만원"], ["나래", "차장", "75만원"], ["다온", "부장", "92만원"]],
    )
    found = likeliest("연봉이 가장 높은 사람은 누구인가요?", ranks)
    assert found is not None
    assert found.short == "다온"
