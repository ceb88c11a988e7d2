"""The contract of the audit log: one chain a tenant, sealed row by row, whoever writes to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract.records_world import (
    ANN,
    ANN_ELSEWHERE,
    NOON,
    child,
    each_database,
    world,
)
from weft.adapters.sql.records import open_records
from weft.domain.errors import ConfigurationError, Forbidden
from weft.domain.scope import Scope
from weft.platform.identity import principal_scope
from weft.ports.records.audit import Audit, AuditDecision, AuditEntry, AuditHead, Deed, Phase

pytestmark = pytest.mark.anyio

STRANGER = principal_scope(tenant="acme", actor="user:sam", groups=(), permissions={"ask"})


def entry(intent_id: str, phase: Phase = Phase.INTENT, run_id: str = "r1") -> AuditEntry:
    done = phase is Phase.OUTCOME
    return AuditEntry(
        phase=phase,
        intent_id=intent_id,
        deed=Deed(
            action="kb.read",
            target="kb:Docs",
            run_id=run_id,
            request_id="q7",
            meta={"documents": ["d1", "한"], "n": 2},
        ),
        decision=AuditDecision.OK if done else AuditDecision.PENDING,
        reason="granted by kb.read",
    )


async def fill(audit: Audit, scope: Scope, count: int) -> None:
    for number in range(count):
        await audit.append(scope, entry(f"i{number}"))
        await audit.append(scope, entry(f"i{number}", Phase.OUTCOME))


@each_database
async def test_rows_come_back_as_they_were_written(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        audit = w.records.audit
        await audit.append(ANN, entry("i1"))
        head = await audit.append(ANN, entry("i1", Phase.OUTCOME))
        rows = await audit.rows(ANN)
        assert [row.entry for row in rows] == [entry("i1"), entry("i1", Phase.OUTCOME)]
        assert [(row.seq, row.actor, row.ts) for row in rows] == [
            (1, "user:ann", NOON),
            (2, "user:ann", NOON),
        ]
        assert rows[1].prev == rows[0].mac
        assert head == AuditHead(seq=2, mac=rows[1].mac) == await audit.head(ANN)
        assert await audit.rows(ANN, after_seq=1) == rows[1:]
        assert await audit.rows(ANN, limit=1) == rows[:1]


@each_database
async def test_each_tenant_has_its_own_chain(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        audit = w.records.audit
        await fill(audit, ANN, 2)
        await fill(audit, ANN_ELSEWHERE, 1)
        assert (await audit.verify(ANN)).rows == 4
        assert (await audit.verify(ANN_ELSEWHERE)).rows == 2
        assert len(await audit.rows(ANN_ELSEWHERE)) == 2


@each_database
async def test_an_empty_chain_is_intact(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        assert (await w.records.audit.verify(ANN)).is_intact
        assert await w.records.audit.head(ANN) == AuditHead(seq=0, mac="")


@each_database
async def test_a_known_head_must_be_in_the_chain(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        audit = w.records.audit
        await fill(audit, ANN, 2)
        known = await audit.head(ANN)
        await fill_more(audit)
        assert (await audit.verify(ANN, known=known)).is_intact
        other = AuditHead(seq=known.seq, mac="00" * 32)
        assert (await audit.verify(ANN, known=other)).broken_at == known.seq
        beyond = AuditHead(seq=99, mac=known.mac)
        assert not (await audit.verify(ANN, known=beyond)).is_intact


async def fill_more(audit: Audit) -> None:
    await audit.append(ANN, entry("later"))


@each_database
async def test_another_key_does_not_verify(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        await fill(w.records.audit, ANN, 1)
        other = open_records(w.url, audit_key=b"another key, just as long as is.", clock=w.clock)
        report = await other.audit.verify(ANN)
        await other.close()
        assert (report.broken_at, report.rows) == (1, 0)


def test_a_short_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        open_records(f"sqlite:///{tmp_path / 'a.db'}", audit_key=b"short", clock=None)  # type: ignore[arg-type]  # never used


@each_database
async def test_intents_without_an_outcome_are_shown(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        audit = w.records.audit
        await fill(audit, ANN, 1)
        await audit.append(ANN, entry("lost"))
        await audit.append(ANN_ELSEWHERE, entry("lost", Phase.OUTCOME))
        await audit.append(ANN_ELSEWHERE, entry("i0"))
        assert [row.entry.intent_id for row in await audit.unfinished(ANN)] == ["lost"]
        assert [row.entry.intent_id for row in await audit.unfinished(ANN_ELSEWHERE)] == ["i0"]


@each_database
async def test_reading_needs_its_permission_and_writing_none(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        audit = w.records.audit
        await audit.append(STRANGER, entry("i1"))
        for reading in (audit.rows, audit.unfinished, audit.head, audit.verify):
            with pytest.raises(Forbidden):
                await reading(STRANGER)
        assert [row.actor for row in await audit.rows(ANN)] == ["user:sam"]


@pytest.mark.fault
@each_database
async def test_two_processes_write_one_chain(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        writers = [child("append", w.url, tag) for tag in ("a", "b")]
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        await fill(w.records.audit, ANN, 20)
        for writer in writers:
            writer.communicate()
            assert writer.returncode == 0
        report = await w.records.audit.verify(ANN)
        assert (report.is_intact, report.rows) == (True, 120)
