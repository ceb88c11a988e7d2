"""Amounts: what is spent of a run's budget, the most that may be, and how it is shared out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from decimal import Decimal
from typing import TypeVar

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass

COUNTED = ("tokens", "money", "iterations", "tool_calls")
_NOTHING = Decimal(0)

Amount = TypeVar("Amount", int, float, Decimal)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What was spent: model tokens, money in the provider's currency, turns of loops, tool calls.

    A turn is counted where it begins, the first one too.
    """

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

    def least(self, other: Usage) -> Usage:
        """Return the lesser of both, dimension by dimension."""
        return Usage(
            tokens=min(self.tokens, other.tokens),
            money=min(self.money, other.money),
            iterations=min(self.iterations, other.iterations),
            tool_calls=min(self.tool_calls, other.tool_calls),
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
        for name in (*COUNTED, "wall_s"):
            limit = getattr(self, name)
            if limit is not None and limit < 0:
                raise BadInput(f"the limit '{name}' is negative: {limit}", limit=name)


NO_LIMITS = Limits()


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
    found = {name: getattr(usage, name) for name in COUNTED}
    return {name: str(v) if name == "money" else v for name, v in found.items() if v}


def rest(limit: Amount | None, taken: Amount) -> Amount | None:
    """Return what is left of a limit, never less than nothing; None without one."""
    # Times nought keeps the kind of number.
    return None if limit is None else max(limit - taken, limit * 0)


def sum_of(one: Amount | None, other: Amount | None) -> Amount | None:
    """Return a limit raised by another; None where either sets none."""
    return one if one is None or other is None else one + other


def _lesser(one: Amount | None, other: Amount | None) -> Amount | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
