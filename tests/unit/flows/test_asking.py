"""A budget as callers name it."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.errors import BadInput
from weft.flows.asking import limits_data, limits_of
from weft.runtime.budget import Limits

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
