"""Steering a run that goes on: pausing it, ending it, and giving it more to spend."""

from __future__ import annotations

from dataclasses import field

from weft.domain.frozen import dataclass
from weft.runtime.amounts import NO_LIMITS, Limits
from weft.runtime.budget import Budget


@dataclass(slots=True)
class RunControl:
    """What others want of a run; it is heeded before the next node."""

    is_paused: bool = False
    is_cancelled: bool = False
    _budget: Budget | None = field(default=None, repr=False)
    _granted: list[tuple[Limits, Limits]] = field(default_factory=list, repr=False)

    def pause(self) -> None:
        """Let the run stand still before its next node."""
        self.is_paused = True

    def cancel(self) -> None:
        """Note that the run is to end; who drives it cancels its task."""
        self.is_cancelled = True

    def grant(self, more: Limits, *, most: Limits = NO_LIMITS) -> None:
        """Raise what the run may spend, at once, to `most` and no further."""
        if self._budget is None:
            self._granted.append((more, most))
        else:
            self._budget.grant(more, most=most)

    def attach(self, budget: Budget) -> None:
        """Take the run's account; what was granted before counts."""
        self._budget = budget
        for more, most in self._granted:
            budget.grant(more, most=most)
        self._granted.clear()
