"""What was used: questions, model calls, tokens, money and tool calls, added up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from weft.domain.answer import Outcome
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope


class UsageBy(StrEnum):
    """What is added up together: a day is one of UTC, as 2026-11-21."""

    MODEL = "model"
    USER = "user"
    FLOW = "flow"
    AGENT = "agent"
    DAY = "day"


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageFilter:
    """Of which time: from `since` on, and before `until`; None: of all that is kept."""

    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageSums:
    """What was used under one key (a model, a user, a flow, an agent, a day); "" is everything.

    `runs` are those that have ended, `ended` how many of them in which way: an `Outcome`, `failed`
    or `cancelled`. `cited` are the answered ones with a citation. `unpriced` counts the model calls
    that `money` (dollars) knows no price of. Milliseconds are of whole runs, the nearest rank; None
    where there was none.
    """

    key: str
    runs: int = 0
    ended: Mapping[str, int] = field(default_factory=dict)
    cited: int = 0
    model_calls: int = 0
    failed_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: Decimal = Decimal(0)
    unpriced: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None

    @property
    def tokens(self) -> int:
        """Return the tokens in and out."""
        return self.input_tokens + self.output_tokens

    @property
    def questions(self) -> int:
        """Return how many runs ended with an answer or a refusal."""
        return sum(self.ended.get(one.value, 0) for one in Outcome)

    @property
    def hit_rate(self) -> float | None:
        """Return the share of the questions for which anything was found to show."""
        missed = self.ended.get(Outcome.NOTHING.value, 0)
        return 1 - missed / self.questions if self.questions else None

    @property
    def citation_rate(self) -> float | None:
        """Return the share of the answered questions whose answer has a citation."""
        answered = self.ended.get(Outcome.ANSWERED.value, 0)
        return self.cited / answered if answered else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSums:
    """The calls of one tool: `failed` ended in an error, `rejected` were not let through."""

    tool: str
    calls: int
    failed: int
    timed_out: int
    rejected: int
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageSheet:
    """What a tenant used: all of it, by what was asked for, and its tools."""

    total: UsageSums
    rows: tuple[UsageSums, ...]
    tools: tuple[ToolSums, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Tokens and dollars of model calls."""

    tokens: int = 0
    money: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsualRun:
    """What runs of a flow with a model took: how many there were, the median and the 95th of 100.

    `money` is None where the price of a call was not known.
    """

    runs: int
    tokens: tuple[int, int]
    money: tuple[Decimal, Decimal] | None


class UsageRecords(Protocol):
    """Reads what was used; it is written as runs go on, with what they leave behind."""

    async def sheet(self, scope: Scope, wanted: UsageFilter, *, by: UsageBy) -> UsageSheet:
        """Return what the caller's tenant used, the most runs first; raise `Forbidden`."""
        ...

    async def spent(self, scope: Scope, *, since: datetime) -> tuple[Spent, Spent]:
        """Return what the caller's and all model calls of the tenant took since a time."""
        ...

    async def usual(self, scope: Scope, *, flow: str, model: str) -> UsualRun | None:
        """Return what the tenant's last hundred runs of a flow took; None without any."""
        ...
