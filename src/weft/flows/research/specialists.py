"""The specialists of research at work: one task each, or their rules where money is used up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from weft.agents.answering import AskedQuestion, DraftAnswer, DraftSentence
from weft.agents.roles import Role, RoleReply, Rule
from weft.agents.routing import Specialist
from weft.agents.specialists import GRAPH_AGENT, TABLE_AGENT, VECTOR_AGENT, WEB_AGENT
from weft.agents.toolbox import Toolbox
from weft.domain.answer import AnswerSentence
from weft.domain.errors import BudgetExceeded, Cancelled, WeftError
from weft.domain.frozen import dataclass
from weft.flows.research.state import InvestigationState, PlannedTask, ResearchFinding
from weft.flows.roles import Work
from weft.flows.services import Services
from weft.flows.toolkits import Toolkit
from weft.offline.research.reading import read_for_report
from weft.offline.specialists import answer_from_rows, answer_from_web
from weft.offline.units.nearest import nearest_of
from weft.ports.knowledge import DocumentFilter
from weft.runtime.budget import Budget
from weft.runtime.context import RunContext
from weft.verification.citations import Draft, Unsupported, verify

_Filled = tuple[Role[AskedQuestion, DraftAnswer], Rule[AskedQuestion, DraftAnswer]]
SPECIALISTS: Mapping[Specialist, _Filled] = {
    Specialist.VECTOR: (VECTOR_AGENT, read_for_report),
    Specialist.GRAPH: (GRAPH_AGENT, read_for_report),
    Specialist.TABLE: (TABLE_AGENT, answer_from_rows),
    Specialist.WEB: (WEB_AGENT, answer_from_web),
}
# What a model takes and a rule does not.
_MODEL_COSTS = frozenset({"tokens", "money"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFindings:
    """What came of a task: checked sentences, those that are only near, or why there is nothing."""

    answers: tuple[AnswerSentence, ...] = ()
    near: tuple[AnswerSentence, ...] = ()
    offline: bool = True
    failure: str = ""
    notes: tuple[str, ...] = ()
    exceeded: BudgetExceeded | None = None

    def findings(self, gap: str) -> tuple[ResearchFinding, ...]:
        """Return what was found as findings for a gap, the answers first."""
        answers = tuple(ResearchFinding(gap=gap, sentence=one) for one in self.answers)
        near = tuple(ResearchFinding(gap=gap, sentence=one, is_near=True) for one in self.near)
        return (*answers, *near)


@dataclass(frozen=True, slots=True)
class SpecialistDesk:
    """Gives a task of an investigation to the specialist that it names."""

    services: Services

    async def done(
        self, ctx: RunContext, state: InvestigationState, *, task: PlannedTask, place: str
    ) -> TaskFindings:
        """Return what came of a task; a fault of the specialist is one of the things it may be."""
        try:
            try:
                return await self._asked(ctx, state, task, place)
            except BudgetExceeded as error:
                return await self._when_short(ctx, state, task, (place, error))
        except Cancelled:
            raise
        except WeftError as error:
            return TaskFindings(failure=error.message)

    async def quoted(
        self, ctx: RunContext, state: InvestigationState, *, place: str
    ) -> TaskFindings:
        """Return what the rules alone find for an investigation's question."""
        task = PlannedTask(gap=state.question, agent=Specialist.VECTOR, query=state.question)
        try:
            return await self._by_rule(ctx, state, task, place)
        except Cancelled:
            raise
        except WeftError as error:
            return TaskFindings(failure=error.message)

    async def _when_short(
        self,
        ctx: RunContext,
        state: InvestigationState,
        task: PlannedTask,
        ended: tuple[str, BudgetExceeded],
    ) -> TaskFindings:
        """Return what there is all the same: by the rule, else what was read by then."""
        place, error = ended
        if _is_models(error):
            found = await self._by_rule(ctx, state, task, place)
            return TaskFindings(
                answers=found.answers, near=found.near, failure=error.message, exceeded=error
            )
        part = part_of(self.services.toolkits.of(ctx), ctx, place=place)
        nearest = nearest_of(task.query, part.book.entries())
        near = await self._checked(ctx, state, place, nearest)
        return TaskFindings(near=near, failure=error.message, exceeded=error)

    async def _asked(
        self, ctx: RunContext, state: InvestigationState, task: PlannedTask, place: str
    ) -> TaskFindings:
        role, rule = SPECIALISTS[task.specialist]
        reply = await self.services.filler.fill(
            role,
            rule,
            given=self._given(task),
            work=Work(budget=ctx.budget, tools=self._tools(ctx, state, task, place)),
        )
        return await self._taken(ctx, state, place, reply)

    async def _by_rule(
        self, ctx: RunContext, state: InvestigationState, task: PlannedTask, place: str
    ) -> TaskFindings:
        _, rule = SPECIALISTS[task.specialist]
        tools = self._tools(ctx, state, task, place).below("offline")
        reply = await self.services.filler.by_rule(rule, self._given(task), tools=tools)
        return await self._taken(ctx, state, place, reply)

    def _given(self, task: PlannedTask) -> AskedQuestion:
        return AskedQuestion(
            question=task.query,
            caution=self.services.caution,
            reader=self.services.cross_reader,
        )

    def _tools(
        self, ctx: RunContext, state: InvestigationState, task: PlannedTask, place: str
    ) -> Toolbox:
        part = part_of(self.services.toolkits.of(ctx), ctx, place=place)
        tools = part.tools(ctx, question=task.query, within=_within(state))
        return tools.below(place.rpartition("/")[2])

    async def _taken(
        self,
        ctx: RunContext,
        state: InvestigationState,
        place: str,
        reply: RoleReply[DraftAnswer],
    ) -> TaskFindings:
        draft, rules = reply.output, reply.offline
        # Of a short answer that was worked out its sentences are what it stands on.
        said = [*draft.sentences, *(draft.more if rules else ())]
        return TaskFindings(
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
        part = part_of(self.services.toolkits.of(ctx), ctx, place=place)
        drafts = [
            Draft(text=one.text, evidence=part.book.evidence(one.evidence_ids)) for one in sentences
        ]
        unsupported = Unsupported(state.unsupported or self.services.unsupported)
        found = await verify(part.citable, ctx.scope, drafts, unsupported=unsupported)
        return found.sentences


def lacks_models(budget: Budget) -> bool:
    """Tell whether what models cost is used up, and so that rules alone may go on."""
    try:
        budget.check()
    except BudgetExceeded as error:
        return _is_models(error)
    return False


def _is_models(error: BudgetExceeded) -> bool:
    return error.fields.get("dimension") in _MODEL_COSTS


def part_of(toolkit: Toolkit, ctx: RunContext, *, place: str) -> Toolkit:
    """Return what one specialist works with: a book of its own, so that none waits for another."""
    return toolkit.part(ctx.kb_refs, place)


def _within(state: InvestigationState) -> DocumentFilter:
    if not state.documents:
        return state.within
    own = frozenset(state.documents)
    asked = state.within.documents
    return replace(state.within, documents=own if asked is None else own & asked)
