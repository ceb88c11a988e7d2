"""What somebody typed, in a shape that rules can read."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from weft.language.legible import LONGEST_TOKEN, legible
from weft.language.terms import identifiers


def test_what_people_write_stays_as_it_is() -> None:
    for text in (
        "Who founded Apollo?",
        "아폴로를 설립한 사람은 누구인가요?",
        "See https://docs.example/a/b_c-d.html#x1 ...\n\n  - and `FOG-12`",
        "x" * LONGEST_TOKEN,
        "-" * 16,
    ):
        assert legible(text) == text


@given(st.text(alphabet="a-. _\n(가", max_size=3000))
def test_no_token_gap_or_row_of_one_sign_is_endless(text: str) -> None:
    read = legible(text)
    assert max(map(len, read.split()), default=0) <= LONGEST_TOKEN
    assert " " * 9 not in read
    assert "-" * 17 not in read
    assert [char for char in read if char.isalnum()] == [char for char in text if char.isalnum()]


def test_endless_tokens_are_read_in_a_time_that_grows_with_them() -> None:
    began = time.process_time()
    for unit in ("-", "a-", "a.", "_", "a@", "A1"):
        identifiers(unit * 10_000)
    assert time.process_time() - began < 2.0
    assert identifiers("see src/weft_x.py and FOG-12") == ["src/weft_x.py", "fog-12"]
