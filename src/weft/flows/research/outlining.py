"""The first step of research: one question, or an outline of several."""

from __future__ import annotations

from dataclasses import replace

from weft.agents.researching import PLANNER, ReportPlan, ReportQuestion, ResearchMode
from weft.domain.frozen import dataclass
from weft.flows.research.state import InvestigationState, OutlineEntry, ResearchState
from weft.flows.roles import Work
from weft.flows.services import Services
from weft.flows.state import begun, changed, read
from weft.language.contacts import without_contacts
from weft.offline.research.planning import mode_of, plan_offline, title_of
from weft.ports.records.tape import RunSource
from weft.runtime.context import ChildSeed, NodeResult, RunContext


@dataclass(frozen=True, slots=True)
class Outline:
    """Where it is decided how a question is looked into, and in which sections."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Plan sections for a deep look; otherwise the question is the only one."""
        state = read(ResearchState, ctx.state)
        if state.talk is not None:
            read_before: tuple[RunSource, ...] = state.talk.read
            await self.services.tape.add_sources(ctx.scope, ctx.run_id, read_before)
        mode = ResearchMode(state.mode) if state.mode else mode_of(state.question)
        if mode is ResearchMode.DEEP:
            after = await self._planned(ctx, replace(state, mode=str(mode)))
        else:
            only = OutlineEntry(title=title_of(state.question), key_question=state.question)
            after = replace(state, mode=str(mode), title=only.title, outline=(only,))
        return NodeResult(
            state_patch=changed(state, after),
            tags={
                "mode": str(mode),
                "title": after.title,
                "outline": [one.title for one in after.outline],
            },
        )

    async def _planned(self, ctx: RunContext, state: ResearchState) -> ResearchState:
        tools = self.services.toolkits.of(ctx).tools(
            ctx, question=state.question, within=state.within
        )
        reply = await self.services.filler.fill(
            PLANNER,
            plan_offline,
            given=ReportQuestion(question=state.question),
            work=Work(budget=ctx.budget, tools=tools),
        )
        plan: ReportPlan = reply.output

        # Headings rest on no passage: a text that was read may have told a model what to write.
        def said(text: str) -> str:
            return text if reply.offline else without_contacts(text, known=state.question)

        return replace(
            state,
            title=said(plan.report_title),
            background=plan.background_context,
            outline=tuple(
                OutlineEntry(
                    title=said(one.title),
                    key_question=said(one.key_question),
                    # Only the rules bound where they look: a model may write any id.
                    documents=tuple(one.documents) if reply.offline else (),
                )
                for one in plan.report_outline
            ),
            offline=reply.offline,
            notes=(*state.notes, *reply.notes),
        )


@dataclass(frozen=True, slots=True)
class Investigate:
    """Where a section each is begun, all side by side."""

    async def run(self, ctx: RunContext) -> NodeResult:
        """Ask for a child run for each section, with a state of its own."""
        state = read(ResearchState, ctx.state)
        children = tuple(
            ChildSeed(
                key=f"s{place}",
                state=begun(
                    InvestigationState(
                        question=one.key_question,
                        title=one.title,
                        background=state.background,
                        documents=one.documents,
                        within=state.within,
                        unsupported=state.unsupported,
                    )
                ),
                tags={"section": one.title, "key_question": one.key_question},
            )
            for place, one in enumerate(state.outline, start=1)
        )
        return NodeResult(children=children, tags={"sections": len(children)})
