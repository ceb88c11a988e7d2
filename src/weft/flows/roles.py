"""Filling a role: by the configured model, else by the rule that is there for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from weft.agents.roles import Agents, Briefing, Given, ModelFailure, Out, Role, RoleReply, Rule
from weft.agents.toolbox import Toolbox
from weft.domain.notes import note
from weft.runtime.budget import NO_USAGE, Budget, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What whoever fills a role works with: the run's budget, its tools, a prompt's variables."""

    budget: Budget
    tools: Toolbox
    variables: Mapping[str, object] = field(default_factory=dict)


class RoleFiller:
    """Has roles filled; a model that fails is replaced by the role's rule, and said to be."""

    def __init__(self, agents: Agents | None = None) -> None:
        """Take the configured model (None: rules fill every role)."""
        self._agents = agents

    @property
    def is_offline(self) -> bool:
        """Tell whether no model is configured."""
        return self._agents is None

    async def fill(
        self, role: Role[Given, Out], rule: Rule[Given, Out], *, given: Given, work: Work
    ) -> RoleReply[Out]:
        """Return a role's output, whoever filled it.

        Raises `BudgetExceeded` when the run's limits are used up, and whatever the tools raise.
        """
        most = 0 if self._agents is None else role.settings.max_tokens
        with work.budget.spending(Usage(tokens=most)) as room:
            reply = await self._filled(role, rule, given, work)
            room.settle(reply.usage)
        return reply

    async def _filled(
        self, role: Role[Given, Out], rule: Rule[Given, Out], given: Given, work: Work
    ) -> RoleReply[Out]:
        if self._agents is None:
            return await _by_rule(rule, given, work.tools)
        briefing = Briefing(given=given, tools=work.tools, variables=work.variables)
        filled = await self._agents.fill(role, briefing)
        if not isinstance(filled, ModelFailure):
            return filled
        said = note("model_replaced", model=self._agents.name, reason=filled.reason)
        return await _by_rule(
            rule, given, work.tools.below("offline"), spent=filled.usage, notes=(said,)
        )


async def _by_rule(
    rule: Rule[Given, Out],
    given: Given,
    tools: Toolbox,
    *,
    spent: Usage = NO_USAGE,
    notes: tuple[str, ...] = (),
) -> RoleReply[Out]:
    output = await rule(given, tools)
    return RoleReply(output=output, offline=True, usage=spent, notes=(*notes, *tools.trouble))
