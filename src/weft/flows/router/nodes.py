"""The step that chooses a specialist."""

from __future__ import annotations

from dataclasses import replace

from weft.agents.routing import ROUTER, Specialist, to_route
from weft.domain.frozen import dataclass
from weft.domain.notes import note
from weft.flows.roles import Work
from weft.flows.router.state import RouterState
from weft.flows.services import Services
from weft.flows.state import changed, read
from weft.flows.toolkits import left_out
from weft.offline.routing.rules import best_of_all, route_offline
from weft.runtime.context import NodeResult, RunContext


@dataclass(frozen=True, slots=True)
class Route:
    """Where a question is handed to one of the specialists at hand."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Have the router choose; the web is at hand where a provider is configured."""
        before, toolkit = read(RouterState, ctx.state), self.services.toolkits.of(ctx)
        state = replace(before, notes=(*before.notes, *left_out(toolkit)))
        if state.meaning:  # only tables are asked by what somebody says they mean
            after = replace(state, specialist=str(Specialist.TABLE))
            return NodeResult(state_patch=changed(before, after), goto=after.specialist)
        has_web = toolkit.library.web is not None
        there = tuple(one for one in Specialist if has_web or one is not Specialist.WEB)
        given = await to_route(state.question, toolkit.library.embedder)
        tools = toolkit.tools(ctx, question=state.question)
        reply = await self.services.filler.fill(
            ROUTER,
            route_offline,
            given=replace(given, among=there),
            work=Work(budget=ctx.budget, tools=tools),
        )
        chosen, notes = reply.output.specialist, (*state.notes, *reply.notes)
        if chosen not in there:  # a model may name whom it was not offered
            chosen = (await route_offline(replace(given, among=there), tools)).specialist
        if not has_web and best_of_all(given) is Specialist.WEB:
            notes = (*notes, note("no_web_search"))
        after = replace(state, specialist=str(chosen), there=tuple(map(str, there)), notes=notes)
        return NodeResult(state_patch=changed(before, after), goto=str(chosen))
