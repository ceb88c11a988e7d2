"""The investigation of one question: what is lacking, who looks, is it enough, write."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from weft.agents.researching import (
    ASSESSOR,
    GAP_FINDER,
    MOST_TASKS,
    SELECTOR,
    WRITER,
    Investigated,
    WrittenSection,
)
from weft.agents.roles import RoleReply
from weft.agents.routing import Specialist
from weft.agents.toolbox import Toolbox
from weft.domain.answer import AnswerSentence
from weft.domain.errors import BudgetExceeded
from weft.domain.frozen import dataclass
from weft.flows.research.cited import FindingBook
from weft.flows.research.specialists import (
    SpecialistDesk,
    TaskFindings,
    lacks_models,
    part_of,
)
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
from weft.language.contacts import without_contacts
from weft.language.markup import plain
from weft.offline.research.gaps import gaps_offline, judge_offline, select_offline
from weft.offline.research.writing import write_offline
from weft.runtime.context import NodeResult, RunContext
from weft.verification.citations import Unsupported, verify

COMPLETE, OPEN = "complete", "open"
ENOUGH, MORE = "enough", "more"
MOST_TURNS = 5


@dataclass(frozen=True, slots=True)
class FindGaps:
    """Where it is seen what is still to be found out."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Name the gaps; with none left, or none that was not asked for, it is written."""
        state, given, tools = _investigated(self.services, ctx)
        reply = await self.services.filler.fill(
            GAP_FINDER, gaps_offline, given=given, work=Work(budget=ctx.budget, tools=tools)
        )
        found, asked = reply.output, set(given.asked)
        named = (_named(one, state, reply) for one in found.outstanding_gaps)
        gaps = tuple(dict.fromkeys(one for one in named if one not in asked))
        is_over = found.research_complete or not gaps or len(state.turns) >= MOST_TURNS
        after = replace(
            _noted(state, reply),
            gaps=gaps,
            thoughts=_named(found.thoughts, state, reply),
            suggested=(),
            tasks=(),
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
        state, given, tools = _investigated(self.services, ctx)
        reply = await self.services.filler.fill(
            SELECTOR, select_offline, given=given, work=Work(budget=ctx.budget, tools=tools)
        )
        chosen = [one for one in reply.output.tasks if one.agent in given.agents]
        if not chosen:
            chosen = (await select_offline(given, tools)).tasks
        after = replace(_noted(state, reply), tasks=tuple(map(PlannedTask.of, chosen[:MOST_TASKS])))
        return NodeResult(state_patch=changed(state, after), tags={"tasks": len(after.tasks)})


@dataclass(frozen=True, slots=True)
class RunAgents:
    """Where all chosen specialists work at the same time."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Take in what each found; one that fails takes none of the others with it."""
        state, toolkit = read(InvestigationState, ctx.state), self.services.toolkits.of(ctx)
        desk = SpecialistDesk(self.services)
        places = [f"{ctx.path}/{place}" for place in range(1, len(state.tasks) + 1)]
        work = zip(state.tasks, places, strict=True)
        done = await asyncio.gather(
            *(desk.done(ctx, state, task=one, place=at) for one, at in work)
        )
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
        evidence = [
            each for at in places for each in part_of(toolkit, ctx, place=at).book.entries()
        ]
        return NodeResult(
            state_patch=changed(state, after),
            evidence=tuple(evidence),
            tags={"findings": len(fresh), "failed": sum(bool(one.failure) for one in done)},
        )


@dataclass(frozen=True, slots=True)
class AssessFindings:
    """Where it is judged whether what was found is enough."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Go on as long as there is something to ask that was not asked."""
        state, given, tools = _investigated(self.services, ctx)
        reply = await self.services.filler.fill(
            ASSESSOR, judge_offline, given=given, work=Work(budget=ctx.budget, tools=tools)
        )
        said, asked = reply.output, set(given.asked)
        named = (_named(one, state, reply) for one in said.next_queries)
        suggested = tuple(one for one in named if one not in asked)
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
        before, toolkit = state, services.toolkits.of(ctx)
        if not state.findings and lacks_models(ctx.budget):
            state = await self._quoted(ctx, state)
        given, book = standing(state, toolkit)
        if not given.findings:
            return NodeResult(state_patch={"is_written": True})
        for place in state.places:  # what was told of the web is in the books of the specialists
            part_of(toolkit, ctx, place=place)
        reply = await self._written(ctx, state, given)
        checked = await verify(
            toolkit.citable,
            ctx.scope,
            book.drafts(reply.output.sentences),
            unsupported=Unsupported(state.unsupported or services.unsupported),
        )
        after = replace(_noted(state, reply), written=checked.sentences, is_written=True)
        return NodeResult(
            state_patch=changed(before, after), tags={"sentences": len(checked.sentences)}
        )

    async def _quoted(self, ctx: RunContext, state: InvestigationState) -> InvestigationState:
        """Return an investigation that no model may go on with, with what the rules found."""
        place = f"{ctx.path}/1"
        found = await SpecialistDesk(self.services).quoted(ctx, state, place=place)
        return replace(
            state,
            findings=found.findings(state.question),
            places=(*state.places, place),
            notes=(*state.notes, *found.notes),
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


def _investigated(
    services: Services, ctx: RunContext
) -> tuple[InvestigationState, Investigated, Toolbox]:
    """Return a run's investigation, how it stands as roles are told, and the tools for it."""
    state, toolkit = read(InvestigationState, ctx.state), services.toolkits.of(ctx)
    given, _ = standing(state, toolkit)
    return state, given, toolkit.tools(ctx, question=state.question)


def _fresh(state: InvestigationState, done: Sequence[TaskFindings]) -> list[ResearchFinding]:
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


def _turn(state: InvestigationState, done: Sequence[TaskFindings]) -> ResearchTurn:
    found = [one.text for each in done for one in (*each.answers, *each.near)]
    return ResearchTurn(
        thoughts=state.thoughts,
        gaps=state.gaps,
        tool_calls=state.tasks,
        findings=tuple(dict.fromkeys(found)),
        failures=tuple(one.failure for one in done if one.failure),
    )


def _named(text: str, state: InvestigationState, reply: RoleReply[Any]) -> str:
    """Return what a role calls a gap: one that a model names may lead nobody anywhere.

    It rests on no passage, and a text that was read may have told a model what to write.
    """
    return text if reply.offline else without_contacts(text, known=state.question)


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
