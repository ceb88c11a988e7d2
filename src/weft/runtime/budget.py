"""Budgets: what a run may spend, reserved before a call and settled after it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from decimal import Decimal

from weft.domain.errors import BudgetExceeded
from weft.ports.clock import Clock
from weft.runtime.amounts import COUNTED, NO_LIMITS, NO_USAGE, Limits, Usage, rest, sum_of, within


class CallGate:
    """Lets calls go side by side while all of them fit; one that might not goes alone.

    What a call costs is known when it has ended. So a limit is passed by one call at most.
    """

    __slots__ = ("_under_way", "_waiting")

    def __init__(self) -> None:
        self._under_way = 0
        self._waiting: list[asyncio.Future[None]] = []

    async def enter(self, fits: Callable[[], bool]) -> None:
        """Wait until nobody else is under way, or a call fits beside those that are."""
        while self._under_way and not fits():
            opened = asyncio.get_running_loop().create_future()
            self._waiting.append(opened)
            await opened
        self._under_way += 1

    def leave(self) -> None:
        """Say that a call has ended; it never waits, so that a cancelled one leaves too."""
        self._under_way -= 1
        waiting, self._waiting = self._waiting, []
        for opened in waiting:
            if not opened.done():
                opened.set_result(None)


class Reservation:
    """Room kept for one call, until it is settled or given back.

    `is_last` tells that it is beyond the limits: the call that writes what there is.
    """

    __slots__ = ("_budget", "_open", "estimate", "is_last")

    def __init__(self, budget: Budget, estimate: Usage, *, is_last: bool) -> None:
        self.estimate = estimate
        self.is_last = is_last
        self._budget = budget
        self._open = True

    def book(self, actual: Usage) -> None:
        """Take what a part of the call did cost out of the room that is kept for the whole."""
        part = self.estimate.least(actual)
        self.estimate = self.estimate.minus(part)
        self._budget._close(part, actual)

    @asynccontextmanager
    async def calling(self, expected: Usage) -> AsyncIterator[None]:
        """Go through the gate for one request of a model, which is expected to cost so much.

        Raises `BudgetExceeded` where a limit has been passed by then.
        """
        async with self._budget._passing(expected):
            if not self.is_last:
                self._budget.check()
            yield

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
        "_expected",
        "_gate",
        "_last_calls",
        "_limited",
        "_over",
        "_parent",
        "_reserved",
        "_started",
        "_visits",
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
        # Most accounts are of one visit, with nothing below them: these are made when needed.
        self._below: tuple[Budget, ...] = ()
        self._visits: set[VisitBudget] | None = None
        if parent is not None and limits is not NO_LIMITS and limits != NO_LIMITS:
            parent._below = (*parent._below, self)
        self._reserved = NO_USAGE
        # Of the requests of models that are under way; the root of a run counts for all below it.
        self._expected = NO_USAGE
        self._gate: CallGate = CallGate() if parent is None else parent._gate
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

        `estimate` is an upper bound of the call's cost; a dimension left at 0 is not asked of: a
        search is not refused since the model's money is used up.
        """
        refusal = self._refusal(estimate) if self._limited else None
        if refusal is not None and self._last_calls <= 0:
            self._over = refusal
            raise refusal
        is_last = refusal is not None
        if self._parent is not None:
            is_last = self._parent._hold(estimate, is_last=is_last).is_last or is_last
        if refusal is not None:
            self._last_calls -= 1
        self._reserved = self._reserved.plus(estimate)
        return Reservation(self, estimate, is_last=is_last)

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
            tokens=sum_of(own.tokens, more.tokens),
            money=sum_of(own.money, more.money),
            wall_s=sum_of(own.wall_s, more.wall_s),
            iterations=sum_of(own.iterations, more.iterations),
            tool_calls=sum_of(own.tool_calls, more.tool_calls),
        )
        self.limits = within(raised, most)
        self._over = None
        for share in self._below:
            share.grant(more)

    def remaining(self) -> Limits:
        """Return how much is left, here and above; reservations count as spent."""
        own = self._left()
        return own if self._parent is None else within(own, self._parent.remaining())

    def _to_root(self) -> Iterator[Budget]:
        account: Budget | None = self
        while account is not None:
            yield account
            account = account._parent

    def _left(self) -> Limits:
        taken, limits = self.spent.plus(self._reserved), self.limits
        return Limits(
            tokens=rest(limits.tokens, taken.tokens),
            money=rest(limits.money, taken.money),
            wall_s=rest(limits.wall_s, self.elapsed_s),
            iterations=rest(limits.iterations, taken.iterations),
            tool_calls=rest(limits.tool_calls, taken.tool_calls),
        )

    def _hold(self, estimate: Usage, *, is_last: bool) -> Reservation:
        before = self._over
        try:
            return self.reserve(estimate)
        except BudgetExceeded:
            if is_last:
                # A branch's last call beyond its share: that there is no room ends it alone.
                self._over = before
            raise

    @asynccontextmanager
    async def _passing(self, expected: Usage) -> AsyncIterator[None]:
        *_, root = self._to_root()
        await self._gate.enter(lambda: root._fits(expected))
        root._expected = root._expected.plus(expected)
        try:
            yield
        finally:
            root._expected = root._expected.minus(expected)
            self._gate.leave()

    def _fits(self, expected: Usage) -> bool:
        """Tell whether a request more surely leaves something of tokens and money."""
        taken = self.spent.plus(self._expected).plus(expected)
        limits = self.limits
        return (limits.tokens is None or taken.tokens <= limits.tokens) and (
            limits.money is None or taken.money <= limits.money
        )

    def _close(self, estimate: Usage, actual: Usage) -> None:
        self._reserved = self._reserved.minus(estimate)
        if actual is not NO_USAGE:
            self.spent = self.spent.plus(actual)
        if self._parent is not None:
            self._parent._close(estimate, actual)

    def _refusal(self, estimate: Usage) -> BudgetExceeded | None:
        asked = [name for name in COUNTED if getattr(estimate, name)]
        is_model = not asked or bool(estimate.tokens or estimate.money)
        return self._passed(COUNTED if is_model else asked) or self._short(estimate)

    def _passed(self, names: Sequence[str] = COUNTED) -> BudgetExceeded | None:
        limits = self.limits
        if limits.wall_s is not None and (elapsed := self.elapsed_s) >= limits.wall_s:
            return _exceeded("wall_s", limit=limits.wall_s, spent=elapsed)
        for name in names:
            limit, spent = getattr(limits, name), getattr(self.spent, name)
            if limit is not None and spent > limit:
                return _exceeded(name, limit=limit, spent=spent)
        return None

    def _short(self, estimate: Usage) -> BudgetExceeded | None:
        for name in COUNTED:
            limit, asked = getattr(self.limits, name), getattr(estimate, name)
            if limit is None or not asked:
                continue
            taken = getattr(self.spent, name) + getattr(self._reserved, name)
            if taken + asked > limit:
                return _exceeded(name, limit=limit, spent=getattr(self.spent, name))
        return None


class VisitBudget(Budget):
    """The account of one visit of a node, which is under way until it is ended."""

    __slots__ = ()

    def __init__(self, above: Budget) -> None:
        super().__init__(NO_LIMITS, above._clock, parent=above)
        account: Budget | None = above
        while account is not None:
            if account._visits is None:
                account._visits = set()
            account._visits.add(self)
            account = account._parent

    def end(self) -> None:
        """Have what was spent here count as done."""
        account = self._parent
        while account is not None:
            if account._visits is not None:
                account._visits.discard(self)
            account = account._parent


def done(budget: Budget) -> Usage:
    """Return what was spent but for visits under way.

    A node that is entered anew spends on the calls that are recalled as it did at first, so what
    it had spent by then is not to be kept beside.
    """
    spent = budget.spent
    for each in budget._visits or ():
        spent = spent.minus(each.spent)
    return spent


def ended_by(budget: Budget) -> str:
    """Return the part of a budget that is used up, as people set it: `time` for the wall's clock.

    Empty where none is.
    """
    try:
        budget.check()
    except BudgetExceeded as error:
        dimension = str(error.fields.get("dimension", ""))
        return "time" if dimension == "wall_s" else dimension
    return ""


def allows_models(budget: Budget) -> bool:
    """Tell whether a run was given any tokens at all: with none the rules fill its roles."""
    *_, whole = budget._to_root()
    return whole.limits.tokens != 0


def allows_money(budget: Budget) -> bool:
    """Tell whether a run was given any money at all: with none it asks only what costs none."""
    *_, whole = budget._to_root()
    return whole.limits.money != 0


def _exceeded(name: str, *, limit: float | Decimal, spent: float | Decimal) -> BudgetExceeded:
    return BudgetExceeded(
        f"the run's budget of {name} is used up: {spent} of {limit}",
        dimension=name,
        limit=str(limit),
        spent=str(spent),
    )
