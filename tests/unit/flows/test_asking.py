"""A question and a budget as callers name them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.agents.rewriting import PastTurn
from weft.domain.errors import BadInput
from weft.flows.asking import (
    LONGEST_QUESTION,
    Asking,
    Talk,
    checked_question,
    limits_data,
    limits_of,
)
from weft.runtime.amounts import Limits

counts = st.none() | st.integers(0, 10**12)


@given(
    tokens=counts,
    calls=counts,
    money=st.none() | st.decimals(0, 1000, places=6),
    time=st.none() | st.floats(0, 1e6),
)
def test_what_is_named_comes_back(
    tokens: int | None, calls: int | None, money: Decimal | None, time: float | None
) -> None:
    named = {"tokens": tokens, "tool_calls": calls, "money": money, "time": time}
    limits = limits_of(named)
    assert limits == Limits(tokens=tokens, tool_calls=calls, money=money, wall_s=time)
    assert limits_of(limits_data(limits)) == limits


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ({"gold": 1}, "no 'gold'"),
        ({"tokens": "many"}, "no number"),
        ({"tokens": ""}, "no number"),
        ({"tokens": 1.5}, "no whole number"),
        ({"tokens": -1}, "no amount"),
        ({"tokens": True}, "no number"),
        ({"tokens": "Infinity"}, "no amount"),
        ({"money": "NaN"}, "no amount"),
        ({"money": "sNaN"}, "no amount"),
        ({"time": "1e999"}, "no amount"),
        ({"tool_calls": "9" * 400}, "no amount"),
    ],
)
def test_what_is_no_budget_is_named(budget: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        limits_of(budget)


def test_a_question_is_given_back_without_the_space_around_it() -> None:
    longest = "가" * LONGEST_QUESTION
    assert checked_question(f"  {longest}\n") == longest


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_one_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="empty"):
        checked_question(text)


def test_one_that_is_too_long_is_refused_by_limit_and_length() -> None:
    with pytest.raises(BadInput, match=r"at most 2,000 characters; this one has 2,001\.") as told:
        checked_question("a" * 2001)
    assert told.value.fields == {"limit": 2000, "length": 2001}
    with pytest.raises(BadInput, match="2,001"):  # whatever face a run is begun from
        Asking(question="a" * 2001, knowledge_bases=())


def test_what_others_said_is_not_what_the_person_wrote() -> None:
    turn = PastTurn(question="Who leads Apollo?", answer="Ada leads it.", titles=("Apollo",))
    asking = Asking(
        question="And since when?",
        knowledge_bases=("docs",),
        talk=Talk(turns=(turn,)),
        about="Nightingale is its other name.",
    )
    assert asking.written == ("And since when?", "Who leads Apollo?")
