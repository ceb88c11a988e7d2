"""The role that makes a follow-up question whole, and the step of the flow where it does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from pydantic import BaseModel, ConfigDict, Field

from weft.agents.model.runner import Task
from weft.agents.roles import Role, RoleSettings
from weft.agents.turn import Move, Turn
from weft.domain.event import EventType
from weft.flows.desk import Desk
from weft.offline.question.followups import rewrite
from weft.offline.question.topics import Said
from weft.platform.policy import apply
from weft.platform.tools import CallContext
from weft.ports.policy import Place
from weft.runtime.budget import Usage
from weft.runtime.context import NodeResult, RunContext

# A model reads no more of the conversation than this; the rules read all of it.
_TURNS = 6
_ANSWER = 1500


class RewrittenQuestion(BaseModel):
    """A question that stands alone, and whether it speaks of the last answer's documents."""

    model_config = ConfigDict(frozen=True)

    question: str = Field(min_length=1, max_length=2000)
    points_to_documents: bool = False


def rewrite_offline(turn: Turn) -> Move:
    """Return the message made whole by rules."""
    given = json.loads(turn.prompt)
    turns = [
        Said(question=one["question"], answer=one["answer"], titles=tuple(one["titles"]))
        for one in given["turns"]
    ]
    found = rewrite(given["message"], turns)
    question = found.question[:2000] or given["message"]
    return Move(output={"question": question, "points_to_documents": found.points})


REWRITER = Role(
    name="rewriter",
    prompt="rewrite",
    output=RewrittenQuestion,
    tools=(),
    rule=rewrite_offline,
    settings=RoleSettings(max_turns=3, max_tokens=8_000, timeout_s=20.0),
)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Where a message becomes a question that needs no conversation."""

    desk: Desk

    async def run(self, ctx: RunContext) -> NodeResult:
        """Make the question whole by the turns before it."""
        message, talk = str(ctx.state["question"]), self.desk.options.talk
        if talk is None or not talk.turns or not message.strip():
            return NodeResult(state_patch={"points": False})
        # What is rewritten holds words of the last turn's documents: this run has read them.
        await self.desk.house.library.tape.add_sources(ctx.scope, ctx.run_id, talk.read)
        found, notes = await self._whole(ctx, message, talk.turns)
        question = found.question.strip()
        verdict = await apply(self.desk.house.policy, ctx.scope, Place.INPUT, text=question)
        patch: dict[str, object] = {
            "question": verdict.text,
            "points": found.points_to_documents and bool(talk.documents),
            "notes": notes,
        }
        if verdict.text != message.strip():
            patch["rewritten"] = verdict.text
        return NodeResult(state_patch=patch)

    async def _whole(
        self, ctx: RunContext, message: str, turns: Sequence[Said]
    ) -> tuple[RewrittenQuestion, tuple[str, ...]]:
        house = self.desk.house
        runner = house.runner
        task = Task(
            prompt=_prompt(message, turns if runner.is_offline else turns[-_TURNS:]),
            call=_call(ctx),
            book=self.desk.book,
            path=ctx.path,
            tape=house.library.tape,
        )
        most = 0 if runner.is_offline else REWRITER.settings.max_tokens
        with ctx.budget.spending(Usage(tokens=most)) as room:
            reply = await runner.run(REWRITER, task)
            room.settle(reply.usage)
        return reply.output, reply.notes


def _prompt(message: str, turns: Sequence[Said]) -> str:
    said = [{**asdict(one), "answer": one.answer[:_ANSWER]} for one in turns]
    return json.dumps({"turns": said, "message": message}, ensure_ascii=False)


def _call(ctx: RunContext) -> CallContext:
    def emit(kind: EventType, data: Mapping[str, object]) -> None:
        ctx.emit(kind, data)

    return CallContext(
        run_id=ctx.run_id,
        scope=ctx.scope,
        knowledge_bases=ctx.kb_refs,
        handlers={},
        emit=emit,
        reserve=lambda: lambda: None,
    )
