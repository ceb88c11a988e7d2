from __future__ import annotations

import pytest

from weft.offline.specialists import without_where


@pytest.mark.parametrize(
    ("asked", "rest"),
    [
        ("search the web for the weather in Busan today", "the weather in Busan today"),
        ("Please look online for reviews of the X100", "reviews of the X100"),
        ("What does a Fendt tractor cost on the web?", "What does a Fendt tractor cost?"),
        ("인터넷에서 부산 날씨를 찾아줘", "부산 날씨"),
        ("Who runs the web server?", "Who runs the web server?"),
        ("Is the web team online on Mondays?", "Is the web team online on Mondays?"),
        ("Which of our shops are online?", "Which of our shops are online?"),
        ("인터넷에서 파는 물건은 뭐야?", "인터넷에서 파는 물건은 뭐야?"),
        ("웹 서버 담당자가 누구야?", "웹 서버 담당자가 누구야?"),
        ("search the web for", "search the web for"),
    ],
)
def test_what_says_only_where_to_look_is_no_part_of_the_question(asked: str, rest: str) -> None:
    assert without_where(asked) == rest
