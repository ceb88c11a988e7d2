"""Budgets: what a run may spend, reserved before a call and settled after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import TypeVar

from weft.domain.errors import BadInput, BudgetExceeded
from weft.ports.clock import Clock

_COUNTED = ("tokens", "money", "iterations", "tool_calls")
_NOTHING = Decimal(0)

Amount = TypeVar("Amount", int, float, Decimal)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What was spent: model tokens, money in the provider's currency, loop turns, tool calls."""

    tokens: int = 0
    money: Decimal = _NOTHING
    iterations: int = 0
    tool_calls: int = 0

    def plus(self, other: Usage) -> Usage:
        """Return the sum, dimension by dimension."""
        return Usage(
            tokens=self.tokens + other.tokens,
            money=self.money + other.money,
            iterations=self.iterations + other.iterations,
            tool_calls=self.tool_calls + other.tool_calls,
        )

    def minus(self, other: Usage) -> Usage:
        """Return the difference, dimension by dimension."""
        return Usage(
            tokens=self.tokens - other.tokens,
            money=self.money - other.money,
            iterations=self.iterations - other.iterations,
            tool_calls=self.tool_calls - other.tool_calls,
        )


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The most a run may spend; `None` sets no limit. `wall_s` is in seconds."""

    tokens: int | None = None
    money: Decimal | None = None
    wall_s: float | None = None
    iterations: int | None = None
    tool_calls: int | None = None

    def __post_init__(self) -> None:
        """Raise `BadInput` for a negative limit."""
        for name in (*_COUNTED, "wall_s"):
            limit = getattr(self, name)
            if limit is not None and limit < 0:
                raise BadInput(f"the limit '{name}' is negative: {limit}", limit=name)


NO_LIMITS = Limits()


class Reservation:
    """Room kept for one call, until it is settled or given back."""

    __slots__ = ("_budget", "_open", "estimate")

    def __init__(self, budget: Budget, estimate: Usage) -> None:
        self.estimate = estimate
        self._budget = budget
        self._open = True

    def settle(self, actual: Usage) -> None:
        """Replace the reservation by what the call did cost; only the first time counts."""
        if self._open:
            self._open = False
            self._budget._close(self.estimate, actual)

    def release(self) -> None:
        """Give the room back: the call was not made, or cost nothing."""
        self.settle(NO_USAGE)


class Budget:
    """An account with limits that may draw on a parent's: both must have room.

    When no call costs more than it reserved, no limit is passed; a call that does can pass it by
    its own excess only, since every later one is refused.
    """

    __slots__ = (
        "_below",
        "_clock",
        "_elapsed_before",
        "_last_calls",
        "_limited",
        "_over",
        "_parent",
        "_reserved",
        "_started",
        "limits",
        "spent",
    )

    def __init__(
        self,
        limits: Limits,
        clock: Clock,
        *,
        parent: Budget | None = None,
        spent: Usage = NO_USAGE,
        elapsed_s: float = 0.0,
    ) -> None:
        self.limits = limits
        self.spent = spent
        self._clock = clock
        self._parent = parent
        self._below: list[Budget] = []
        if parent is not None and limits != NO_LIMITS:
            parent._below.append(self)
        self._reserved = NO_USAGE
        self._limited = limits is not NO_LIMITS and limits != NO_LIMITS
        self._last_calls = -1
        self._over: BudgetExceeded | None = None
        # The seconds that were spent before the run was suspended.
        self._elapsed_before = elapsed_s
        self._started = clock.elapsed() if self._limited else 0.0

    def child(self, limits: Limits = NO_LIMITS) -> Budget:
        """Return an account of its own limits whose spending is this one's too."""
        return Budget(limits, self._clock, parent=self)

    @property
    def elapsed_s(self) -> float:
        """Return the seconds spent so far; 0 for an account without limits of its own."""
        if not self._limited:
            return 0.0
        return self._elapsed_before + self._clock.elapsed() - self._started

    def check(self) -> None:
        """Raise `BudgetExceeded` when a limit, here or above, was passed or refused a call."""
        if self._parent is not None:
            self._parent.check()
        if self._over is None and self._limited:
            self._over = self._passed()
        if self._over is not None:
            raise self._over

    def reserve(self, estimate: Usage) -> Reservation:
        """Keep room for one call and return the reservation, or raise `BudgetExceeded`.

        `estimate` is an upper bound of the call's cost; a dimension left at 0 is not asked of.
        """
        refusal = (self._passed() or self._short(estimate)) if self._limited else None
        if refusal is not None and self._last_calls <= 0:
            self._over = refusal
            raise refusal
        if self._parent is not None:
            self._parent._hold(estimate, is_last=refusal is not None)
        if refusal is not None:
            self._last_calls -= 1
        self._reserved = self._reserved.plus(estimate)
        return Reservation(self, estimate)

    @contextmanager
    def spending(self, estimate: Usage) -> Iterator[Reservation]:
        """Reserve for the body of a `with`; what it does not settle is given back."""
        reservation = self.reserve(estimate)
        try:
            yield reservation
        finally:
            reservation.release()

    def charge(self, actual: Usage) -> None:
        """Book what was spent without a reservation; the next check tells if it was too much."""
        self.spent = self.spent.plus(actual)
        if self._parent is not None:
            self._parent.charge(actual)

    def allow_last_call(self) -> None:
        """Let one call more than the limits allow pass: the one that writes what there is."""
        if self._last_calls < 0:
            self._last_calls = 1

    def has_refused(self, error: BudgetExceeded | None) -> bool:
        """Tell whether it was this account, and none above it, that said no."""
        return error is not None and self._over is error

    def grant(self, more: Limits, *, most: Limits = NO_LIMITS) -> None:
        """Raise the limits, none above `most`; a dimension without a limit stays without one.

        Shares of it are raised by as much: what they take together is still bound by this account.
        """
        own = self.limits
        raised = Limits(
            tokens=_sum(own.tokens, more.tokens),
            money=_sum(own.money, more.money),
            wall_s=_sum(own.wall_s, more.wall_s),
            iterations=_sum(own.iterations, more.iterations),
            tool_calls=_sum(own.tool_calls, more.tool_calls),
        )
        self.limits = within(raised, most)
        self._over = None
        for share in self._below:
            share.grant(more)

    def remaining(self) -> Limits:
        """Return how much is left, here and above; reservations count as spent."""
        own = self._left()
        return own if self._parent is None else within(own, self._parent.remaining())

    def _left(self) -> Limits:
        taken, limits = self.spent.plus(self._reserved), self.limits
        return Limits(
            tokens=_rest(limits.tokens, taken.tokens),
            money=_rest(limits.money, taken.money),
            wall_s=_rest(limits.wall_s, self.elapsed_s),
            iterations=_rest(limits.iterations, taken.iterations),
            tool_calls=_rest(limits.tool_calls, taken.tool_calls),
        )

    def _hold(self, estimate: Usage, *, is_last: bool) -> None:
        before = self._over
        try:
            self.reserve(estimate)
        except BudgetExceeded:
            if (
                is_last
            ):  # a branch's last call beyond its share: that there is no room ends it alone
                self._over = before
            raise

    def _close(self, estimate: Usage, actual: Usage) -> None:
        self._reserved = self._reserved.minus(estimate)
        if actual is not NO_USAGE:
            self.spent = self.spent.plus(actual)
        if self._parent is not None:
            self._parent._close(estimate, actual)

    def _passed(self) -> BudgetExceeded | None:
        limits = self.limits
        if limits.wall_s is not None and (elapsed := self.elapsed_s) >= limits.wall_s:
            return _exceeded("wall_s", limit=limits.wall_s, spent=elapsed)
        for name in _COUNTED:
            limit, spent = getattr(limits, name), getattr(self.spent, name)
            if limit is not None and spent > limit:
                return _exceeded(name, limit=limit, spent=spent)
        return None

    def _short(self, estimate: Usage) -> BudgetExceeded | None:
        for name in _COUNTED:
            limit, asked = getattr(self.limits, name), getattr(estimate, name)
            if limit is None or not asked:
                continue
            taken = getattr(self.spent, name) + getattr(self._reserved, name)
            if taken + asked > limit:
                return _exceeded(name, limit=limit, spent=getattr(self.spent, name))
        return None


def allows_models(budget: Budget) -> bool:
    """Tell whether a run was given any tokens at all: with none the rules fill its roles."""
    whole = budget
    while whole._parent is not None:
        whole = whole._parent
    return whole.limits.tokens != 0


def shares(left: Limits, weights: Sequence[int]) -> tuple[Limits, ...]:
    """Divide what is left by weight; what cannot be divided goes to the first ones.

    Time is not divided: branches run side by side.
    """
    whole = max(sum(weights), 1)
    parts = {
        name: _parts(getattr(left, name), weights, whole)
        for name in ("tokens", "iterations", "tool_calls")
    }
    return tuple(
        Limits(
            tokens=parts["tokens"][place],
            iterations=parts["iterations"][place],
            tool_calls=parts["tool_calls"][place],
            money=None if left.money is None else left.money * weight / whole,
        )
        for place, weight in enumerate(weights)
    )


def within(own: Limits, *caps: Limits) -> Limits:
    """Return limits none of which is above a cap."""
    for cap in caps:
        own = Limits(
            tokens=_lesser(own.tokens, cap.tokens),
            money=_lesser(own.money, cap.money),
            wall_s=_lesser(own.wall_s, cap.wall_s),
            iterations=_lesser(own.iterations, cap.iterations),
            tool_calls=_lesser(own.tool_calls, cap.tool_calls),
        )
    return own


def completed(own: Limits | None, default: Limits) -> Limits:
    """Return limits with those of the default where nothing is said."""
    if own is None:
        return default
    said = {name: value for name, value in asdict(own).items() if value is not None}
    return replace(default, **said)


def _parts(left: int | None, weights: Sequence[int], whole: int) -> list[int | None]:
    if left is None:
        return [None] * len(weights)
    parts = [left * weight // whole for weight in weights]
    for place in range(left - sum(parts) if parts else 0):
        parts[place % len(parts)] += 1
    return list(parts)


def usage_data(usage: Usage) -> dict[str, object]:
    """Return the dimensions of which something was spent, as JSON; money as a decimal string."""
    found = {name: getattr(usage, name) for name in _COUNTED}
    return {name: str(v) if name == "money" else v for name, v in found.items() if v}


def _rest(limit: Amount | None, taken: Amount) -> Amount | None:
    # Times nought keeps the kind of number.
    return None if limit is None else max(limit - taken, limit * 0)


def _sum(one: Amount | None, other: Amount | None) -> Amount | None:
    return one if one is None or other is None else one + other


def _lesser(one: Amount | None, other: Amount | None) -> Amount | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _exceeded(name: str, *, limit: float | Decimal, spent: float | Decimal) -> BudgetExceeded:
    return BudgetExceeded(
        f"the run's budget of {name} is used up: {spent} of {limit}",
        dimension=name,
        limit=str(limit),
        spent=str(spent),
    )
