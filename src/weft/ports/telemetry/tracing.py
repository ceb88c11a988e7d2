"""Traces of runs, sent to whoever collects them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from weft.domain.event import RunEvent
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStanding:
    """How sending stands: runs sent, lost and waiting, and why the last one was lost."""

    address: str
    sent: int = 0
    lost: int = 0
    waiting: int = 0
    reason: str = ""


class Traces(Protocol):
    """Sends the spans of runs that ended, behind everything else."""

    @property
    def standing(self) -> TraceStanding:
        """Return how sending stands."""
        ...

    def observe(self, events: Sequence[RunEvent]) -> None:
        """Take in what a run writes down, so that nothing need be read at its end."""
        ...

    def ended(self, scope: Scope, run_id: RunId) -> None:
        """Have a run's spans sent; never waits, and never fails."""
        ...

    async def close(self) -> None:
        """Send what waits, for a second at most, and let go."""
        ...
