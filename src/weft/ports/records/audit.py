"""The audit log: who did what to what, each row sealed to the one before."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope


class Phase(StrEnum):
    """Whether a row tells what is about to be done or what came of it."""

    INTENT = "intent"
    OUTCOME = "outcome"


class AuditDecision(StrEnum):
    """What came of an act; an intent is pending, unless nothing was to follow it."""

    PENDING = "pending"
    OK = "ok"
    DENIED = "denied"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What is done to what; `meta` is JSON: ids and numbers, no secret and no document text."""

    action: str
    target: str
    run_id: str = ""
    request_id: str = ""
    meta: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """A row to be written; `intent_id` joins an intent with its one outcome."""

    phase: Phase
    intent_id: str
    deed: Deed
    decision: AuditDecision
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """A row as it was written: `mac` seals it together with `prev`, the mac of the row before."""

    seq: int
    ts: datetime
    actor: str
    entry: AuditEntry
    prev: str
    mac: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditHead:
    """The last row of a chain; kept elsewhere, it proves that no tail was cut off (0: no row)."""

    seq: int
    mac: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which rows: every part that is given must fit; `*` ends a target or an action of many."""

    actor: str = ""
    action: str = ""
    target: str = ""
    decision: AuditDecision | None = None
    since: datetime | None = None
    until: datetime | None = None
    run_id: str = ""
    request_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """A page of rows; `cursor` is the last one's `seq`, 0 on the last page."""

    rows: tuple[AuditRow, ...]
    cursor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedRow:
    """A row as it lies in the table, untouched: what its `mac` covers, in this order, and the mac.

    `ts` is microseconds since 1970, `meta` JSON text. In a table that somebody changed a value may
    be of any type.
    """

    tenant: str
    seq: int
    ts: int
    phase: str
    intent_id: str
    actor: str
    action: str
    target: str
    decision: str
    reason: str
    run_id: str
    request_id: str
    meta: str
    prev: str
    mac: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What verifying found: up to `rows` the chain holds; `broken_at` is the first bad row.

    `unfinished` counts the intents without an outcome: under way, or ended by a crash.
    """

    rows: int
    broken_at: int | None = None
    reason: str = ""
    unfinished: int = 0

    @property
    def is_intact(self) -> bool:
        """Tell whether every row and the head are as they were written."""
        return self.broken_at is None


class AuditTrail(Protocol):
    """Takes rows."""

    async def append(self, scope: Scope, entry: AuditEntry) -> AuditHead:
        """Write a row in the caller's name and return the new head.

        Raises `AuditBroken` when the head is not as this log left it: then nothing may be done.
        """
        ...


class Audit(AuditTrail, Protocol):
    """Appends to one chain a tenant, and changes nothing. Reading needs `audit.read`."""

    async def rows(self, scope: Scope, *, after_seq: int = 0, limit: int = 1000) -> list[AuditRow]:
        """Return rows past `after_seq`, in order."""
        ...

    async def page(
        self,
        scope: Scope,
        wanted: AuditFilter,
        *,
        limit: int = 50,
        cursor: int = 0,
        oldest_first: bool = False,
    ) -> AuditPage:
        """Return the rows that fit, the newest first, from past the row `cursor` on."""
        ...

    def sealed(
        self, scope: Scope, *, since: datetime | None = None, upto: int | None = None
    ) -> AsyncIterator[SealedRow]:
        """Yield the rows as they lie there, without a gap, from the first of a time on."""
        ...

    async def seal(self, scope: Scope, values: Sequence[str | int]) -> str:
        """Return the seal of a statement about the caller's chain, of which the tenant is part."""
        ...

    async def unfinished(self, scope: Scope) -> list[AuditRow]:
        """Return the intents without an outcome, in order: acts of which it is not known."""
        ...

    async def head(self, scope: Scope) -> AuditHead:
        """Return the head, to be kept elsewhere."""
        ...

    async def verify(self, scope: Scope, *, known: AuditHead | None = None) -> AuditReport:
        """Check every row, their order, and that the chain still holds a head that was known."""
        ...
