from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import cast

import pytest

from rag_world import CountingPolicy, StillClock, make_world
from weft.agents.judging import JUDGE
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.judging import RunJudge, judge_of
from weft.flows.services import Services
from weft.flows.toolkits import GivenBases
from weft.platform.identity import local_owner
from weft.ports.policy import Action, Place, Verdict, Violation
from weft.runtime.amounts import Limits
from weft.runtime.budget import Budget
from weft.runtime.context import RunContext

pytestmark = pytest.mark.anyio


class Closed(CountingPolicy):
    async def check(self, scope: Scope, place: Place, text: str) -> Verdict:
        await super().check(scope, place, text)
        broken = Violation(rule="test", action=Action.BLOCK, excerpt="…")
        return Verdict(text="", action=Action.BLOCK, violations=(broken,))


def context(limits: Limits, *, offline: bool = False) -> RunContext:
    budget = Budget(limits, StillClock())
    seen = SimpleNamespace(
        budget=budget,
        scope=local_owner(),
        run_id="r1",
        kb_refs=("docs",),
        path="verify",
        state={"offline": offline},
        emit=lambda *args, **named: None,
    )
    return cast(RunContext, seen)


@asynccontextmanager
async def services(policy: CountingPolicy | None = None) -> AsyncIterator[Services]:
    """Give the services of a process in which the run of `context` goes on."""
    made = make_world(policy=policy).flows.services
    bases = GivenBases(names=("docs",))
    async with made.toolkits.opened(local_owner(), RunId("r1"), bases=bases):
        yield made


async def test_without_a_model_there_is_no_judge() -> None:
    async with services() as made:
        assert judge_of(made, context(Limits()), offline=False) is None
        assert judge_of(made, context(Limits()), offline=True) is None


async def test_the_offline_rule_allows_nothing() -> None:
    ctx = context(Limits())
    async with services() as made:
        judge = RunJudge(made, ctx)
        assert await judge.entails("The bridge is old.", "The bridge is old.") == 0.0
    assert judge.notes
    assert ctx.budget.spent.tokens == 0


async def test_a_short_budget_leaves_the_judge_out_and_is_not_overdrawn() -> None:
    ctx = context(Limits(tokens=JUDGE.settings.max_tokens - 1))
    async with services() as made:
        judge = RunJudge(made, ctx)
        assert await judge.entails("The bridge is old.", "The bridge is aged.") == 0.0
    assert judge.notes == []
    ctx.budget.check()


async def test_the_judge_reads_only_what_the_policy_lets_a_model_read() -> None:
    policy = Closed()
    async with services(policy) as made:
        judge = RunJudge(made, context(Limits()))
        assert await judge.entails("The code is 4711.", "The code is 4711.") == 0.0
    assert policy.seen[Place.RETRIEVED] == 1
    assert judge.notes == []
