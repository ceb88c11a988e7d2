"""Audit first: the intent is written before the act, the outcome after it."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import replace
from types import TracebackType
from typing import Self

from weft.domain.errors import Forbidden, PolicyViolation, WeftError
from weft.domain.scope import Scope
from weft.ports.records.audit import Audit, AuditDecision, AuditEntry, Deed, Phase


class AuditedAct:
    """An act between its intent and its outcome; made by `audited`."""

    def __init__(self, audit: Audit, scope: Scope, deed: Deed) -> None:
        """Take the log, the caller and what is about to be done."""
        self.intent_id = secrets.token_hex(16)
        self._audit = audit
        self._scope = scope
        self._deed = deed
        self._refusal: str | None = None

    def note(self, **meta: object) -> None:
        """Add to what the outcome's row will say (JSON values)."""
        self._deed = replace(self._deed, meta={**self._deed.meta, **meta})

    def deny(self, reason: str) -> None:
        """Say that the act was refused, where no error says so."""
        self._refusal = reason

    async def __aenter__(self) -> Self:
        """Write the intent; if that fails, the act does not begin."""
        await self._audit.append(self._scope, self._entry(Phase.INTENT, AuditDecision.PENDING))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the outcome, whatever came of the act."""
        decision, reason = self._outcome(error)
        entry = self._entry(Phase.OUTCOME, decision, reason=reason)
        # A cancelled caller must not tear the outcome from its act: the write goes on by itself.
        await asyncio.shield(asyncio.ensure_future(self._audit.append(self._scope, entry)))

    def _entry(self, phase: Phase, decision: AuditDecision, *, reason: str = "") -> AuditEntry:
        return AuditEntry(
            phase=phase,
            intent_id=self.intent_id,
            deed=self._deed,
            decision=decision,
            reason=reason,
        )

    def _outcome(self, error: BaseException | None) -> tuple[AuditDecision, str]:
        if isinstance(error, Forbidden):
            return AuditDecision.DENIED, str(error.fields.get("reason", error.code))
        if isinstance(error, PolicyViolation):
            return AuditDecision.DENIED, error.code
        if isinstance(error, WeftError):
            return AuditDecision.FAILED, error.code
        if isinstance(error, asyncio.CancelledError):
            return AuditDecision.FAILED, "cancelled"
        if error is not None:
            return AuditDecision.FAILED, type(error).__name__
        if self._refusal is not None:
            return AuditDecision.DENIED, self._refusal
        return AuditDecision.OK, ""


def audited(audit: Audit, scope: Scope, deed: Deed) -> AuditedAct:
    """Return the act of `async with audited(...) as act:`; its body is what is audited.

    An error that leaves the body makes the outcome `denied` (`Forbidden`, `PolicyViolation`) or
    `failed`, with the error's code, and goes on. When the log cannot be written, its error is
    raised: before the body, which then never begins, or after it, and the intent stays unfinished.
    """
    return AuditedAct(audit, scope, deed)
