"""Quotas: what model calls may take in a day, of one person and of everybody in a tenant."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.usage import Spent, UsageRecords, UsualRun
from weft.runtime.amounts import NO_LIMITS, Limits, within


@dataclass(frozen=True, slots=True, kw_only=True)
class DayAllowance:
    """Tokens and dollars of a day; None sets no limit."""

    tokens: int | None = None
    money: Decimal | None = None

    @property
    def is_set(self) -> bool:
        """Tell whether there is any limit."""
        return self.tokens is not None or self.money is not None

    def less(self, spent: Spent) -> Limits:
        """Return what is left; where that is nothing, no tokens at all: the rules answer."""
        tokens = None if self.tokens is None else max(0, self.tokens - spent.tokens)
        money = None if self.money is None else max(Decimal(0), self.money - spent.money)
        return Limits(tokens=0) if 0 in (tokens, money) else Limits(tokens=tokens, money=money)


class Quota:
    """What is left of a day's allowances when a run begins; days are those of UTC.

    Runs that begin at the same time are given the same, so that together they may take more.
    """

    def __init__(
        self, usage: UsageRecords, clock: Clock, *, person: DayAllowance, tenant: DayAllowance
    ) -> None:
        """Take what was used, the time, and the allowances."""
        self._usage = usage
        self._clock = clock
        self._person = person
        self._tenant = tenant

    @property
    def is_set(self) -> bool:
        """Tell whether there is any limit."""
        return self._person.is_set or self._tenant.is_set

    async def left(self, scope: Scope, *, flow: str, model: str) -> Limits:
        """Return the most that a run of the caller may spend now.

        Where that is less than such a run takes it is no tokens at all: an answer of the rules is
        worth more than half of a model's.
        """
        if not self.is_set:
            return NO_LIMITS
        mine, whole = await self._usage.spent(scope, since=_midnight(self._clock.now()))
        left = within(self._person.less(mine), self._tenant.less(whole))
        usual = await self.usual(scope, flow=flow, model=model)
        return Limits(tokens=0) if usual is not None and _is_short(left, usual) else left

    async def usual(self, scope: Scope, *, flow: str, model: str) -> UsualRun | None:
        """Return what the tenant's last hundred runs of a flow took; None without any."""
        return await self._usage.usual(scope, flow=flow, model=model)


def _is_short(left: Limits, usual: UsualRun) -> bool:
    """Tell whether more than every other run would not get by with what is left."""
    if left.tokens is not None and left.tokens < usual.tokens[0]:
        return True
    return left.money is not None and usual.money is not None and left.money < usual.money[0]


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
