"""Trying again, later each time, what may be well in a while; and saying what was tried."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from weft.domain.errors import WeftError
from weft.domain.frozen import dataclass
from weft.platform.passing import is_passing
from weft.ports.records.worklist import retry_delay

T = TypeVar("T")

Work = Callable[[], Awaitable[T]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryRule:
    """How often something is tried, and what is done between two tries.

    `pause` takes seconds; `chance` gives numbers in [0, 1), so that many do not come at once.
    """

    tries: int = 5
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


class Persistence:
    """Tries again in one run; `told` hears of each time."""

    def __init__(self, rule: RetryRule, *, told: Callable[[], None]) -> None:
        """Take how often to try, and who is told."""
        self._rule = rule
        self._told = told

    async def through(self, work: Work[T], *, said: list[str] | None = None) -> T:
        """Return what the work gives; what fails for good is raised as it is.

        What was tried is added to `said` in words, whether it helped or not.
        """
        waited, failures = 0.0, 0
        last: WeftError | None = None
        while True:
            try:
                given = await work()
            except WeftError as error:
                if not is_passing(error):
                    raise
                last, failures = error, failures + 1
                if failures >= self._rule.tries:
                    _add(said, f"given up after {failures} tries in {waited:.0f} s", error)
                    raise
                seconds = retry_delay(failures, self._rule.chance()).total_seconds()
                self._told()
                await self._rule.pause(seconds)
                waited += seconds
            else:
                if last is not None:
                    _add(said, f"it took {failures + 1} tries in {waited:.0f} s", last)
                return given


def _add(said: list[str] | None, what: str, error: WeftError) -> None:
    if said is not None:
        said.append(f"{what}: {error.message}")
