"""The steps of the `rag` flow, one small node each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from weft.agents.model.runner import Task
from weft.agents.roles import ANSWERER
from weft.agents.tools.knowledge import KnowledgeTools, Reader
from weft.domain.answer import Answer, AnswerSentence
from weft.domain.display import on_one_line
from weft.domain.event import EventType
from weft.domain.notes import note
from weft.flows.desk import Desk
from weft.flows.rag.judging import judge_of
from weft.offline.answerer import asks_for_references
from weft.offline.refusal.reasons import refusal_text
from weft.platform.policy import apply, violation_data
from weft.platform.tools import CallContext, Settle
from weft.ports.policy import Place
from weft.runtime.budget import Budget, Usage
from weft.runtime.context import Node, NodeResult, RunContext
from weft.verification.citations import Draft, verify

STEPS = ("guard_input", "think", "verify", "guard_output", "finish")
_ONE_CALL = Usage(tool_calls=1)


def nodes(desk: Desk) -> Mapping[str, Node]:
    """Return the flow's nodes for one question, by what the flow calls them."""
    made: tuple[Node, ...] = (
        GuardInput(desk),
        Think(desk),
        Verify(desk),
        GuardOutput(desk),
        Finish(desk),
    )
    return dict(zip(STEPS, made, strict=True))


@dataclass(frozen=True, slots=True)
class GuardInput:
    """Where the question comes in."""

    desk: Desk

    async def run(self, ctx: RunContext) -> NodeResult:
        """Let the question pass as far as the policy does."""
        verdict = await apply(
            self.desk.house.policy, ctx.scope, Place.INPUT, text=str(ctx.state["question"])
        )
        for violation in verdict.violations:
            ctx.emit(EventType.POLICY_VIOLATION, violation_data(Place.INPUT, violation))
        return NodeResult(state_patch={"question": verdict.text})


@dataclass(frozen=True, slots=True)
class Think:
    """Where evidence is found and sentences are drafted."""

    desk: Desk

    async def run(self, ctx: RunContext) -> NodeResult:
        """Have the answering role find evidence and draft sentences."""
        question = str(ctx.state["question"])
        runner, most = self.desk.house.runner, ANSWERER.settings.max_tokens
        call, prompt = await self._prepared(ctx, question)
        tape = self.desk.house.library.tape
        task = Task(prompt=prompt, call=call, book=self.desk.book, path=ctx.path, tape=tape)
        with ctx.budget.spending(Usage(tokens=0 if runner.is_offline else most)) as room:
            reply = await runner.run(ANSWERER, task)
            room.settle(reply.usage)
        draft = reply.output
        return NodeResult(
            state_patch={
                "drafts": tuple((s.text, tuple(s.evidence_ids)) for s in draft.sentences),
                "missing": tuple(draft.missing),
                "offline": reply.offline,
                # Only the rules' own: what a model states in short is bound to no citation.
                "short": draft.short if reply.offline else "",
                "reason": draft.reason if reply.offline else "",
                "notes": (
                    *_noted(ctx),
                    *reply.notes,
                    *self.desk.book.notes,
                    *(draft.notes if reply.offline else ()),
                ),
            },
            evidence=tuple(hit.evidence for _, hit in self.desk.book.entries()),
        )

    async def _prepared(self, ctx: RunContext, question: str) -> tuple[CallContext, str]:
        """Return what tools are called with, and the prompt; documents pointed at are looked up."""

        def emit(kind: EventType, data: Mapping[str, object]) -> None:
            ctx.emit(kind, data)

        reader = Reader(
            run_id=ctx.run_id,
            scope=ctx.scope,
            question=question,
            emit=emit,
            within=self.desk.options.within,
        )
        tools = KnowledgeTools(self.desk.house.library, reader, book=self.desk.book)
        call = CallContext(
            run_id=ctx.run_id,
            scope=ctx.scope,
            knowledge_bases=ctx.kb_refs,
            handlers=tools.handlers(),
            emit=emit,
            reserve=lambda: _reserve_call(ctx.budget),
            memory=self.desk.memory,
        )
        talk = self.desk.options.talk
        if talk is None or not ctx.state.get("points"):
            return call, question
        self.desk.book.pointed = tuple(dict.fromkeys(one.document for one in talk.documents))
        if not asks_for_references(question):
            await tools.recall(talk.documents)
        if self.desk.house.runner.is_offline:
            return call, question
        ids = json.dumps(self.desk.book.pointed, ensure_ascii=False)
        return call, f"{question}\n\nThe question speaks of these documents, by their ids: {ids}"


def _noted(ctx: RunContext) -> tuple[str, ...]:
    notes = cast("tuple[str, ...]", ctx.state.get("notes", ()))
    if ctx.state.get("points"):
        notes = (*notes, note("last_documents"))
    return notes


@dataclass(frozen=True, slots=True)
class Verify:
    """Where sentences meet the stored text."""

    desk: Desk

    async def run(self, ctx: RunContext) -> NodeResult:
        """Keep the sentences that the stored text bears out."""
        written = cast("tuple[tuple[str, tuple[str, ...]], ...]", ctx.state["drafts"])
        book = self.desk.book
        drafts = [Draft(text=text, evidence=book.evidence(ids)) for text, ids in written]
        house, judge = self.desk.house, judge_of(self.desk, ctx)
        unsupported = self.desk.options.unsupported or house.unsupported
        checked = await verify(
            house.library.bases, ctx.scope, drafts, unsupported=unsupported, judge=judge
        )
        missing = cast("tuple[str, ...]", ctx.state["missing"])
        dropped = tuple(word for one in checked.dropped for word in one.missing)
        notes = cast("tuple[str, ...]", ctx.state["notes"]) + tuple(judge.notes if judge else ())
        if checked.dropped:
            notes = (*notes, note("unsupported", count=len(checked.dropped)))
        return NodeResult(
            state_patch={
                "sentences": checked.sentences,
                # It follows from all of its sentences or not at all.
                "short": "" if checked.dropped else ctx.state["short"],
                "missing": missing or tuple(dict.fromkeys(dropped)),
                "notes": notes,
            }
        )


@dataclass(frozen=True, slots=True)
class GuardOutput:
    """Where the answer goes out."""

    desk: Desk

    async def run(self, ctx: RunContext) -> NodeResult:
        """Let sentences and quoted text pass as far as the policy does."""
        sentences = cast("tuple[AnswerSentence, ...]", ctx.state["sentences"])
        passed = tuple([await self._passed(ctx, sentence) for sentence in sentences])
        missing = cast("tuple[str, ...]", ctx.state["missing"])
        named = tuple([await self._text(ctx, one) for one in missing])
        short = await self._text(ctx, str(ctx.state["short"]))
        reason = await self._text(ctx, str(ctx.state["reason"]))
        patch: dict[str, object] = {
            "sentences": passed,
            "missing": named,
            "short": short,
            "reason": reason,
        }
        if "rewritten" in ctx.state:
            patch["rewritten"] = await self._text(ctx, str(ctx.state["rewritten"]))
        return NodeResult(state_patch=patch)

    async def _passed(self, ctx: RunContext, sentence: AnswerSentence) -> AnswerSentence:
        citations = [
            replace(one, snippet=await self._text(ctx, one.snippet)) for one in sentence.citations
        ]
        text = await self._text(ctx, sentence.text)
        return replace(sentence, text=text, citations=tuple(citations))

    async def _text(self, ctx: RunContext, text: str) -> str:
        if not text:
            return ""
        verdict = await apply(self.desk.house.policy, ctx.scope, Place.OUTPUT, text=text)
        for violation in verdict.violations:
            ctx.emit(EventType.POLICY_VIOLATION, violation_data(Place.OUTPUT, violation))
        return verdict.text


@dataclass(frozen=True, slots=True)
class Finish:
    """Where the answer is put together."""

    desk: Desk

    async def run(self, ctx: RunContext) -> NodeResult:
        """Write the answer from what there is; a run short of budget may have nothing."""
        state = ctx.state
        sentences = cast("tuple[AnswerSentence, ...]", state.get("sentences", ()))
        notes = cast("tuple[str, ...]", state.get("notes", ()))
        if "sentences" not in state:
            notes = (*notes, note("out_of_budget"))
        missing = cast("tuple[str, ...]", state.get("missing", ())) if not sentences else ()
        short = str(state.get("short", "")) if sentences else ""
        reason = "" if sentences else str(state.get("reason", ""))
        refusal = reason or refusal_text(str(state["question"]), missing)
        text = "\n".join(filter(None, (short, answer_text(sentences)))) or refusal
        return NodeResult(
            answer=Answer(
                answer=text,
                sentences=sentences,
                refused=not sentences,
                missing=missing,
                offline=bool(state.get("offline", self.desk.house.runner.is_offline)),
                run_id=ctx.run_id,
                notes=tuple(dict.fromkeys(notes)),
                short=short,
                rewritten_question=str(state.get("rewritten", "")),
            )
        )


def answer_text(sentences: Sequence[AnswerSentence]) -> str:
    """Return the sentences as one text, each with the numbers of its citations."""
    marked = (
        on_one_line(one.text) + "".join(f" [{citation.n}]" for citation in one.citations)
        for one in sentences
    )
    return "\n".join(marked)


def _reserve_call(budget: Budget) -> Settle:
    reservation = budget.reserve(_ONE_CALL)
    return lambda: reservation.settle(_ONE_CALL)
