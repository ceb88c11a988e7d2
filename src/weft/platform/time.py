"""The time of this machine."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """Implements `ports/clock.py` by the machine's own clock."""

    def now(self) -> datetime:
        """Return the time of day in UTC."""
        return datetime.now(UTC)

    def elapsed(self) -> float:
        """Return seconds of the monotonic clock."""
        return time.perf_counter()
