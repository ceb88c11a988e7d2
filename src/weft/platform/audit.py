"""Audit first: the intent is written before the act, the outcome after it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from types import TracebackType
from typing import Self

from weft.domain.errors import Forbidden, PolicyViolation, Unauthenticated, WeftError
from weft.domain.evidence import Evidence
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.platform.secret import random_hex
from weft.ports.records.audit import AuditDecision, AuditEntry, AuditHead, AuditTrail, Deed, Phase

# The most ids that one row names; how many there were is always told.
MOST_IDS = 200


@dataclass(slots=True, kw_only=True)
class Occasion:
    """What rows come of: a request by its id, a run; `is_told` once a row of it was written."""

    request_id: str = ""
    run_id: str = ""
    is_told: bool = False


_OCCASION: ContextVar[Occasion | None] = ContextVar("weft_audit_occasion", default=None)


@contextmanager
def occasion(request_id: str) -> Iterator[Occasion]:
    """Let every row that is written inside, tasks begun there included, bear a request's id."""
    came = Occasion(request_id=request_id)
    token = _OCCASION.set(came)
    try:
        yield came
    finally:
        _OCCASION.reset(token)


def current_occasion() -> Occasion:
    """Return what is going on; one without a request where nobody said."""
    return _OCCASION.get() or Occasion()


def enter_run(run_id: str) -> None:
    """Let every row that this task writes from now on bear a run's id."""
    _OCCASION.set(Occasion(request_id=current_occasion().request_id, run_id=run_id, is_told=True))


def counted_ids(**ids: Sequence[str]) -> dict[str, object]:
    """Return lists of ids as a row tells them: each how many, and the first of them."""
    told: dict[str, object] = {}
    for name, several in ids.items():
        distinct = list(dict.fromkeys(several))
        told[name] = distinct[:MOST_IDS]
        told[f"{name}_count"] = len(distinct)
    return told


def found_ids(evidence: Sequence[Evidence]) -> dict[str, object]:
    """Return which chunks and documents were found, as a row tells them."""
    return counted_ids(
        chunks=[one.chunk_id for one in evidence], documents=[one.document_id for one in evidence]
    )


async def record(
    audit: AuditTrail, scope: Scope, deed: Deed, *, decision: AuditDecision, reason: str = ""
) -> None:
    """Write down what nothing is to follow: a refusal, a broken rule. It is one row."""
    entry = AuditEntry(
        phase=Phase.INTENT,
        intent_id=random_hex(16),
        deed=_of_occasion(deed),
        decision=decision,
        reason=reason,
    )
    await audit.append(scope, entry)
    current_occasion().is_told = True


def _of_occasion(deed: Deed) -> Deed:
    came = current_occasion()
    return replace(
        deed, request_id=deed.request_id or came.request_id, run_id=deed.run_id or came.run_id
    )


class AuditedAct:
    """An act between its intent and its outcome; made by `audited`."""

    def __init__(self, audit: AuditTrail, scope: Scope, deed: Deed) -> None:
        """Take the log, the caller and what is about to be done."""
        self.intent_id = random_hex(16)
        self._audit = audit
        self._scope = scope
        self._deed = _of_occasion(deed)
        self._refusal: str | None = None

    def note(self, **meta: object) -> None:
        """Add to what the outcome's row will say (JSON values)."""
        self._deed = replace(self._deed, meta={**self._deed.meta, **meta})

    def deny(self, reason: str) -> None:
        """Say that the act was refused, where no error says so."""
        self._refusal = reason

    async def __aenter__(self) -> Self:
        """Write the intent; if that fails, the act does not begin."""
        entry = self._entry(Phase.INTENT, AuditDecision.PENDING)
        intent = asyncio.ensure_future(self._audit.append(self._scope, entry))
        try:
            await asyncio.shield(intent)
        except asyncio.CancelledError as error:
            # It is written all the same, and must not stand there alone.
            await asyncio.shield(asyncio.ensure_future(self._forgone(intent, error)))
            raise
        current_occasion().is_told = True
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the outcome, whatever came of the act."""
        decision, reason = decision_on(error)
        if error is None and self._refusal is not None:
            decision, reason = AuditDecision.DENIED, self._refusal
        entry = self._entry(Phase.OUTCOME, decision, reason=reason)
        # A cancelled caller must not tear the outcome from its act: the write goes on by itself.
        await asyncio.shield(asyncio.ensure_future(self._audit.append(self._scope, entry)))

    async def _forgone(self, intent: asyncio.Future[AuditHead], error: BaseException) -> None:
        """Write the outcome of an act whose caller was cancelled before it could begin."""
        with suppress(WeftError):  # the intent could not be written: there is nothing to end
            await intent
            decision, reason = decision_on(error)
            entry = self._entry(Phase.OUTCOME, decision, reason=reason)
            await self._audit.append(self._scope, entry)

    def _entry(self, phase: Phase, decision: AuditDecision, *, reason: str = "") -> AuditEntry:
        return AuditEntry(
            phase=phase,
            intent_id=self.intent_id,
            deed=self._deed,
            decision=decision,
            reason=reason,
        )


def decision_on(error: BaseException | None) -> tuple[AuditDecision, str]:
    """Return what a row says of an act that ended with an error, or with none."""
    if isinstance(error, Forbidden):
        return AuditDecision.DENIED, str(error.fields.get("reason", error.code))
    if isinstance(error, PolicyViolation | Unauthenticated):
        return AuditDecision.DENIED, error.code
    if isinstance(error, WeftError):
        return AuditDecision.FAILED, error.code
    if isinstance(error, asyncio.CancelledError):
        return AuditDecision.FAILED, "cancelled"
    if error is not None:
        return AuditDecision.FAILED, type(error).__name__
    return AuditDecision.OK, ""


def audited(audit: AuditTrail, scope: Scope, deed: Deed) -> AuditedAct:
    """Return the act of `async with audited(...) as act:`; its body is what is audited.

    An error that leaves the body makes the outcome `denied` (`Forbidden`, `PolicyViolation`) or
    `failed`, with the error's code, and goes on. When the log cannot be written, its error is
    raised: before the body, which then never begins, or after it, and the intent stays unfinished.
    """
    return AuditedAct(audit, scope, deed)
