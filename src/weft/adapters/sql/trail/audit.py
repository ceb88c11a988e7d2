"""The audit log in a table to which rows are only added."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, bindparam, func, select, update

from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.dialect import lock
from weft.adapters.sql.database.schema import (
    as_json,
    audit_heads,
    audit_logs,
    clean,
    microseconds,
)
from weft.adapters.sql.trail.audit_chain import EMPTY, Inspection, Sealer
from weft.adapters.sql.trail.audit_rows import (
    audit_row,
    count_of,
    lone_intents,
    sealed_row,
    sought,
    stored_target,
)
from weft.adapters.sql.trail.head_file import HeadFile
from weft.adapters.sql.trail.waiting_entries import Waiting, WaitingEntries
from weft.domain.errors import AuditBroken
from weft.domain.scope import Scope
from weft.platform.access import require
from weft.ports.clock import Clock
from weft.ports.records.audit import (
    AuditEntry,
    AuditFilter,
    AuditHead,
    AuditPage,
    AuditReport,
    AuditRow,
    SealedRow,
)

_TARGET = "audit:log"
_ROWS_AT_ONCE = 1000
# Made once: every row is written with them.
_HEAD = select(audit_heads).where(audit_heads.c.tenant == bindparam("whose"))
_MOVE = update(audit_heads).where(
    audit_heads.c.tenant == bindparam("whose"), audit_heads.c.seq == bindparam("former")
)
_ADD = audit_logs.insert()


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
        self._waiting = WaitingEntries(self._write_together)

    async def append(self, scope: Scope, entry: AuditEntry) -> AuditHead:
        """Write a row in the caller's name and return the new head.

        Rows that come in while another is being written share the next transaction. Raises
        `AuditBroken` when the head is not as this log left it: then nothing may be done.
        """
        given = self._waiting.put(scope, entry)
        await self._database.in_writer(partial(self._waiting.write, scope.tenant))
        return given.head()

    def extend(
        self, connection: Connection, rows: Sequence[tuple[Scope, AuditEntry]]
    ) -> list[AuditHead]:
        """Write rows of one tenant within a transaction of the same database; return their heads.

        For acts on these very tables: intent, act and outcome are kept together or not at all.
        """
        tenant = rows[0][0].tenant
        lock(connection, f"audit:{tenant}")
        last = first = self._checked_head(connection, tenant)
        values, heads = list[dict[str, object]](), list[AuditHead]()
        for scope, entry in rows:
            row = self._sealed(scope, entry, last)
            last = AuditHead(seq=last.seq + 1, mac=str(row["mac"]))
            values.append(row)
            heads.append(last)
        connection.execute(_ADD, values)
        self._move_head(connection, first, last, tenant=tenant)
        return heads

    def _write_together(self, entries: Sequence[Waiting]) -> None:
        """Write what has come in for one tenant, in the writer's thread."""
        rows = [(one.scope, one.entry) for one in entries]
        heads = self._database.write_now(lambda connection: self.extend(connection, rows))
        for one, head in zip(entries, heads, strict=True):
            one.written = head
        if self._heads is not None:
            self._heads.keep(entries[0].scope.tenant, heads[-1])

    async def rows(self, scope: Scope, *, after_seq: int = 0, limit: int = 1000) -> list[AuditRow]:
        """Return rows past `after_seq`, in order."""
        page = await self.page(
            scope, AuditFilter(), limit=limit, cursor=after_seq, oldest_first=True
        )
        return list(page.rows)

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
        require(scope, "audit.read", _TARGET)
        seq = audit_logs.c.seq
        query = sought(scope.tenant, wanted).order_by(seq if oldest_first else seq.desc())
        if cursor:
            query = query.where(seq > cursor if oldest_first else seq < cursor)
        found = await self._found(query.limit(limit + 1))
        shown = tuple(audit_row(row) for row in found[:limit])
        return AuditPage(rows=shown, cursor=shown[-1].seq if len(found) > limit else 0)

    async def sealed(
        self, scope: Scope, *, since: datetime | None = None, upto: int | None = None
    ) -> AsyncIterator[SealedRow]:
        """Yield the rows as they lie there, without a gap, from the first of a time on."""
        require(scope, "audit.read", _TARGET)
        rows = audit_logs.c
        last = 0
        if since is not None:
            earliest = select(func.min(rows.seq)).where(
                rows.tenant == scope.tenant, rows.ts >= microseconds(since)
            )
            first = await self._database.read(lambda c: c.execute(earliest).scalar())
            if first is None:
                return
            last = int(first) - 1
        while True:
            query = select(audit_logs).where(rows.tenant == scope.tenant, rows.seq > last)
            if upto is not None:
                query = query.where(rows.seq <= upto)
            found = await self._found(query.order_by(rows.seq).limit(_ROWS_AT_ONCE))
            for row in found:
                yield sealed_row(row)
            if len(found) < _ROWS_AT_ONCE:
                return
            last = found[-1]["seq"]

    async def seal(self, scope: Scope, values: Sequence[str | int]) -> str:
        """Return the seal of a statement about the caller's chain, of which the tenant is part."""
        require(scope, "audit.read", _TARGET)
        return self._sealer.statement(scope.tenant, values)

    async def unfinished(self, scope: Scope) -> list[AuditRow]:
        """Return the intents without an outcome, in order: acts of which it is not known."""
        require(scope, "audit.read", _TARGET)
        found = await self._found(lone_intents(scope.tenant).order_by(audit_logs.c.seq))
        return [audit_row(row) for row in found]

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
                    return report
            return replace(report, unfinished=count_of(connection, lone_intents(scope.tenant)))

        return await self._database.read(work)

    async def _found(self, query: Select[Any]) -> Sequence[RowMapping]:
        return await self._database.read(lambda c: c.execute(query).mappings().all())

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
            "target": stored_target(deed.target),
            "decision": entry.decision.value,
            "reason": clean(entry.reason),
            "run_id": clean(deed.run_id),
            "request_id": clean(deed.request_id),
            "meta": as_json(dict(deed.meta)),
            "prev": last.mac,
        }
        return row | {"mac": self._sealer.row(row)}

    def _move_head(
        self, connection: Connection, former: AuditHead, head: AuditHead, *, tenant: str
    ) -> None:
        values = {"seq": head.seq, "mac": head.mac, "seal": self._sealer.head(tenant, head)}
        if not former.seq:
            connection.execute(audit_heads.insert(), {"tenant": tenant, **values})
            return
        # The former head must be the one just read, or somebody else moved it.
        whose = {"whose": tenant, "former": former.seq}
        moved = connection.execute(_MOVE, {**values, **whose})
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
    return connection.execute(_HEAD, {"whose": tenant}).mappings().one_or_none()
