"""The step where a message of a conversation becomes a question that stands alone."""

from __future__ import annotations

from dataclasses import replace

from weft.agents.rewriting import REWRITER, Rewriting
from weft.domain.frozen import dataclass
from weft.flows.asking import Talk
from weft.flows.rag.state import RagState
from weft.flows.roles import Work
from weft.flows.services import Services
from weft.flows.state import changed, read
from weft.platform.policy import apply
from weft.ports.policy import Place
from weft.runtime.context import NodeResult, RunContext


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Where a message becomes a question that needs no conversation."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Make the question whole by the turns before it, if there are any."""
        state = read(RagState, ctx.state)
        talk = state.talk
        # What somebody says they mean is asked as it stood.
        if talk is None or not talk.turns or state.meaning or not state.question.strip():
            return NodeResult()
        return NodeResult(state_patch=changed(state, await self._whole(ctx, state, talk)))

    async def _whole(self, ctx: RunContext, state: RagState, talk: Talk) -> RagState:
        # Here, because a first message is not rewritten.
        from weft.offline.rewriter import rewrite_offline

        services = self.services
        # What is rewritten holds words of the last turn's documents: this run has read them.
        await services.tape.add_sources(ctx.scope, ctx.run_id, talk.read)
        tools = services.toolkits.of(ctx).tools(ctx, question=state.question)
        reply = await services.filler.fill(
            REWRITER,
            rewrite_offline,
            given=Rewriting(message=state.question, turns=talk.turns),
            work=Work(budget=ctx.budget, tools=tools),
        )
        found = reply.output
        verdict = await apply(services.policy, ctx.scope, Place.INPUT, text=found.question.strip())
        about = await apply(services.policy, ctx.scope, Place.INPUT, text=found.about)
        is_other = verdict.text != state.question.strip()
        return replace(
            state,
            question=verdict.text,
            points=found.points_to_documents and bool(talk.documents),
            about=about.text,
            rewritten=verdict.text if is_other else "",
            notes=(*state.notes, *reply.notes),
        )
