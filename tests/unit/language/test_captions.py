"""Captions over tables: the one unit that they say, and whose figures are in it."""

from __future__ import annotations

import pytest

from weft.language.captions import captioned_unit, in_unit


@pytest.mark.parametrize(
    ("texts", "unit"),
    [
        (["2024년 실적", "(단위: 백만원)"], "백만원"),
        (["[단위 : 천원]"], "천원"),
        (["단위：명"], "명"),
        (["(단위: 백만 원)"], "백만 원"),
        (["(単位：千円)"], "千円"),
        (["(단위: 천원, %)"], ""),
        (["(단위: 천원)", "(단위: 명)"], ""),
        (["조직 단위 현황"], ""),
        ([], ""),
    ],
)
def test_a_caption_says_one_unit_or_none(texts: list[str], unit: str) -> None:
    assert captioned_unit(texts) == unit


def test_figures_alone_are_in_the_unit_and_no_counts_numbers_or_years() -> None:
    columns = {
        "지역": ["서울", "부산"],
        "매출": ["1,200", "△30"],
        "원가": ["-", "7.5"],
        "직원 수": ["3", "4"],
        "순위": ["1", "2"],
        "비중(%)": ["60", "40"],
        "성장": ["3%", "4%"],
        "제11기(2024년)": ["5", "6"],
        "개설": ["2019", "2020"],
        "": ["1", "2"],
    }
    assert in_unit("천원", [*columns], columns=[*columns.values()]) == [
        "지역",
        "매출 (천원)",
        "원가 (천원)",
        "직원 수",
        "순위",
        "비중(%)",
        "성장",
        "제11기(2024년) (천원)",
        "개설",
        "",
    ]
    assert in_unit("", ["매출"], columns=[["1"]]) == ["매출"]
