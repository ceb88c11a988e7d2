"""How often somebody may do something: a count in a window of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from weft.domain.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """At most `times` in `seconds` for whoever is named by `key`."""

    key: tuple[str, ...]
    times: int
    seconds: int


class Rates(Protocol):
    """Counts; what is over any of its rates counts for none."""

    async def take(self, rates: Sequence[Allowance]) -> float | None:
        """Count one for every rate: None where all allow it, else the seconds to wait."""
        ...
