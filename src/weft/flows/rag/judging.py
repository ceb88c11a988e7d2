"""The judge that a configured model can be: does a passage entail a sentence?

A model may be wrong and a passage may tell it what to say. So it is asked of nothing but wording,
after every gate has passed (`verification/support.py`), and what it was not asked it cannot allow.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from weft.agents.model.runner import Task
from weft.agents.roles import Role, RoleSettings
from weft.agents.turn import Move, Turn
from weft.domain.errors import PolicyViolation
from weft.domain.event import EventType
from weft.domain.notes import note
from weft.flows.desk import Desk
from weft.platform.policy import apply, violation_data
from weft.platform.tools import CallContext
from weft.ports.policy import Place
from weft.runtime.budget import Usage
from weft.runtime.context import RunContext


class Judgement(BaseModel):
    """How surely whoever believes the passage believes the sentence, 0 to 1."""

    model_config = ConfigDict(frozen=True)

    probability: float = Field(ge=0.0, le=1.0)


def judge_offline(turn: Turn) -> Move:
    """Return the judgement that allows nothing: without a model the gates have the last word."""
    del turn
    return Move(output={"probability": 0.0})


JUDGE = Role(
    name="judge",
    prompt="judge",
    output=Judgement,
    tools=(),
    rule=judge_offline,
    settings=RoleSettings(timeout_s=20.0, max_turns=2, max_tokens=4_000, retries=1),
)


class RunJudge:
    """A `Judge` for the sentences of one run, within its budget; `notes` says what went wrong."""

    def __init__(self, desk: Desk, ctx: RunContext) -> None:
        """Take the question's desk and the run that is spent from."""
        self._desk = desk
        self._ctx = ctx
        self._asked = 0
        self.notes: list[str] = []

    async def entails(self, premise: str, sentence: str) -> float:
        """Return the model's probability, 0 to 1; 0 when it fails or may not be asked."""
        most = JUDGE.settings.max_tokens
        left = self._ctx.budget.remaining().tokens
        if left is not None and left < most:
            return 0.0
        try:
            prompt = json.dumps(
                {"passage": await self._passed(premise), "sentence": sentence}, ensure_ascii=False
            )
        except PolicyViolation:
            return 0.0
        with self._ctx.budget.spending(Usage(tokens=most)) as room:
            reply = await self._desk.house.runner.run(JUDGE, self._task(prompt))
            room.settle(reply.usage)
        if reply.offline:
            self.notes.append(note("not_judged"))
        return reply.output.probability

    async def _passed(self, premise: str) -> str:
        """Return of the stored text what the policy lets a model see."""
        policy = self._desk.house.policy
        verdict = await apply(policy, self._ctx.scope, Place.RETRIEVED, text=premise)
        for violation in verdict.violations:
            data = violation_data(Place.RETRIEVED, violation)
            self._ctx.emit(EventType.POLICY_VIOLATION, data)
        return verdict.text

    def _task(self, prompt: str) -> Task:
        self._asked += 1
        ctx = self._ctx

        def emit(kind: EventType, data: Mapping[str, object]) -> None:
            ctx.emit(kind, data)

        call = CallContext(
            run_id=ctx.run_id,
            scope=ctx.scope,
            knowledge_bases=ctx.kb_refs,
            handlers={},
            emit=emit,
            reserve=lambda: lambda: None,
            memory=self._desk.memory,
        )
        return Task(
            prompt=prompt,
            call=call,
            book=self._desk.book,
            path=f"{ctx.path}/judge/{self._asked}",
            tape=self._desk.house.library.tape,
        )


def judge_of(desk: Desk, ctx: RunContext) -> RunJudge | None:
    """Return the judge of a run that a model has answered; None where the offline rules did."""
    offline = desk.house.runner.is_offline or bool(ctx.state.get("offline", True))
    return None if offline else RunJudge(desk, ctx)
