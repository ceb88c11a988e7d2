"""Reading the audit log, which is itself a row of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace

from weft.domain.errors import AuditBroken
from weft.domain.scope import Scope
from weft.platform.access import require
from weft.platform.audit import AuditedAct, audited
from weft.ports.records.audit import Audit, AuditFilter, AuditHead, AuditReport, AuditRow, Deed

TARGET = "audit:log"


@asynccontextmanager
async def reading(
    audit: Audit, scope: Scope, action: str, *, meta: Mapping[str, object] | None = None
) -> AsyncIterator[AuditedAct | None]:
    """Write down that the log is read, unless it is broken: then it can be read and no more."""
    require(scope, "audit.read", TARGET)
    async with AsyncExitStack() as stack:
        act: AuditedAct | None = None
        with suppress(AuditBroken):
            deed = Deed(action=action, target=TARGET, meta=dict(meta or {}))
            act = await stack.enter_async_context(audited(audit, scope, deed))
        yield act


async def verified(audit: Audit, scope: Scope, known: AuditHead | None) -> AuditReport:
    """Return what verifying finds; its own row is not among the unfinished ones."""
    async with reading(audit, scope, "audit.verify") as act:
        report = await audit.verify(scope, known=known)
        if act is None:
            return report
        act.note(rows=report.rows, broken_at=report.broken_at)
        return replace(report, unfinished=max(0, report.unfinished - 1))


def asked_for(wanted: AuditFilter) -> dict[str, object]:
    """Return what was searched for, as the row about it tells it."""
    named = {
        "actor": wanted.actor,
        "action": wanted.action,
        "target": wanted.target,
        "decision": wanted.decision and wanted.decision.value,
        "since": wanted.since and wanted.since.isoformat(),
        "until": wanted.until and wanted.until.isoformat(),
        "run": wanted.run_id,
        "request": wanted.request_id,
    }
    return {name: value for name, value in named.items() if value}


def row_data(row: AuditRow) -> dict[str, object]:
    """Return a row as people and programs are shown it."""
    entry, deed = row.entry, row.entry.deed
    return {
        "seq": row.seq,
        "ts": row.ts,
        "phase": entry.phase.value,
        "intent_id": entry.intent_id,
        "actor": row.actor,
        "action": deed.action,
        "target": deed.target,
        "decision": entry.decision.value,
        "reason": entry.reason,
        "run_id": deed.run_id,
        "request_id": deed.request_id,
        "meta": dict(deed.meta),
        "mac": row.mac,
    }
