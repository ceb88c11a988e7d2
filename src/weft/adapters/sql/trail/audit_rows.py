"""Rows of the audit log as they lie in the table, as the port knows them, and which are sought."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    Text,
    cast,
    exists,
    func,
    select,
)

from weft.adapters.sql.database.columns import clean, microseconds, moment
from weft.adapters.sql.database.schema import audit_logs
from weft.adapters.sql.trail.chain_writer import stored_target
from weft.domain.errors import StoreCorrupt
from weft.ports.records.audit import (
    AuditDecision,
    AuditEntry,
    AuditFilter,
    AuditRow,
    Deed,
    Phase,
    SealedRow,
)

_MANY = "*"


def audit_row(row: RowMapping) -> AuditRow:
    """Return a row as the port knows it; raises `StoreCorrupt` for one that nobody here wrote."""
    try:
        deed = Deed(
            action=row["action"],
            target=row["target"],
            run_id=row["run_id"],
            request_id=row["request_id"],
            meta=json.loads(row["meta"]),
        )
        entry = AuditEntry(
            phase=Phase(row["phase"]),
            intent_id=row["intent_id"],
            deed=deed,
            decision=AuditDecision(row["decision"]),
            reason=row["reason"],
        )
        ts = moment(row["ts"])
    except (ValueError, TypeError, OverflowError) as error:
        raise StoreCorrupt(
            f"Row {row['seq']} of the audit log was changed; run: weft audit verify"
        ) from error
    return AuditRow(
        seq=row["seq"], ts=ts, actor=row["actor"], entry=entry, prev=row["prev"], mac=row["mac"]
    )


def sealed_row(row: RowMapping) -> SealedRow:
    """Return a row untouched."""
    values: dict[str, Any] = {field.name: row[field.name] for field in fields(SealedRow)}
    return SealedRow(**values)


def sought(tenant: str, wanted: AuditFilter) -> Select[Any]:
    """Return the query for the rows of a tenant that fit, in no order yet."""
    rows = audit_logs.c
    conditions: list[ColumnElement[bool]] = [rows.tenant == tenant]
    exact = (
        (rows.actor, wanted.actor),
        (rows.run_id, wanted.run_id),
        (rows.request_id, wanted.request_id),
        (rows.decision, wanted.decision.value if wanted.decision else ""),
    )
    conditions += [column == clean(value) for column, value in exact if value]
    for column, value in ((rows.action, wanted.action), (rows.target, wanted.target)):
        if value:
            conditions.append(_fits(column, value))
    if wanted.since is not None:
        conditions.append(rows.ts >= microseconds(wanted.since))
    if wanted.until is not None:
        conditions.append(rows.ts < microseconds(wanted.until))
    return select(audit_logs).where(*conditions)


def _fits(column: Column[str], value: str) -> ColumnElement[bool]:
    if value.endswith(_MANY):
        start = clean(value.removesuffix(_MANY))
        return func.substr(cast(column, Text), 1, len(start)) == start
    return column == stored_target(value)


def lone_intents(tenant: str) -> Select[Any]:
    """Return the query for the intents that nothing was written of afterwards."""
    outcome = audit_logs.alias("outcome")
    followed = select(outcome.c.seq).where(
        outcome.c.tenant == audit_logs.c.tenant,
        outcome.c.intent_id == audit_logs.c.intent_id,
        outcome.c.phase == Phase.OUTCOME.value,
    )
    return (
        select(audit_logs)
        .where(audit_logs.c.tenant == tenant, audit_logs.c.phase == Phase.INTENT.value)
        # What is decided with the intent itself has no outcome to wait for.
        .where(audit_logs.c.decision == AuditDecision.PENDING.value, ~exists(followed))
    )


def count_of(connection: Connection, query: Select[Any]) -> int:
    """Return how many rows a query finds."""
    return connection.execute(select(func.count()).select_from(query.subquery())).scalar_one()
