"""The audit log in a table to which rows are only added."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, func, select

from weft.adapters.sql.database.columns import microseconds
from weft.adapters.sql.database.plain_engine import PlainEngine
from weft.adapters.sql.database.schema import audit_logs
from weft.adapters.sql.trail.audit_chain import EMPTY, Inspection
from weft.adapters.sql.trail.audit_rows import (
    audit_row,
    count_of,
    lone_intents,
    sealed_row,
    sought,
)
from weft.adapters.sql.trail.chain_writer import ChainWriter, stored_head
from weft.domain.errors import AuditBroken
from weft.domain.scope import Scope
from weft.platform.access import require
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


class SqlAudit(ChainWriter):
    """The port `Audit` on a `SqlDatabase`: what acts write, and what is asked of it."""

    def extend(
        self, connection: Connection, rows: Sequence[tuple[Scope, AuditEntry]]
    ) -> list[AuditHead]:
        """Write rows of one tenant within a transaction of the same database; return their heads.

        For acts on these very tables: intent, act and outcome are kept together or not at all.
        """
        return self.extend_plain(PlainEngine(connection), rows)

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
        return await self._database.plain(
            lambda plain: self._checked_head(plain, scope.tenant), writes=False
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


def inspect_chain(connection: Connection, inspection: Inspection, *, tenant: str) -> AuditReport:
    """Walk a tenant's rows as they are stored; memory does not grow with their number."""
    query = select(audit_logs).where(audit_logs.c.tenant == tenant).order_by(audit_logs.c.seq)
    head = stored_head(PlainEngine(connection), tenant)
    # Closed by hand: the walk may end early, and a server keeps what is not read to the end.
    with connection.execute(query, execution_options={"yield_per": _ROWS_AT_ONCE}) as rows:
        return inspection.report(rows.mappings(), head)
