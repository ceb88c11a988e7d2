"""The port `Rates`: a moving window for each name."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import lru_cache

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from weft.ports.rates import Allowance


class MemoryRates:
    """Counts in this process; each hit costs some microseconds."""

    def __init__(self) -> None:
        """Begin at nought."""
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    async def take(self, rates: Sequence[Allowance]) -> float | None:
        """Count one for every rate: None where all allow it, else the seconds to wait."""
        # Nothing is awaited in between, so that nobody else counts between the two looks.
        waits = [
            self._limiter.get_window_stats(_item(rate), *rate.key).reset_time - time.time()
            for rate in rates
            if not self._limiter.test(_item(rate), *rate.key)
        ]
        if waits:
            return float(max(1, math.ceil(max(waits))))
        for rate in rates:
            self._limiter.hit(_item(rate), *rate.key)
        return None


@lru_cache(maxsize=64)
def _counted(times: int, seconds: int) -> RateLimitItemPerSecond:
    return RateLimitItemPerSecond(times, seconds)


def _item(rate: Allowance) -> RateLimitItemPerSecond:
    return _counted(rate.times, rate.seconds)
