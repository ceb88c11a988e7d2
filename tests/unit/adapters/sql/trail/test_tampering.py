"""A thousand ways to change a log: each is noticed in the tables, and in what was exported."""

from __future__ import annotations

import asyncio
import json
import random
import runpy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, delete, insert, select, update

from house.source import ROOT
from weft.adapters.sql.database.schema import audit_heads, audit_logs
from weft.adapters.sql.records import Records, open_records
from weft.adapters.sql.trail.audit import inspect_chain
from weft.adapters.sql.trail.audit_chain import SEALED, Inspection, Sealer
from weft.platform.audit import audited
from weft.platform.identity import OWNER_PERMISSIONS, principal_scope
from weft.platform.trail.audit_export import AuditExport, ExportFormat
from weft.ports.records.audit import AuditHead, Deed

KEY = b"a key for tests, of thirty-two b"
ROWS = 24
TIMES = 1000
COLUMNS = (*SEALED, "mac")
ANN, ELSEWHERE = (
    principal_scope(tenant=t, actor="user:ann", groups=(), permissions=OWNER_PERMISSIONS)
    for t in ("acme", "globex")
)
verify = runpy.run_path(str(ROOT / "docs" / "verify_audit.py"))["verify"]
Stored = dict[str, Any]
Tampering = Callable[[random.Random, list[Stored], list[Stored]], list[Stored]]


class Ticking:
    """A clock that goes on a second with each look."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def now(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time

    def elapsed(self) -> float:
        return 0.0


@dataclass(frozen=True, slots=True)
class Chain:
    """Records with a chain for each of two tenants, and what was exported of the first."""

    records: Records
    head: AuditHead
    exported: dict[ExportFormat, list[str]]

    def stored(self, tenant: str) -> list[Stored]:
        """Return the rows of a tenant as they lie there."""
        query = select(audit_logs).where(audit_logs.c.tenant == tenant).order_by(audit_logs.c.seq)
        with self.records.database.engine.connect() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def is_noticed(self, rows: list[Stored], head: Stored | None) -> bool:
        """Put rows and a head in the place of the first chain, verify, and take all back."""
        with self.records.database.engine.connect() as connection:
            connection.execute(delete(audit_logs).where(audit_logs.c.tenant == "acme"))
            if rows:
                connection.execute(insert(audit_logs), rows)
            if head is not None:
                connection.execute(
                    update(audit_heads).where(audit_heads.c.tenant == "acme").values(**head)
                )
            report = self._report(connection)
            connection.rollback()
        return not report

    def _report(self, connection: Connection) -> bool:
        inspection = Inspection(Sealer(KEY), "acme", known=self.head)
        return inspect_chain(connection, inspection, tenant="acme").is_intact


async def _filled(records: Records) -> Chain:
    for number in range(ROWS // 2):
        for scope in (ANN, ELSEWHERE):
            deed = Deed(
                action="document.read",
                target=f"kb:Docs/d{number}",
                run_id=f"r{number}",
                meta={"chunks_count": number, "documents": ["한", "b"]},
            )
            async with audited(records.audit, scope, deed):
                pass
    exported = {
        form: [line async for line in AuditExport(audit=records.audit, form=form).lines(ANN)]
        for form in ExportFormat
    }
    return Chain(records, await records.audit.head(ANN), exported)


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    folder = tmp_path_factory.mktemp("chain")
    url = f"sqlite:///{folder / 'records.db'}"
    records = open_records(url, audit_key=KEY, clock=Ticking())
    yield asyncio.run(_filled(records))
    records.database.close_now()


def _numbered(rows: list[Stored]) -> list[Stored]:
    """Return rows with their numbers in order, as somebody would who hides what was done."""
    return [{**row, "seq": number} for number, row in enumerate(rows, 1)]


def edited(rng: random.Random, rows: list[Stored], _: list[Stored]) -> list[Stored]:
    """Change one value of one row."""
    at, column = rng.randrange(len(rows)), rng.choice(COLUMNS)
    was = rows[at][column]
    if column in ("seq", "ts"):
        value: object = was + rng.choice((-1, 1, 1000)) if column == "ts" else was + ROWS
    else:
        place = rng.randrange(len(was) + 1)
        value = rng.choice((was[:place] + rng.choice("0aé ") + was[place:], was[:place]))
        value = value if value != was else f"{was}x"
    return [*rows[:at], {**rows[at], column: value}, *rows[at + 1 :]]


def deleted(rng: random.Random, rows: list[Stored], _: list[Stored]) -> list[Stored]:
    """Take rows out, from anywhere, the ends included; number the rest anew or not."""
    begin = rng.randrange(len(rows))
    left = rows[:begin] + rows[begin + rng.randint(1, 4) :]
    return _numbered(left) if rng.random() < 0.5 else left


def inserted(rng: random.Random, rows: list[Stored], _: list[Stored]) -> list[Stored]:
    """Put a row in, made up by the chain's own rules but with another key, or a copy."""
    at = rng.randrange(len(rows) + 1)
    new = {**rng.choice(rows), "intent_id": f"{rng.getrandbits(64):x}"}
    new["prev"] = rows[at - 1]["mac"] if at else ""
    new["seq"] = at + 1
    if rng.random() < 0.5:
        new["mac"] = Sealer(b"a key that somebody guessed, wrongly").row(new)
    return _numbered([*rows[:at], new, *rows[at:]])


def swapped(rng: random.Random, rows: list[Stored], _: list[Stored]) -> list[Stored]:
    """Let two rows change places."""
    a, b = rng.sample(range(len(rows)), 2)
    changed = list(rows)
    changed[a], changed[b] = rows[b], rows[a]
    return _numbered(changed)


def spliced(rng: random.Random, rows: list[Stored], others: list[Stored]) -> list[Stored]:
    """Put a stretch of another chain, or of another place, where rows of this one were."""
    begin, length = rng.randrange(len(rows) - 4), rng.randint(1, 4)
    source = others if rng.random() < 0.5 else rows
    start = rng.choice([place for place in range(len(source) - length) if place != begin])
    taken = [{**row, "tenant": "acme"} for row in source[start : start + length]]
    for row in taken if source is rows else ():
        row["intent_id"] += "x"  # the tables take each only once
    return _numbered(rows[:begin] + taken + rows[begin + length :])


WAYS: tuple[Tampering, ...] = (edited, deleted, inserted, swapped, spliced)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_changed_in_the_tables_is_noticed(chain: Chain, way: Tampering) -> None:
    rows, others = chain.stored("acme"), chain.stored("globex")
    assert not chain.is_noticed(rows, None)
    for seed in range(TIMES // len(WAYS)):
        rng = random.Random(f"{way.__name__} {seed}")
        changed = way(rng, rows, others)
        last = changed[-1]
        # Whoever changes rows changes the head too, as far as that goes without the key.
        head = {"seq": last["seq"], "mac": last["mac"]} if rng.random() < 0.5 else None
        assert chain.is_noticed(changed, head), (way.__name__, seed)


@pytest.mark.parametrize("form", list(ExportFormat))
@pytest.mark.parametrize("way", WAYS)
def test_what_is_changed_in_an_export_is_noticed(
    chain: Chain, way: Tampering, form: ExportFormat
) -> None:
    *lines, end = chain.exported[form]
    rows, others = chain.stored("acme"), chain.stored("globex")
    by_mac = {row["mac"]: line for row, line in zip(rows, lines, strict=True)}
    verify([*lines, end], KEY)
    for seed in range(TIMES // len(WAYS)):
        rng = random.Random(f"{way.__name__} {seed} {form}")
        changed = [_line(row, by_mac, form) for row in way(rng, rows, others)]
        changed += [] if rng.random() < 0.2 else [end]
        with pytest.raises(SystemExit, match=r"line \d+: "):
            verify(changed, KEY)


def _line(row: Stored, by_mac: dict[str, str], form: ExportFormat) -> str:
    """Return a row as a line: in an event of OCSF its row is exchanged, the rest stays."""
    if form is ExportFormat.JSONL:
        return json.dumps(row, separators=(",", ":"), sort_keys=True)
    event = json.loads(by_mac.get(row["mac"], next(iter(by_mac.values()))))
    event["unmapped"]["row"] = row
    return json.dumps(event, separators=(",", ":"), sort_keys=True)


def test_what_is_mapped_of_an_event_cannot_be_changed_either(chain: Chain) -> None:
    lines = chain.exported[ExportFormat.OCSF]
    for seed in range(200):
        rng = random.Random(seed)
        at = rng.randrange(len(lines))
        event = json.loads(lines[at])
        name = rng.choice([key for key in event if key != "unmapped"])
        event[name] = {"forged": seed} if rng.random() < 0.5 else f"forged {seed}"
        changed = [*lines[:at], json.dumps(event, separators=(",", ":"), sort_keys=True)]
        with pytest.raises(SystemExit, match=f"line {at + 1}: "):
            verify([*changed, *lines[at + 1 :]], KEY)


def test_any_byte_of_an_export_counts(chain: Chain) -> None:
    for form, lines in chain.exported.items():
        text = "\n".join(lines)
        for seed in range(300):
            rng = random.Random(f"{seed} {form}")
            at = rng.randrange(len(text))
            changed = text[:at] + rng.choice(' 0",}x') + text[at + rng.randint(0, 1) :]
            if changed == text:
                continue
            with pytest.raises(SystemExit):
                verify(changed.split("\n"), KEY)


def test_an_older_export_is_missed_by_a_head_that_is_known(chain: Chain) -> None:
    lines = chain.exported[ExportFormat.JSONL]
    verify(lines, KEY, (chain.head.seq, chain.head.mac))
    with pytest.raises(SystemExit, match="rows are missing"):
        verify(lines, KEY, (chain.head.seq + 1, "00" * 32))
    with pytest.raises(SystemExit, match="another row was known"):
        verify(lines, KEY, (chain.head.seq, "00" * 32))
    with pytest.raises(SystemExit):
        verify(lines, b"another key, just as long as is.")


def test_the_verifier_has_fifty_lines_and_imports_nothing_of_ours() -> None:
    text = (ROOT / "docs" / "verify_audit.py").read_text()
    assert len(text.splitlines()) <= 50
    imports = [line for line in text.splitlines() if line.startswith(("import ", "from "))]
    assert imports == ["import hmac", "import json", "import sys"]
