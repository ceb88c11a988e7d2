"""Filling a role: by the configured model, else by the rule that is there for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from decimal import Decimal

from weft.agents.roles import Agents, Briefing, Given, ModelFailure, Out, Role, RoleReply, Rule
from weft.agents.toolbox import Toolbox
from weft.domain.frozen import dataclass
from weft.domain.notes import note
from weft.flows.rule_thread import hand_in
from weft.runtime.amounts import Usage
from weft.runtime.budget import Budget, allows_models, allows_money

# So many that a price shows, however low it is.
_MANY_TOKENS = 1_000_000


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

    @property
    def model(self) -> str:
        """Return the name of the configured model; empty where rules fill every role."""
        return "" if self._agents is None else self._agents.name

    def price(self, input_tokens: int, output_tokens: int) -> Decimal | None:
        """Return what the model takes for so many tokens in dollars; None where nobody knows."""
        if self._agents is None:
            return Decimal(0)
        return self._agents.price(input_tokens, output_tokens)

    async def fill(
        self, role: Role[Given, Out], rule: Rule[Given, Out], *, given: Given, work: Work
    ) -> RoleReply[Out]:
        """Return a role's output, whoever filled it.

        Raises `BudgetExceeded` when the run's limits are used up, and whatever the tools raise.
        """
        if self._agents is None:
            return await self.by_rule(rule, given, tools=work.tools)
        if not allows_models(work.budget):
            return await self.by_rule(rule, given, tools=work.tools, notes=(note("no_tokens"),))
        if self._costs_money() and not allows_money(work.budget):
            return await self.by_rule(rule, given, tools=work.tools, notes=(note("no_money"),))
        left = work.budget.remaining().tokens
        # A branch's share may be less than a role takes elsewhere: it is asked to make do with it.
        most = role.settings.max_tokens if not left else min(role.settings.max_tokens, left)
        with work.budget.spending(Usage(tokens=most)) as room:
            variables = {**_known(work.tools), **work.variables}
            briefing = Briefing(given=given, tools=work.tools, room=room, variables=variables)
            return await self._filled(self._agents, (role, rule), briefing)

    def _costs_money(self) -> bool:
        """Tell whether the model is known to take any."""
        return bool(self.price(_MANY_TOKENS, _MANY_TOKENS))

    async def _filled(
        self,
        agents: Agents,
        filled_by: tuple[Role[Given, Out], Rule[Given, Out]],
        briefing: Briefing[Given],
    ) -> RoleReply[Out]:
        role, rule = filled_by
        filled = await agents.fill(role, briefing)
        if not isinstance(filled, ModelFailure):
            return filled
        said = note("model_replaced", model=agents.name, reason=filled.reason)
        tools = briefing.tools.below("offline")
        return await self.by_rule(rule, briefing.given, tools=tools, notes=(said,))

    async def by_rule(
        self,
        rule: Rule[Given, Out],
        given: Given,
        *,
        tools: Toolbox,
        notes: tuple[str, ...] = (),
    ) -> RoleReply[Out]:
        """Return what a rule hands in, whatever model is configured; raises what its tools do."""
        output = await hand_in(rule, given, tools=tools)
        return RoleReply(output=output, offline=True, notes=(*notes, *tools.trouble))


def _known(tools: Toolbox) -> dict[str, object]:
    """Return what every prompt may speak of."""
    return {
        "knowledge_bases": list(tools.run.knowledge_bases),
        "today": tools.dispatcher.clock.now().date().isoformat(),
    }
