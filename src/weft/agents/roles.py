"""Roles: what an agent is told, what it may use and what it hands in, whoever fills it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from decimal import Decimal
from typing import Generic, Protocol, TypeVar

from weft.agents.toolbox import RuleTools, Toolbox
from weft.domain.frozen import dataclass
from weft.runtime.budget import Reservation

Given = TypeVar("Given")
GivenIn = TypeVar("GivenIn", contravariant=True)
Out = TypeVar("Out")
OutCo = TypeVar("OutCo", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSettings:
    """How a model is asked.

    `timeout_s` is for the whole role (None: the model's own deadline), `max_turns` counts its
    replies, and `max_tokens` is the most that it may spend in all of them.
    """

    temperature: float = 0.0
    timeout_s: float | None = None
    max_turns: int = 8
    max_tokens: int = 60_000
    retries: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Role(Generic[Given, Out]):
    """An agent by name: `prompt` names its template, `tools` those it may call.

    `tell` says in words to a model what is given to the role.
    """

    name: str
    prompt: str
    output: type[Out]
    tell: Callable[[Given], str]
    tools: tuple[str, ...] = ()
    settings: RoleSettings = RoleSettings()


class Rule(Protocol[GivenIn, OutCo]):
    """Fills a role without a model: by the same tools, with an output of the same type."""

    async def __call__(self, given: GivenIn, tools: RuleTools, /) -> OutCo:
        """Return what the role hands in."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleReply(Generic[Out]):
    """A role's typed output, who made it, and what went wrong on the way."""

    output: Out
    offline: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailure:
    """Why a model filled no role, in words."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefing(Generic[Given]):
    """What a model gets beside its role: what is given, its tools, the variables of its prompt.

    `room` is what was kept for it of the run's budget: each of its requests is booked there. Its
    tokens are the most that it may spend: the role's own, or what is left of the run's.
    """

    given: Given
    tools: Toolbox
    room: Reservation
    variables: Mapping[str, object] = field(default_factory=dict)


class Agents(Protocol):
    """The configured model, filling any role."""

    @property
    def name(self) -> str:
        """Return the model's name."""
        ...

    def price(self, input_tokens: int, output_tokens: int) -> Decimal | None:
        """Return dollars for so many tokens; None where nobody knows the price."""
        ...

    async def fill(
        self, role: Role[Given, Out], briefing: Briefing[Given]
    ) -> RoleReply[Out] | ModelFailure:
        """Return a role's output, or why there is none.

        Raises `BudgetExceeded` when the run's limits are used up, and whatever the tools raise.
        """
        ...
