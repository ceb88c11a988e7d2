"""The investigation of one question: what is lacking, who looks, is it enough, write."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from weft.agents.answering import AskedQuestion, DraftAnswer, DraftSentence
from weft.agents.researching import (
    ASSESSOR,
    GAP_FINDER,
    MOST_TASKS,
    SELECTOR,
    WRITER,
    Investigated,
    WrittenSection,
)
from weft.agents.roles import Role, RoleReply, Rule
from weft.agents.routing import Specialist
from weft.agents.specialists import GRAPH_AGENT, TABLE_AGENT, VECTOR_AGENT, WEB_AGENT
from weft.domain.answer import AnswerSentence
from weft.domain.errors import BudgetExceeded, Cancelled, WeftError
from weft.flows.research.cited import FindingBook
from weft.flows.research.state import (
    InvestigationState,
    PlannedTask,
    ResearchFinding,
    ResearchTurn,
)
from weft.flows.roles import Work
from weft.flows.services import Services
from weft.flows.state import changed, read
from weft.flows.toolkits import Toolkit
from weft.language.markup import plain
from weft.offline.research.gaps import gaps_offline, judge_offline, select_offline
from weft.offline.research.reading import read_for_report
from weft.offline.research.writing import write_offline
from weft.offline.specialists import answer_from_rows, answer_from_web
from weft.offline.units.nearest import nearest_of
from weft.ports.knowledge import DocumentFilter
from weft.runtime.context import NodeResult, RunContext
from weft.verification.citations import Draft, Unsupported, verify

COMPLETE, OPEN = "complete", "open"
ENOUGH, MORE = "enough", "more"
MOST_TURNS = 5
_Filled = tuple[Role[AskedQuestion, DraftAnswer], Rule[AskedQuestion, DraftAnswer]]
SPECIALISTS: Mapping[Specialist, _Filled] = {
    Specialist.VECTOR: (VECTOR_AGENT, read_for_report),
    Specialist.GRAPH: (GRAPH_AGENT, read_for_report),
    Specialist.TABLE: (TABLE_AGENT, answer_from_rows),
    Specialist.WEB: (WEB_AGENT, answer_from_web),
}


@dataclass(frozen=True, slots=True)
class FindGaps:
    """Where it is seen what is still to be found out."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Name the gaps; with none left, or none that was not asked for, it is written."""
        state = read(InvestigationState, ctx.state)
        toolkit = self.services.toolkits.of(ctx)
        given, _ = standing(state, toolkit)
        reply = await self.services.filler.fill(
            GAP_FINDER,
            gaps_offline,
            given=given,
            work=Work(budget=ctx.budget, tools=toolkit.tools(ctx, question=state.question)),
        )
        found, asked = reply.output, set(given.asked)
        gaps = tuple(dict.fromkeys(one for one in found.outstanding_gaps if one not in asked))
        is_over = found.research_complete or not gaps or len(state.turns) >= MOST_TURNS
        after = replace(
            _noted(state, reply), gaps=gaps, thoughts=found.thoughts, suggested=(), tasks=()
        )
        return NodeResult(
            state_patch=changed(state, after),
            goto=COMPLETE if is_over else OPEN,
            tags={"gaps": len(gaps), "complete": is_over},
        )


@dataclass(frozen=True, slots=True)
class SelectAgents:
    """Where it is decided who looks for what."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Choose specialists at hand; where none is chosen, passages are read for each gap."""
        state, toolkit = read(InvestigationState, ctx.state), self.services.toolkits.of(ctx)
        given, _ = standing(state, toolkit)
        tools = toolkit.tools(ctx, question=state.question)
        reply = await self.services.filler.fill(
            SELECTOR, select_offline, given=given, work=Work(budget=ctx.budget, tools=tools)
        )
        chosen = [one for one in reply.output.tasks if one.agent in given.agents]
        if not chosen:
            chosen = (await select_offline(given, tools)).tasks
        after = replace(_noted(state, reply), tasks=tuple(map(PlannedTask.of, chosen[:MOST_TASKS])))
        return NodeResult(state_patch=changed(state, after), tags={"tasks": len(after.tasks)})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """What came of a task: checked sentences, those that are only near, or why there is nothing."""

    answers: tuple[AnswerSentence, ...] = ()
    near: tuple[AnswerSentence, ...] = ()
    offline: bool = True
    failure: str = ""
    notes: tuple[str, ...] = ()
    exceeded: BudgetExceeded | None = None


@dataclass(frozen=True, slots=True)
class RunAgents:
    """Where all chosen specialists work at the same time."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Take in what each found; one that fails takes none of the others with it."""
        state, toolkit = read(InvestigationState, ctx.state), self.services.toolkits.of(ctx)
        places = [f"{ctx.path}/{place}" for place in range(1, len(state.tasks) + 1)]
        work = zip(state.tasks, places, strict=True)
        done = await asyncio.gather(*(self._done(ctx, state, one, at) for one, at in work))
        exceeded = next((one.exceeded for one in done if one.exceeded is not None), None)
        if exceeded is not None and not any(one.answers or one.near for one in done):
            raise exceeded
        fresh = _fresh(state, done)
        after = replace(
            state,
            turns=(*state.turns, _turn(state, done)),
            findings=(*state.findings, *fresh),
            fresh=len(fresh),
            places=(*state.places, *places),
            tasks=(),
            gaps=(),
            offline=_all_offline(state.offline, [one.offline for one in done if not one.failure]),
            notes=tuple(dict.fromkeys([*state.notes, *(n for one in done for n in one.notes)])),
        )
        evidence = [each for at in places for each in _part(toolkit, ctx, at).book.entries()]
        return NodeResult(
            state_patch=changed(state, after),
            evidence=tuple(evidence),
            tags={"findings": len(fresh), "failed": sum(bool(one.failure) for one in done)},
        )

    async def _done(
        self, ctx: RunContext, state: InvestigationState, task: PlannedTask, place: str
    ) -> _Done:
        try:
            return await self._asked(ctx, state, task, place)
        except BudgetExceeded as error:
            # What was found by then is worth reading all the same.
            part = _part(self.services.toolkits.of(ctx), ctx, place)
            nearest = nearest_of(task.query, part.book.entries())
            near = await self._checked(ctx, state, place, nearest)
            return _Done(near=near, failure=error.message, exceeded=error)
        except Cancelled:
            raise
        except WeftError as error:
            return _Done(failure=error.message)

    async def _asked(
        self, ctx: RunContext, state: InvestigationState, task: PlannedTask, place: str
    ) -> _Done:
        services = self.services
        part = _part(services.toolkits.of(ctx), ctx, place)
        role, rule = SPECIALISTS[task.specialist]
        tools = part.tools(ctx, question=task.query, within=_within(state))
        reply = await services.filler.fill(
            role,
            rule,
            given=AskedQuestion(question=task.query, caution=services.caution),
            work=Work(budget=ctx.budget, tools=tools.below(place.rpartition("/")[2])),
        )
        draft, rules = reply.output, reply.offline
        # Of a short answer that was worked out its sentences are what it stands on.
        said = [*draft.sentences, *(draft.more if rules else ())]
        return _Done(
            answers=await self._checked(ctx, state, place, said),
            near=await self._checked(ctx, state, place, draft.nearest if rules else ()),
            offline=rules,
            notes=reply.notes,
        )

    async def _checked(
        self,
        ctx: RunContext,
        state: InvestigationState,
        place: str,
        sentences: Sequence[DraftSentence],
    ) -> tuple[AnswerSentence, ...]:
        part = _part(self.services.toolkits.of(ctx), ctx, place)
        drafts = [
            Draft(text=one.text, evidence=part.book.evidence(one.evidence_ids)) for one in sentences
        ]
        unsupported = Unsupported(state.unsupported or self.services.unsupported)
        found = await verify(part.citable, ctx.scope, drafts, unsupported=unsupported)
        return found.sentences


@dataclass(frozen=True, slots=True)
class AssessFindings:
    """Where it is judged whether what was found is enough."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Go on as long as there is something to ask that was not asked."""
        state, toolkit = read(InvestigationState, ctx.state), self.services.toolkits.of(ctx)
        given, _ = standing(state, toolkit)
        tools = toolkit.tools(ctx, question=state.question)
        reply = await self.services.filler.fill(
            ASSESSOR, judge_offline, given=given, work=Work(budget=ctx.budget, tools=tools)
        )
        said, asked = reply.output, set(given.asked)
        suggested = tuple(one for one in said.next_queries if one not in asked)
        is_over = said.sufficient or len(state.turns) >= MOST_TURNS
        after = replace(_noted(state, reply), suggested=suggested)
        return NodeResult(
            state_patch=changed(state, after),
            goto=ENOUGH if is_over else MORE,
            tags={"sufficient": said.sufficient, "confidence": round(said.confidence, 3)},
        )


@dataclass(frozen=True, slots=True)
class WriteSection:
    """Where what was found is written down, once."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Write what the findings bear out; a run that is short writes what there is."""
        services, state = self.services, read(InvestigationState, ctx.state)
        toolkit = services.toolkits.of(ctx)
        given, book = standing(state, toolkit)
        if not given.findings:
            return NodeResult(state_patch={"is_written": True})
        for place in state.places:  # what was told of the web is in the books of the specialists
            _part(toolkit, ctx, place)
        reply = await self._written(ctx, state, given)
        checked = await verify(
            toolkit.citable,
            ctx.scope,
            book.drafts(reply.output.sentences),
            unsupported=Unsupported(state.unsupported or services.unsupported),
        )
        after = replace(_noted(state, reply), written=checked.sentences, is_written=True)
        return NodeResult(
            state_patch=changed(state, after), tags={"sentences": len(checked.sentences)}
        )

    async def _written(
        self, ctx: RunContext, state: InvestigationState, given: Investigated
    ) -> RoleReply[WrittenSection]:
        """Have it written: by the rules where the budget is used up, which a call would pass."""
        tools = self.services.toolkits.of(ctx).tools(ctx, question=state.question)
        try:
            ctx.budget.check()
        except BudgetExceeded:
            return RoleReply(output=await write_offline(given, tools), offline=True)
        return await self.services.filler.fill(
            WRITER, write_offline, given=given, work=Work(budget=ctx.budget, tools=tools)
        )


def standing(state: InvestigationState, toolkit: Toolkit) -> tuple[Investigated, FindingBook]:
    """Return how an investigation stands, as roles are told, and its findings by their ids."""
    book = FindingBook()
    has_web = toolkit.library.web is not None
    given = Investigated(
        question=state.question,
        background=state.background,
        findings=book.enter(state.findings),
        asked=tuple(gap for turn in state.turns for gap in turn.gaps),
        suggested=state.suggested,
        gaps=state.gaps,
        agents=tuple(one for one in Specialist if has_web or one is not Specialist.WEB),
        turn=len(state.turns),
        fresh=state.fresh,
        is_bound=bool(state.documents),
    )
    return given, book


def _part(toolkit: Toolkit, ctx: RunContext, place: str) -> Toolkit:
    """Return what one specialist works with: a book of its own, so that none waits for another."""
    return toolkit.part(ctx.kb_refs, place)


def _within(state: InvestigationState) -> DocumentFilter:
    if not state.documents:
        return state.within
    own = frozenset(state.documents)
    asked = state.within.documents
    return replace(state.within, documents=own if asked is None else own & asked)


def _fresh(state: InvestigationState, done: Sequence[_Done]) -> list[ResearchFinding]:
    """Return what was found that was not known, each place once."""
    known = {_key(one.sentence) for one in state.findings if not one.is_near}
    near = {_key(one.sentence) for one in state.findings}
    fresh: dict[object, ResearchFinding] = {}
    for task, one in zip(state.tasks, done, strict=True):
        for sentence in one.answers:
            if (key := _key(sentence)) not in known:
                fresh[key] = ResearchFinding(gap=task.gap, sentence=sentence)
    for task, one in zip(state.tasks, done, strict=True):
        for sentence in one.near:
            if (key := _key(sentence)) not in near:
                fresh.setdefault(
                    key, ResearchFinding(gap=task.gap, sentence=sentence, is_near=True)
                )
    return list(fresh.values())


def _key(sentence: AnswerSentence) -> tuple[str, ...]:
    return (plain(sentence.text), *(one.knowledge_base for one in sentence.citations[:1]))


def _turn(state: InvestigationState, done: Sequence[_Done]) -> ResearchTurn:
    found = [one.text for each in done for one in (*each.answers, *each.near)]
    return ResearchTurn(
        thoughts=state.thoughts,
        gaps=state.gaps,
        tool_calls=state.tasks,
        findings=tuple(dict.fromkeys(found)),
        failures=tuple(one.failure for one in done if one.failure),
    )


def _noted(state: InvestigationState, reply: RoleReply[Any]) -> InvestigationState:
    """Return a state with what went wrong while a role was filled, and whether by a model."""
    return replace(
        state,
        offline=_all_offline(state.offline, [reply.offline]),
        notes=tuple(dict.fromkeys([*state.notes, *reply.notes])),
    )


def _all_offline(before: bool | None, now: Sequence[bool]) -> bool | None:
    """Return whether rules alone had a part; None where nobody had any yet."""
    if not now:
        return before
    return all(now) and before is not False
