"""The audit log in a table to which rows are only added."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, RowMapping, and_, select, update

from weft.adapters.sql.audit_chain import EMPTY, Inspection, Sealer
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.dialect import lock
from weft.adapters.sql.database.schema import (
    as_json,
    audit_heads,
    audit_logs,
    clean,
    microseconds,
    moment,
)
from weft.adapters.sql.head_file import HeadFile
from weft.domain.errors import AuditBroken
from weft.domain.scope import Scope
from weft.platform.access import require
from weft.ports.clock import Clock
from weft.ports.records.audit import (
    AuditDecision,
    AuditEntry,
    AuditHead,
    AuditReport,
    AuditRow,
    Deed,
    Phase,
)

_TARGET = "audit:log"
_ROWS_AT_ONCE = 1000


class SqlAudit:
    """The port `Audit` on a `SqlDatabase`."""

    def __init__(
        self, database: SqlDatabase, clock: Clock, *, key: bytes, heads: Path | None = None
    ) -> None:
        """Take the database, the time, the secret key of the seals, and a file outside for heads.

        Without that file a chain that is gone as a whole is not missed.
        """
        self._database = database
        self._clock = clock
        self._sealer = Sealer(key)
        self._heads = None if heads is None else HeadFile(heads, self._sealer)

    async def append(self, scope: Scope, entry: AuditEntry) -> AuditHead:
        """Write a row in the caller's name and return the new head.

        Raises `AuditBroken` when the head is not as this log left it: then nothing may be done.
        """

        def work(connection: Connection) -> AuditHead:
            lock(connection, f"audit:{scope.tenant}")
            last = self._checked_head(connection, scope.tenant)
            row = self._sealed(scope, entry, last)
            head = AuditHead(seq=last.seq + 1, mac=str(row["mac"]))
            connection.execute(audit_logs.insert(), row)
            self._move_head(connection, head, tenant=scope.tenant)
            return head

        head = await self._database.write(work)
        if self._heads is not None:
            await asyncio.to_thread(self._heads.keep, scope.tenant, head)
        return head

    async def rows(self, scope: Scope, *, after_seq: int = 0, limit: int = 1000) -> list[AuditRow]:
        """Return rows past `after_seq`, in order."""
        require(scope, "audit.read", _TARGET)
        query = (
            select(audit_logs)
            .where(audit_logs.c.tenant == scope.tenant, audit_logs.c.seq > after_seq)
            .order_by(audit_logs.c.seq)
            .limit(limit)
        )
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [_audit_row(row) for row in rows]

    async def unfinished(self, scope: Scope) -> list[AuditRow]:
        """Return the intents without an outcome, in order: acts of which it is not known."""
        require(scope, "audit.read", _TARGET)
        outcome = audit_logs.alias("outcome")
        has_outcome = select(outcome.c.seq).where(
            outcome.c.tenant == audit_logs.c.tenant,
            outcome.c.intent_id == audit_logs.c.intent_id,
            outcome.c.phase == Phase.OUTCOME.value,
        )
        query = (
            select(audit_logs)
            .where(audit_logs.c.tenant == scope.tenant)
            .where(audit_logs.c.phase == Phase.INTENT.value, ~has_outcome.exists())
            .order_by(audit_logs.c.seq)
        )
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [_audit_row(row) for row in rows]

    async def head(self, scope: Scope) -> AuditHead:
        """Return the head, to be kept elsewhere."""
        require(scope, "audit.read", _TARGET)
        return await self._database.read(
            lambda connection: self._checked_head(connection, scope.tenant)
        )

    async def verify(self, scope: Scope, *, known: AuditHead | None = None) -> AuditReport:
        """Check every row, their order, and that the chain still holds a head that was known."""
        require(scope, "audit.read", _TARGET)
        try:
            kept = self._known(scope.tenant)
        except AuditBroken as error:
            return AuditReport(rows=0, broken_at=1, reason=error.message)
        # The older of the two is on the way to the newer one.
        both = [one for one in (known, kept) if one is not None and one.seq]

        def work(connection: Connection) -> AuditReport:
            report = AuditReport(rows=0)
            for one in both or [EMPTY]:
                inspection = Inspection(self._sealer, scope.tenant, known=one)
                report = inspect_chain(connection, inspection, tenant=scope.tenant)
                if not report.is_intact:
                    break
            return report

        return await self._database.read(work)

    def _known(self, tenant: str) -> AuditHead:
        """Return the head that is kept outside; seq 0 where none is."""
        return EMPTY if self._heads is None else self._heads.known(tenant)

    def _checked_head(self, connection: Connection, tenant: str) -> AuditHead:
        found = _stored_head(connection, tenant)
        if found is None:
            any_row = select(audit_logs.c.seq).where(audit_logs.c.tenant == tenant).limit(1)
            if connection.execute(any_row).first() is not None:
                raise AuditBroken("The head of the audit chain is missing.")
            if self._known(tenant).seq:
                raise AuditBroken("The audit chain is gone, and its head is known.")
            return EMPTY
        head = AuditHead(seq=found["seq"], mac=found["mac"])
        if not self._sealer.holds(self._sealer.head(tenant, head), found["seal"]):
            raise AuditBroken("The head of the audit chain was changed.")
        if head.seq < self._known(tenant).seq:
            raise AuditBroken("Rows are missing at the end of the audit chain.")
        return head

    def _sealed(self, scope: Scope, entry: AuditEntry, last: AuditHead) -> dict[str, object]:
        deed = entry.deed
        row: dict[str, object] = {
            "tenant": scope.tenant,
            "seq": last.seq + 1,
            "ts": microseconds(self._clock.now()),
            "phase": entry.phase.value,
            "intent_id": entry.intent_id,
            "actor": scope.actor,
            "action": deed.action,
            "target": clean(deed.target),
            "decision": entry.decision.value,
            "reason": clean(entry.reason),
            "run_id": deed.run_id,
            "request_id": deed.request_id,
            "meta": as_json(dict(deed.meta)),
            "prev": last.mac,
        }
        return row | {"mac": self._sealer.row(row)}

    def _move_head(self, connection: Connection, head: AuditHead, *, tenant: str) -> None:
        values = {"seq": head.seq, "mac": head.mac, "seal": self._sealer.head(tenant, head)}
        if head.seq == 1:
            connection.execute(audit_heads.insert(), {"tenant": tenant, **values})
            return
        # The former head must be the one just read, or somebody else moved it.
        former = and_(audit_heads.c.tenant == tenant, audit_heads.c.seq == head.seq - 1)
        moved = connection.execute(update(audit_heads).where(former).values(**values))
        if moved.rowcount != 1:
            raise AuditBroken("The head of the audit chain was changed meanwhile.")


def inspect_chain(connection: Connection, inspection: Inspection, *, tenant: str) -> AuditReport:
    """Walk a tenant's rows as they are stored; memory does not grow with their number."""
    query = select(audit_logs).where(audit_logs.c.tenant == tenant).order_by(audit_logs.c.seq)
    head = _stored_head(connection, tenant)
    # Closed by hand: the walk may end early, and a server keeps what is not read to the end.
    with connection.execute(query, execution_options={"yield_per": _ROWS_AT_ONCE}) as rows:
        return inspection.report(rows.mappings(), head)


def _stored_head(connection: Connection, tenant: str) -> RowMapping | None:
    query = select(audit_heads).where(audit_heads.c.tenant == tenant)
    return connection.execute(query).mappings().one_or_none()


def _audit_row(row: Row[Any]) -> AuditRow:
    deed = Deed(
        action=row.action,
        target=row.target,
        run_id=row.run_id,
        request_id=row.request_id,
        meta=json.loads(row.meta),
    )
    entry = AuditEntry(
        phase=Phase(row.phase),
        intent_id=row.intent_id,
        deed=deed,
        decision=AuditDecision(row.decision),
        reason=row.reason,
    )
    return AuditRow(
        seq=row.seq,
        ts=moment(row.ts),
        actor=row.actor,
        entry=entry,
        prev=row.prev,
        mac=row.mac,
    )
