"""What others want of a run that goes on somewhere: left for whichever process has it."""

from __future__ import annotations

from dataclasses import field
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope


class OrderKind(StrEnum):
    """What is wanted."""

    CANCEL = "cancel"
    PAUSE = "pause"
    GRANT = "grant"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreBudget:
    """How much more a run may spend; None: nothing changes there. `wall_s` is in seconds."""

    tokens: int | None = None
    money: Decimal | None = None
    wall_s: float | None = None
    iterations: int | None = None
    tool_calls: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrder:
    """One order; `more` is what is granted."""

    kind: OrderKind
    more: MoreBudget = field(default_factory=MoreBudget)


class Steering(Protocol):
    """Keeps orders until they are taken, each once, in the order they were given."""

    async def put(self, scope: Scope, run_id: RunId, order: RunOrder) -> None:
        """Leave an order for a run of the tenant."""
        ...

    async def take(self, scope: Scope, run_id: RunId) -> list[RunOrder]:
        """Return what was ordered of a run since the last time, and forget it."""
        ...
