"""The contract of searching the audit log: what fits, in pages, on every database."""

from __future__ import annotations

import itertools
from dataclasses import fields
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from contract.records_world import ANN, ANN_ELSEWHERE, BOB, NOON, World, each_database, world
from weft.adapters.sql.database.schema import audit_logs
from weft.adapters.sql.trail.audit_rows import sought
from weft.domain.errors import Forbidden, StoreCorrupt
from weft.platform.identity import principal_scope
from weft.ports.records.audit import (
    AuditDecision,
    AuditEntry,
    AuditFilter,
    AuditRow,
    Deed,
    Phase,
    SealedRow,
)

pytestmark = pytest.mark.anyio

ACTIONS = ("document.read", "document.list", "ask")
TARGETS = ("kb:Docs", "kb:Docs/한", "kb:Other", "한" * 2000)


async def fill(w: World, count: int = 48) -> list[AuditRow]:
    """Write rows of two callers, one a second, and return them, the oldest first."""
    for number in range(count):
        deed = Deed(
            action=ACTIONS[number % 3],
            target=TARGETS[number % 4],
            run_id=f"r{number % 5}",
            request_id=f"q{number}",
        )
        denied = number % 7 == 0
        entry = AuditEntry(
            phase=Phase.INTENT,
            intent_id=f"i{number}",
            deed=deed,
            decision=AuditDecision.DENIED if denied else AuditDecision.PENDING,
        )
        await w.records.audit.append(ANN if number % 2 else BOB, entry)
        await w.records.audit.append(ANN_ELSEWHERE, entry)
        w.clock.move(1)
    return await w.records.audit.rows(ANN)


def fits(row: AuditRow, wanted: AuditFilter) -> bool:
    """Tell whether a row fits, as one reads the filter's description."""
    deed = row.entry.deed

    def is_meant(value: str, said: str) -> bool:
        if said.endswith("*"):
            return value.startswith(said[:-1])
        # A target that is too long for an index is stored cut short, with its hash.
        return not said or value == said or (len(said) > 900 and value.startswith(said[:200]))

    return (
        is_meant(row.actor, wanted.actor)
        and is_meant(deed.action, wanted.action)
        and is_meant(deed.target, wanted.target)
        and is_meant(deed.run_id, wanted.run_id)
        and is_meant(deed.request_id, wanted.request_id)
        and (wanted.decision is None or row.entry.decision is wanted.decision)
        and (wanted.since is None or row.ts >= wanted.since)
        and (wanted.until is None or row.ts < wanted.until)
    )


FILTERS = [
    AuditFilter(),
    *(AuditFilter(actor=actor) for actor in ("user:ann", "user:bob", "user:an", "%")),
    *(AuditFilter(action=action) for action in ("ask", "document.*", "document._ist", "*")),
    *(AuditFilter(target=target) for target in (*TARGETS, "kb:Docs*", "kb:%*", "KB:docs*")),
    *(AuditFilter(decision=decision) for decision in AuditDecision),
    AuditFilter(run_id="r3"),
    AuditFilter(request_id="q7"),
    AuditFilter(since=NOON + timedelta(seconds=40)),
    AuditFilter(until=NOON + timedelta(seconds=8)),
    AuditFilter(
        actor="user:ann",
        action="document.*",
        since=NOON + timedelta(seconds=3),
        until=NOON + timedelta(seconds=30),
    ),
    AuditFilter(actor="user:bob", decision=AuditDecision.DENIED, target="kb:Docs"),
    AuditFilter(actor="user:ann\0"),
]


@each_database
async def test_a_search_finds_what_fits(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        rows = await fill(w)
        for wanted, oldest_first in itertools.product(FILTERS, (True, False)):
            expected = [row.seq for row in rows if fits(row, wanted)]
            expected = expected if oldest_first else expected[::-1]
            found: list[int] = []
            cursor = 0
            while True:
                page = await w.records.audit.page(
                    ANN, wanted, limit=7, cursor=cursor, oldest_first=oldest_first
                )
                found += [row.seq for row in page.rows]
                if not page.cursor:
                    break
                assert len(page.rows) == 7
                cursor = page.cursor
            assert found == expected, wanted


@each_database
async def test_rows_lie_there_untouched_and_without_a_gap(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        await fill(w, 20)
        audit = w.records.audit
        all_rows = [row async for row in audit.sealed(ANN)]
        assert [row.seq for row in all_rows] == list(range(1, 21))
        assert {row.tenant for row in all_rows} == {"acme"}
        later = [row async for row in audit.sealed(ANN, since=NOON + timedelta(seconds=5), upto=9)]
        assert later == all_rows[5:9]
        nothing = audit.sealed(ANN, since=NOON + timedelta(days=1))
        assert [row async for row in nothing] == []
        assert [each.name for each in fields(SealedRow)] == list(audit_logs.c.keys())


@each_database
async def test_only_who_may_read_the_log_reads_it(database: str, tmp_path: Path) -> None:
    sam = principal_scope(tenant="acme", actor="user:sam", groups=(), permissions={"ask"})
    async with world(database, tmp_path) as w:
        audit = w.records.audit
        with pytest.raises(Forbidden):
            await audit.page(sam, AuditFilter())
        with pytest.raises(Forbidden):
            await anext(aiter(audit.sealed(sam)))
        with pytest.raises(Forbidden):
            await audit.seal(sam, ["export", 1])


@each_database
async def test_a_row_that_nobody_here_wrote_is_told(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        await fill(w, 3)
        forged = text("UPDATE audit_logs SET decision = 'fine' WHERE seq = 2 AND tenant = 'acme'")
        await w.records.database.write(lambda connection: connection.execute(forged))
        with pytest.raises(StoreCorrupt, match="Row 2 of the audit log was changed"):
            await w.records.audit.page(ANN, AuditFilter())
        report = await w.records.audit.verify(ANN)
        assert (report.broken_at, report.reason) == (2, "the row was changed")


@each_database
async def test_one_entry_that_cannot_be_written_keeps_no_other_out(
    database: str, tmp_path: Path
) -> None:
    import anyio

    def entry(name: str, meta: dict[str, object]) -> AuditEntry:
        deed = Deed(action="ask", target="kb:Docs", meta=meta)
        return AuditEntry(
            phase=Phase.INTENT, intent_id=name, deed=deed, decision=AuditDecision.PENDING
        )

    async with world(database, tmp_path) as w:
        failed: list[str] = []

        async def append(name: str, meta: dict[str, object]) -> None:
            try:
                await w.records.audit.append(ANN, entry(name, meta))
            except (TypeError, ValueError):
                failed.append(name)

        async with anyio.create_task_group() as tasks:
            for number in range(40):
                bad = number % 10 == 3
                tasks.start_soon(append, f"i{number}", {"n": object() if bad else number})
        assert sorted(failed) == ["i13", "i23", "i3", "i33"]
        report = await w.records.audit.verify(ANN)
        assert (report.is_intact, report.rows, report.unfinished) == (True, 36, 36)


@pytest.mark.parametrize(
    "wanted",
    [
        AuditFilter(actor="user:ann"),
        AuditFilter(action="ask"),
        AuditFilter(target="kb:Docs"),
        AuditFilter(decision=AuditDecision.DENIED),
        AuditFilter(run_id="r3"),
        AuditFilter(request_id="q7"),
        AuditFilter(since=NOON, until=NOON + timedelta(seconds=8)),
    ],
)
async def test_each_part_of_a_filter_has_an_index(wanted: AuditFilter, tmp_path: Path) -> None:
    async with world("sqlite", tmp_path) as w:
        engine = w.records.database.engine
        query = sought("acme", wanted).compile(engine, compile_kwargs={"literal_binds": True})
        with engine.connect() as connection:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}").all()
        assert "USING INDEX ix_audit_logs_" in str(plan)
