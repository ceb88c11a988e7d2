"""Erasing runs and conversations for good: rows go, not only what stands in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, func, select

from weft.adapters.sql.database.schema import (
    conversation_runs,
    conversations,
    messages,
    run_events,
    run_sources,
    run_tape,
    runs,
    tool_runs,
)
from weft.ports.records.conversations import Cleared

# How many values one statement lists: well under what any database allows.
_BATCH = 500
_OF_A_RUN = (run_events, run_tape, run_sources, tool_runs, runs)


def batches(values: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the values in parts that one statement can list."""
    for start in range(0, len(values), _BATCH):
        yield values[start : start + _BATCH]


def erase_runs(connection: Connection, chosen: ColumnElement[bool]) -> int:
    """Erase the runs for which a condition on `runs` holds, and all that was kept of them."""
    found = connection.execute(select(runs.c.tenant, runs.c.run_id).where(chosen)).all()
    by_tenant: dict[str, list[str]] = {}
    for tenant, run_id in found:
        by_tenant.setdefault(tenant, []).append(run_id)
    for tenant, ids in by_tenant.items():
        for some in batches(ids):
            for table in _OF_A_RUN:
                of_some = and_(table.c.tenant == tenant, table.c.run_id.in_(some))
                connection.execute(delete(table).where(of_some))
    return len(found)


def erase_conversations(connection: Connection, chosen: ColumnElement[bool]) -> Cleared:
    """Erase the conversations for which a condition holds, with their messages and runs."""
    columns = (conversations.c.tenant, conversations.c.id, conversations.c.actor)
    cleared = Cleared()
    for tenant, key, actor in connection.execute(select(*columns).where(chosen)).all():
        ids = _column(connection, conversation_runs, tenant, key)
        erased = sum(
            erase_runs(
                connection,
                and_(runs.c.tenant == tenant, runs.c.actor == actor, runs.c.run_id.in_(some)),
            )
            for some in batches(ids)
        )
        said = connection.execute(
            select(func.count()).select_from(messages).where(_of(messages, tenant, key))
        ).scalar_one()
        for table in (messages, conversation_runs):
            connection.execute(delete(table).where(_of(table, tenant, key)))
        own = and_(conversations.c.tenant == tenant, conversations.c.id == key)
        connection.execute(delete(conversations).where(own))
        cleared = Cleared(
            conversations=cleared.conversations + 1,
            messages=cleared.messages + said,
            runs=cleared.runs + erased,
        )
    return cleared


def _column(connection: Connection, table: Table, tenant: str, key: str) -> list[str]:
    found = connection.execute(select(table.c.run_id).where(_of(table, tenant, key)))
    return list(found.scalars())


def _of(table: Table, tenant: str, key: str) -> ColumnElement[bool]:
    return and_(table.c.tenant == tenant, table.c.conversation == key)
