from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.runtime.flow_world import Clock
from weft.domain.errors import BudgetExceeded
from weft.runtime.amounts import Limits, Usage, usage_data
from weft.runtime.budget import Budget

CALL = st.tuples(st.integers(0, 60), st.integers(0, 60))


def tokens(count: int) -> Usage:
    return Usage(tokens=count)


def budget(**limits: object) -> Budget:
    return Budget(Limits(**limits), Clock())  # type: ignore[arg-type]  # each test knows its limits


def test_what_does_not_fit_is_refused_and_stays_refused() -> None:
    account = budget(tokens=100)
    held = account.reserve(tokens(60))
    with pytest.raises(BudgetExceeded) as error:
        account.reserve(tokens(41))
    assert error.value.fields == {"dimension": "tokens", "limit": "100", "spent": "0"}
    held.settle(tokens(10))
    held.settle(tokens(10))
    assert account.spent == tokens(10)
    with pytest.raises(BudgetExceeded):
        account.check()


def test_room_that_was_not_used_comes_back() -> None:
    account = budget(tokens=100)
    with account.spending(tokens(100)):
        assert account.remaining().tokens == 0
    assert account.remaining().tokens == 100
    with account.spending(tokens(100)) as held:
        held.settle(tokens(30))
    assert account.remaining().tokens == 70
    account.check()


def test_each_dimension_has_its_own_limit() -> None:
    for name, limit, usage in (
        ("money", Decimal("0.01"), Usage(money=Decimal("0.01"))),
        ("iterations", 1, Usage(iterations=1)),
        ("tool_calls", 1, Usage(tool_calls=1)),
    ):
        account = budget(**{name: limit})
        account.reserve(usage).settle(usage)
        account.check()
        account.reserve(tokens(1000)).settle(tokens(1000))
        with pytest.raises(BudgetExceeded) as error:
            account.reserve(usage)
        assert error.value.fields["dimension"] == name


def test_wall_time_runs_on_by_itself() -> None:
    clock = Clock()
    account = Budget(Limits(wall_s=10), clock, elapsed_s=4)
    clock.seconds = 5.9
    account.check()
    assert account.remaining().wall_s == pytest.approx(0.1)
    clock.seconds = 6
    with pytest.raises(BudgetExceeded) as error:
        account.check()
    assert error.value.fields["dimension"] == "wall_s"


def test_a_child_draws_on_its_parent() -> None:
    parent = budget(tokens=100)
    first, second = parent.child(Limits(tokens=80)), parent.child(Limits(tokens=80))
    first.reserve(tokens(70)).settle(tokens(70))
    assert parent.spent == tokens(70)
    with pytest.raises(BudgetExceeded) as error:
        second.reserve(tokens(40))
    assert error.value.fields["limit"] == "100"
    assert second.spent == Usage()
    assert (first.remaining().tokens, second.remaining().tokens) == (10, 30)
    assert parent.child().remaining() == Limits(tokens=30)
    with pytest.raises(BudgetExceeded):
        first.check()


def test_a_childs_own_limit_leaves_the_parent_alone() -> None:
    parent = budget(tokens=100)
    child = parent.child(Limits(tokens=10))
    with pytest.raises(BudgetExceeded):
        child.reserve(tokens(11))
    parent.check()
    child.charge(tokens(7))
    assert parent.spent == child.spent == tokens(7)


def test_one_last_call_may_pass_the_limit() -> None:
    account = budget(tokens=100)
    account.charge(tokens(100))
    with pytest.raises(BudgetExceeded):
        account.reserve(tokens(50))
    account.allow_last_call()
    account.reserve(tokens(50)).settle(tokens(50))
    account.allow_last_call()
    with pytest.raises(BudgetExceeded):
        account.reserve(tokens(50))
    assert account.spent == tokens(150)


@given(st.lists(CALL, max_size=30), st.integers(0, 200))
def test_calls_one_by_one_pass_a_limit_by_one_call_at_most(
    calls: list[tuple[int, int]], limit: int
) -> None:
    account = budget(tokens=limit)
    last = 0
    for estimate, actual in calls:
        try:
            held = account.reserve(tokens(estimate))
        except BudgetExceeded:
            continue
        held.settle(tokens(actual))
        last = max(last, actual)
    assert account.spent.tokens <= limit + last


@given(st.lists(CALL, max_size=30), st.integers(0, 200))
def test_honest_calls_at_the_same_time_pass_no_limit(
    calls: list[tuple[int, int]], limit: int
) -> None:
    parent = budget(tokens=limit)
    child = parent.child(Limits(tokens=limit // 2))
    held = []
    for number, (one, other) in enumerate(calls):
        try:
            room = (child if number % 2 else parent).reserve(tokens(max(one, other)))
        except BudgetExceeded:
            continue
        held.append((room, tokens(min(one, other))))
    for room, actual in held:
        room.settle(actual)
    assert parent.spent.tokens <= limit
    assert child.spent.tokens <= limit // 2


def test_usage_is_told_without_what_is_zero() -> None:
    assert usage_data(Usage(tokens=3, money=Decimal("0.10"))) == {"tokens": 3, "money": "0.10"}
    assert usage_data(Usage()) == {}


def test_what_is_granted_goes_no_further_than_the_most() -> None:
    budget = Budget(Limits(tokens=10, tool_calls=2), Clock())
    budget.grant(Limits(tokens=100, tool_calls=1), most=Limits(tokens=50))
    assert (budget.limits.tokens, budget.limits.tool_calls) == (50, 3)
