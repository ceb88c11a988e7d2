"""Time, so that tests can hold it still."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the time of day, aware, in UTC."""
        ...

    def elapsed(self) -> float:
        """Return seconds of a clock that never goes back."""
        ...
