"""The gate through which requests of models go: side by side, or one alone."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patience import SOON
from unit.runtime.flow_world import Clock
from weft.domain.errors import BudgetExceeded
from weft.runtime.amounts import Limits, Usage
from weft.runtime.budget import Budget

# What a request costs, how much more was expected, and for how long it is under way.
REQUEST = st.tuples(st.integers(0, 60), st.integers(0, 40), st.integers(0, 5))
BRANCH = st.lists(REQUEST, max_size=8)


class Runs:
    """Branches of one run that send requests, and the most that were under way at once."""

    def __init__(self, **limits: object) -> None:
        self.whole = Budget(Limits(**limits), Clock())  # type: ignore[arg-type]
        self.under_way = self.most = 0

    async def request(self, branch: Budget, cost: int, more: int, waits: int) -> None:
        with branch.spending(Usage(tokens=1)) as room:
            expected = Usage(tokens=cost + more, money=Decimal(cost + more))
            async with room.calling(expected):
                self.under_way += 1
                self.most = max(self.most, self.under_way)
                try:
                    for _ in range(waits):
                        await asyncio.sleep(0)
                finally:
                    self.under_way -= 1
                room.book(Usage(tokens=cost, money=Decimal(cost)))

    async def branch(self, requests: list[tuple[int, int, int]]) -> None:
        own = self.whole.child()
        for one in requests:
            try:
                await self.request(own, *one)
            except BudgetExceeded:
                return


@given(st.lists(BRANCH, min_size=1, max_size=5), st.integers(0, 200), st.booleans())
def test_branches_side_by_side_pass_a_limit_by_one_request_at_most(
    branches: list[list[tuple[int, int, int]]], limit: int, in_money: bool
) -> None:
    async def run() -> Runs:
        runs = Runs(money=Decimal(limit)) if in_money else Runs(tokens=limit)
        await asyncio.gather(*map(runs.branch, branches))
        return runs

    runs = asyncio.run(run())
    dearest = max((cost for one in branches for cost, _, _ in one), default=0)
    assert runs.whole.spent.tokens <= limit + dearest  # as much in money
    assert runs.under_way == 0


async def test_what_fits_goes_side_by_side() -> None:
    runs = Runs(tokens=1000)
    await asyncio.gather(*(runs.branch([(10, 90, 3)]) for _ in range(5)))
    assert (runs.most, runs.whole.spent.tokens) == (5, 50)


async def test_what_might_not_fit_goes_alone() -> None:
    runs = Runs(tokens=1000)
    await asyncio.gather(*(runs.branch([(10, 990, 3)]) for _ in range(5)))
    assert (runs.most, runs.whole.spent.tokens) == (1, 50)


async def test_without_a_limit_nobody_waits() -> None:
    runs = Runs()
    await asyncio.gather(*(runs.branch([(10, 10**9, 3)]) for _ in range(5)))
    assert runs.most == 5


async def test_a_request_that_is_cancelled_leaves_the_gate_open() -> None:
    runs = Runs(tokens=100)
    first, second, third = (
        asyncio.create_task(runs.branch([(10, 990, waits)])) for waits in (10**9, 10**9, 0)
    )
    await asyncio.sleep(0)
    second.cancel()  # it waits
    await asyncio.sleep(0)
    assert (runs.under_way, third.done()) == (1, False)
    first.cancel()  # it is under way
    await asyncio.wait_for(third, SOON)
    assert (runs.under_way, runs.whole.spent.tokens) == (0, 10)


async def test_the_last_request_is_not_refused() -> None:
    runs = Runs(tokens=5)
    runs.whole.charge(Usage(tokens=20))
    runs.whole.allow_last_call()
    await runs.request(runs.whole.child(), 10, 0, 0)
    assert runs.whole.spent.tokens == 30
    with pytest.raises(BudgetExceeded):
        await runs.request(runs.whole.child(), 10, 0, 0)


def test_a_search_is_not_refused_since_the_models_money_is_used_up() -> None:
    whole = Budget(Limits(money=Decimal(1), tool_calls=1), Clock())
    whole.charge(Usage(money=Decimal(2)))
    whole.child().reserve(Usage(tool_calls=1)).settle(Usage(tool_calls=1))
    with pytest.raises(BudgetExceeded, match="tool_calls"):
        whole.child().reserve(Usage(tool_calls=1))
    with pytest.raises(BudgetExceeded, match="money"):
        whole.child().reserve(Usage(tokens=1))
