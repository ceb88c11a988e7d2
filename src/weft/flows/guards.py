"""The nodes at both ends of every flow: what may come in, and what may go out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from weft.domain.answer import (
    Answer,
    AnswerSentence,
    AnswerTable,
    Citation,
    Meaning,
    composed,
)
from weft.domain.event import EventType
from weft.domain.frozen import dataclass
from weft.domain.notes import note
from weft.language.legible import legible
from weft.offline.refusals import withheld_text
from weft.platform.policy import apply, violation_data
from weft.ports.policy import Action, Place, Policy
from weft.runtime.context import NodeResult, RunContext

GUARD_INPUT = "guard_input"
GUARD_OUTPUT = "guard_output"
GUARD_LABELS = {GUARD_INPUT: "Reading the question", GUARD_OUTPUT: "Checking what leaves"}


class _Withheld(Exception):
    """A safe completion is due for a text of the answer."""


@dataclass(frozen=True, slots=True)
class GuardInput:
    """Where the question comes in: the field `question` of the state."""

    policy: Policy

    async def run(self, ctx: RunContext) -> NodeResult:
        """Let the question pass as far as the policy does."""
        asked = legible(str(ctx.state["question"]))
        text = await _passed(self.policy, ctx, Place.INPUT, asked)
        return NodeResult(state_patch={"question": text})


@dataclass(frozen=True, slots=True)
class GuardOutput:
    """Where the answer goes out: the field `answer` of the state."""

    policy: Policy

    async def run(self, ctx: RunContext) -> NodeResult:
        """Let every text of the answer, quoted ones too, pass as far as the policy does.

        One text for which a safe completion is due has it take the place of the whole answer.
        """
        answer = cast("Answer", ctx.state["answer"])
        try:
            passed = await self._checked(ctx, answer)
        except _Withheld:
            passed = _safe(answer, asked=str(ctx.state.get("question", "")))
        return NodeResult(state_patch={"answer": passed}, answer=passed)

    async def _checked(self, ctx: RunContext, answer: Answer) -> Answer:
        sentences = tuple([await self._sentence(ctx, one) for one in answer.sentences])
        short = await self._text(ctx, answer.short)
        return replace(
            answer,
            sentences=sentences,
            short=short,
            missing=tuple([await self._text(ctx, one) for one in answer.missing]),
            rewritten_question=await self._text(ctx, answer.rewritten_question),
            answer=composed(sentences, short=short)
            if sentences
            else await self._text(ctx, answer.answer),
            nearest=await self._citations(ctx, answer.nearest),
            more=await self._citations(ctx, answer.more),
            table=await self._table(ctx, answer.table),
            meanings=await self._meanings(ctx, answer.meanings),
        )

    async def _table(self, ctx: RunContext, table: AnswerTable | None) -> AnswerTable | None:
        """Return rows that answer if the policy lets all of them pass as they are, else none."""
        if table is None:
            return None
        texts = [table.plan, *(one.name for one in table.columns), *map(" | ".join, table.rows)]
        whole = "\n".join(texts)
        return table if await self._text(ctx, whole) == whole else None

    async def _meanings(self, ctx: RunContext, meanings: Sequence[Meaning]) -> tuple[Meaning, ...]:
        """Return those that the policy lets pass as they are."""
        passed = [one for one in meanings if await self._text(ctx, one.text) == one.text]
        return tuple(passed)

    async def _sentence(self, ctx: RunContext, sentence: AnswerSentence) -> AnswerSentence:
        citations = await self._citations(ctx, sentence.citations)
        text = await self._text(ctx, sentence.text)
        return replace(sentence, text=text, citations=citations)

    async def _citations(
        self, ctx: RunContext, citations: Sequence[Citation]
    ) -> tuple[Citation, ...]:
        passed = [replace(one, snippet=await self._text(ctx, one.snippet)) for one in citations]
        return tuple(passed)

    async def _text(self, ctx: RunContext, text: str) -> str:
        return await _passed(self.policy, ctx, Place.OUTPUT, text) if text else ""


async def _passed(policy: Policy, ctx: RunContext, place: Place, text: str) -> str:
    verdict = await apply(policy, ctx.scope, place, text=text)
    for violation in verdict.violations:
        ctx.emit(EventType.POLICY_VIOLATION, violation_data(place, violation))
    if verdict.action is Action.SAFE_COMPLETION:
        raise _Withheld
    return verdict.text


def _safe(answer: Answer, *, asked: str) -> Answer:
    """Return the completion that takes an answer's place: nothing that was found is in it."""
    return Answer(
        answer=withheld_text(asked),
        sentences=(),
        refused=True,
        missing=(),
        offline=answer.offline,
        run_id=answer.run_id,
        notes=(note("withheld"),),
    )
