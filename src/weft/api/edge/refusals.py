"""What was refused at the door, in the audit log: one row a request, without tokens."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from starlette.requests import Request

from weft.api.edge.gate import Gate
from weft.api.edge.trail import trail_of
from weft.domain.errors import (
    Forbidden,
    NotFound,
    Unauthenticated,
    UnknownKnowledgeBase,
    WeftError,
)
from weft.domain.scope import Scope
from weft.platform.audit import current_occasion, decision_on, record
from weft.platform.identity import stranger
from weft.platform.people.principals import Caller
from weft.ports.clock import Clock
from weft.ports.records.audit import Audit, Deed

_REFUSALS = (Unauthenticated, Forbidden, NotFound, UnknownKnowledgeBase)
_LONGEST = 500
# Of callers that nobody knows so many rows in so many seconds; the rest are counted.
_MOST_ROWS, _SECONDS = 600, 60.0


class Refusals:
    """Writes down what was refused before any act began; holds the pace of strangers."""

    def __init__(self, audit: Callable[[], Audit], clock: Clock) -> None:
        """Take the log, known once the service is open."""
        self._audit = audit
        self._clock = clock
        self._began = self._clock.elapsed()
        self._rows = 0
        self._unwritten = 0

    async def tell(self, request: Request, error: WeftError, scope: Scope | None) -> None:
        """Write down a refused request, unless a row of it is there already.

        `scope` is the caller's; without it the caller is a stranger, of whom only so much is
        written that nobody can fill the log from outside: what was left out is counted in the
        next row.
        """
        if current_occasion().is_told or not isinstance(error, _REFUSALS):
            return
        meta: dict[str, object] = {"method": request.method}
        if request.client is not None:
            meta["client"] = request.client.host
        if scope is None:
            if not self._has_room():
                self._unwritten += 1
                return
            if self._unwritten:
                meta["unwritten"], self._unwritten = self._unwritten, 0
        trail = trail_of(request.scope.get("endpoint"))
        deed = Deed(
            action=(trail and trail.action) or "access.denied",
            target=f"http:{request.url.path[:_LONGEST]}",
            meta=meta,
        )
        decision, reason = decision_on(error)
        await record(self._audit(), scope or stranger(), deed, decision=decision, reason=reason)

    def _has_room(self) -> bool:
        now = self._clock.elapsed()
        if now - self._began >= _SECONDS:
            self._began, self._rows = now, 0
        self._rows += 1
        return self._rows <= _MOST_ROWS


async def tell_refusal(request: Request, error: WeftError) -> None:
    """Write down that a request was refused; where the log does not answer it stays refused."""
    refusals: Refusals | None = getattr(request.app.state, "refusals", None)
    is_of_page = isinstance(error, NotFound) and trail_of(request.scope.get("endpoint")) is None
    if refusals is None or is_of_page:  # a file of the page that is not there is no refusal
        return
    with suppress(WeftError):
        await refusals.tell(request, error, await _caller(request, error))


async def _caller(request: Request, error: WeftError) -> Scope | None:
    known: Caller | None = getattr(request.state, "caller", None)
    if known is not None:
        return known.scope
    if isinstance(error, Unauthenticated):
        return None
    gate: Gate = request.app.state.gate
    with suppress(WeftError):
        return (await gate.caller(request)).scope
    return None
