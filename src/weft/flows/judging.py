"""The judge that a configured model can be: does a passage entail a sentence?

A model may be wrong and a passage may tell it what to say. So it is asked of nothing but wording,
after every gate has passed (`verification/support.py`), and what it was not asked it cannot allow.
"""

from __future__ import annotations

from weft.agents.judging import JUDGE, Entailment
from weft.domain.errors import PolicyViolation
from weft.domain.event import EventType
from weft.domain.notes import note
from weft.flows.roles import Work
from weft.flows.services import Services
from weft.offline.judge import judge_offline
from weft.platform.policy import apply, violation_data
from weft.ports.policy import Place
from weft.runtime.context import RunContext


class RunJudge:
    """A `Judge` for the sentences of one run, within its budget; `notes` says what went wrong."""

    def __init__(self, services: Services, ctx: RunContext) -> None:
        """Take the services, and the run that is spent from."""
        self._services = services
        self._ctx = ctx
        self._tools = services.toolkits.of(ctx).tools(ctx, question="")
        self._asked = 0
        self.notes: list[str] = []

    async def entails(self, premise: str, sentence: str) -> float:
        """Return the model's probability, 0 to 1; 0 when it fails or may not be asked."""
        ctx = self._ctx
        left = ctx.budget.remaining().tokens
        if left is not None and left < JUDGE.settings.max_tokens:
            return 0.0
        try:
            passage = await self._passed(premise)
        except PolicyViolation:
            return 0.0
        self._asked += 1
        reply = await self._services.filler.fill(
            JUDGE,
            judge_offline,
            given=Entailment(passage=passage, sentence=sentence),
            work=Work(budget=ctx.budget, tools=self._tools.below(f"judge/{self._asked}")),
        )
        if reply.offline:
            self.notes.append(note("not_judged"))
        return reply.output.probability

    async def _passed(self, premise: str) -> str:
        """Return of the stored text what the policy lets a model see."""
        ctx = self._ctx
        verdict = await apply(self._services.policy, ctx.scope, Place.RETRIEVED, text=premise)
        for violation in verdict.violations:
            ctx.emit(EventType.POLICY_VIOLATION, violation_data(Place.RETRIEVED, violation))
        return verdict.text


def judge_of(services: Services, ctx: RunContext, *, offline: bool) -> RunJudge | None:
    """Return the judge of a run that a model has answered; None where the offline rules did."""
    return None if services.filler.is_offline or offline else RunJudge(services, ctx)
