"""Whether a knowledge base can be used at this moment, and if not wholly, why."""

from __future__ import annotations

from enum import StrEnum

from weft.domain.frozen import dataclass


class State(StrEnum):
    """Questions and documents (`ready`), fewer or worse answers (`degraded`), neither."""

    READY = "ready"
    DEGRADED = "degraded"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """The state of one knowledge base, which people call by its `title`.

    `reasons` are in words, `codes` as errors are named.
    """

    name: str
    title: str
    state: State
    reasons: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    mend: str = ""
