"""Steering a run that goes on: pausing it, ending it, and giving it more to spend."""

from __future__ import annotations

from dataclasses import dataclass, field

from weft.runtime.budget import Budget, Limits


@dataclass(slots=True)
class RunControl:
    """What others want of a run; it is heeded before the next node."""

    is_paused: bool = False
    is_cancelled: bool = False
    _budget: Budget | None = field(default=None, repr=False)
    _granted: list[Limits] = field(default_factory=list, repr=False)

    def pause(self) -> None:
        """Let the run stand still before its next node."""
        self.is_paused = True

    def cancel(self) -> None:
        """Note that the run is to end; who drives it cancels its task."""
        self.is_cancelled = True

    def grant(self, more: Limits) -> None:
        """Raise what the run may spend, at once."""
        if self._budget is None:
            self._granted.append(more)
        else:
            self._budget.grant(more)

    def attach(self, budget: Budget) -> None:
        """Take the run's account; what was granted before counts."""
        self._budget = budget
        for more in self._granted:
            budget.grant(more)
        self._granted.clear()
