"""The law of the audit chain: no single change to what is stored goes unnoticed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, insert, select, update

from weft.adapters.sql.database.schema import audit_heads, audit_logs
from weft.adapters.sql.records import Records, open_records
from weft.adapters.sql.trail.audit import inspect_chain
from weft.adapters.sql.trail.audit_chain import SEALED, Inspection, Sealer
from weft.domain.errors import AuditBroken
from weft.platform.identity import OWNER_PERMISSIONS, principal_scope
from weft.ports.records.audit import AuditDecision, AuditEntry, AuditHead, AuditReport, Deed, Phase

KEY = b"a key for tests, of thirty-two b"
ROWS = 8
TENANTS = ("acme", "globex")
ANN, ELSEWHERE = (
    principal_scope(tenant=t, actor="user:ann", groups=(), permissions=OWNER_PERMISSIONS)
    for t in TENANTS
)


class _Noon:
    def now(self) -> datetime:
        return datetime(2026, 3, 1, 12, tzinfo=UTC)

    def elapsed(self) -> float:
        return 0.0


@dataclass(frozen=True, slots=True)
class Chain:
    """Open records with `ROWS` rows in each tenant's chain."""

    records: Records

    def after(self, change: Any, known: AuditHead | None = None) -> AuditReport:
        """Return the report on what is left of the chain by a change that is then undone."""
        with self.records.database.engine.connect() as connection:
            change(connection)
            report = inspect_chain(
                connection, Inspection(Sealer(KEY), ANN.tenant, known=known), tenant=ANN.tenant
            )
            connection.rollback()
        return report


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    folder: Path = tmp_path_factory.mktemp("audit")
    records = open_records(f"sqlite:///{folder / 'a.db'}", audit_key=KEY, clock=_Noon())
    asyncio.run(_fill(records))
    yield Chain(records)
    records.database.close_now()


async def _fill(records: Records) -> None:
    for scope in (ANN, ELSEWHERE):
        for number in range(ROWS):
            await records.audit.append(scope, _entry(number))


def _entry(number: int) -> AuditEntry:
    return AuditEntry(
        phase=Phase.INTENT,
        intent_id=f"i{number}",
        deed=Deed(action="kb.read", target="kb:Docs", run_id="r1", meta={"n": number}),
        decision=AuditDecision.PENDING,
    )


def _rows(connection: Connection, tenant: str = "acme") -> list[dict[str, Any]]:
    query = select(audit_logs).where(audit_logs.c.tenant == tenant).order_by(audit_logs.c.seq)
    return [dict(row) for row in connection.execute(query).mappings()]


def _at(seq: int, tenant: str = "acme") -> Any:
    return (audit_logs.c.tenant == tenant) & (audit_logs.c.seq == seq)


def _put(connection: Connection, seq: int, row: dict[str, Any]) -> None:
    connection.execute(delete(audit_logs).where(_at(seq)))
    connection.execute(insert(audit_logs), {**row, "tenant": "acme"})


seqs = st.integers(1, ROWS)
values = st.one_of(
    st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
    st.integers(-(2**40), 2**40),
    st.binary(max_size=4),
)


def test_an_untouched_chain_is_intact(chain: Chain) -> None:
    assert chain.after(lambda connection: None) == AuditReport(rows=ROWS)


@given(seq=seqs, column=st.sampled_from([*SEALED, "mac"]), value=values)
def test_an_edit_is_detected(chain: Chain, seq: int, column: str, value: object) -> None:
    changed = []

    def edit(connection: Connection) -> None:
        before = _rows(connection)
        row = audit_logs.c[column]
        statement = f"UPDATE OR IGNORE audit_logs SET {row.name} = ? WHERE tenant = ? AND seq = ?"
        connection.exec_driver_sql(statement, (value, "acme", seq))
        changed.append(before != _rows(connection))

    assert chain.after(edit).is_intact is not changed[0]


@given(seq=seqs)
def test_a_deletion_is_detected(chain: Chain, seq: int) -> None:
    report = chain.after(lambda c: c.execute(delete(audit_logs).where(_at(seq))))
    assert report.broken_at == seq


@given(seq=seqs)
def test_a_deletion_that_closes_the_gap_is_detected(chain: Chain, seq: int) -> None:
    def close_gap(connection: Connection) -> None:
        connection.execute(delete(audit_logs).where(_at(seq)))
        for later in range(seq + 1, ROWS + 1):
            connection.execute(update(audit_logs).where(_at(later)).values(seq=later - 1))
        heads = update(audit_heads).where(audit_heads.c.tenant == "acme")
        connection.execute(heads.values(seq=ROWS - 1))

    assert not chain.after(close_gap).is_intact


@given(seq=st.integers(1, ROWS + 1), copied=seqs)
def test_an_insertion_is_detected(chain: Chain, seq: int, copied: int) -> None:
    def put_between(connection: Connection) -> None:
        rows = _rows(connection)
        for later in range(ROWS, seq - 1, -1):
            connection.execute(update(audit_logs).where(_at(later)).values(seq=later + 1))
        forged = {**rows[copied - 1], "seq": seq, "intent_id": "forged"}
        connection.execute(insert(audit_logs), forged)
        heads = update(audit_heads).where(audit_heads.c.tenant == "acme")
        connection.execute(heads.values(seq=ROWS + 1, mac=_rows(connection)[-1]["mac"]))

    assert not chain.after(put_between).is_intact


@given(pair=st.lists(seqs, min_size=2, max_size=2, unique=True), keep_links=st.booleans())
def test_a_swap_is_detected(chain: Chain, pair: list[int], keep_links: bool) -> None:
    def swap(connection: Connection) -> None:
        rows = _rows(connection)
        one, other = (rows[seq - 1] for seq in pair)
        links = ("seq", "prev", "mac") if keep_links else ("seq",)
        connection.execute(delete(audit_logs).where(_at(pair[0]) | _at(pair[1])))
        for content, place in ((one, other), (other, one)):
            row = {**content, **{name: place[name] for name in links}}
            connection.execute(insert(audit_logs), row)

    assert chain.after(swap).broken_at == min(pair)


@given(seq=seqs, taken=seqs, keep_seq=st.booleans())
def test_a_splice_from_another_tenant_is_detected(
    chain: Chain, seq: int, taken: int, keep_seq: bool
) -> None:
    def splice(connection: Connection) -> None:
        row = _rows(connection, "globex")[taken - 1]
        connection.execute(delete(audit_logs).where(_at(seq) | _at(taken)))
        _put(connection, seq, {**row, "seq": taken if keep_seq else seq, "intent_id": "x"})

    assert not chain.after(splice).is_intact


def test_a_whole_foreign_chain_is_detected(chain: Chain) -> None:
    def replace_all(connection: Connection) -> None:
        rows = _rows(connection, "globex")
        connection.execute(delete(audit_logs).where(audit_logs.c.tenant == "acme"))
        for row in rows:
            connection.execute(insert(audit_logs), {**row, "tenant": "acme"})

    assert chain.after(replace_all).broken_at == 1


@given(left=st.integers(0, ROWS - 1), head_follows=st.booleans())
def test_a_cut_tail_is_detected(chain: Chain, left: int, head_follows: bool) -> None:
    def cut(connection: Connection) -> None:
        rows = _rows(connection)
        of_tenant = audit_logs.c.tenant == "acme"
        connection.execute(delete(audit_logs).where(of_tenant, audit_logs.c.seq > left))
        if head_follows and left:
            moved = {"seq": left, "mac": rows[left - 1]["mac"]}
            head = update(audit_heads).where(audit_heads.c.tenant == "acme")
            connection.execute(head.values(**moved))

    assert chain.after(cut).broken_at == left + 1


def test_only_a_known_head_shows_that_everything_is_gone(chain: Chain) -> None:
    def wipe(connection: Connection) -> None:
        connection.execute(delete(audit_logs).where(audit_logs.c.tenant == "acme"))
        connection.execute(delete(audit_heads).where(audit_heads.c.tenant == "acme"))

    known = asyncio.run(chain.records.audit.head(ANN))
    assert chain.after(wipe).is_intact
    assert chain.after(wipe, known).broken_at == 1


@pytest.mark.parametrize("column", ["seq", "mac", "seal"])
def test_nothing_is_appended_to_a_head_that_was_changed(tmp_path: Path, column: str) -> None:
    records = open_records(f"sqlite:///{tmp_path / 'a.db'}", audit_key=KEY, clock=_Noon())
    asyncio.run(_fill(records))
    value = 3 if column == "seq" else "00"
    change = update(audit_heads).values({column: value})
    records.database.write_now(lambda connection: connection.execute(change))
    with pytest.raises(AuditBroken):
        asyncio.run(records.audit.append(ANN, _entry(99)))
    records.database.write_now(lambda connection: connection.execute(delete(audit_heads)))
    with pytest.raises(AuditBroken):
        asyncio.run(records.audit.append(ANN, _entry(99)))
    records.database.close_now()
