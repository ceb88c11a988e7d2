"""Measure what the audit log costs: a row alone, rows under load, a search, a verification.

Usage: python bench/bench_audit.py [ROWS]. The log is filled with ROWS rows (100,000); the time is
that of the processor, since other programs share the machine, and beside it what the clock says.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from weft.adapters.sql.records import Records, open_records
from weft.platform.audit import audited, record
from weft.platform.identity import local_owner
from weft.platform.time import SystemClock
from weft.platform.trail.audit_export import AuditExport, ExportFormat
from weft.ports.records.audit import AuditDecision, AuditFilter, Deed

ROWS = 100_000
OWNER = local_owner()
TIMES = 20


def deed(number: int) -> Deed:
    """Return what was done by one of many calls: of 200 documents, in 1,000 runs."""
    return Deed(
        action=("document.read", "search", "ask", "tool.run")[number % 4],
        target=f"kb:Docs/file:docs/{number % 200}.md",
        run_id=f"r{number % 1000}",
        request_id=f"q{number}",
        meta={"chunks_count": number % 7},
    )


@dataclass(frozen=True, slots=True)
class Bench:
    """An open log, and how what is done with it is measured."""

    records: Records

    async def act(self, number: int) -> None:
        """Do nothing, audited: two rows."""
        async with audited(self.records.audit, OWNER, deed(number)):
            pass

    async def denied(self, number: int) -> None:
        """Write one row of a refusal."""
        await record(
            self.records.audit, OWNER, deed(number), decision=AuditDecision.DENIED, reason="no"
        )

    async def alone(self, rows: int) -> None:
        """Write rows one after the other."""
        for number in range(rows // 2):
            await self.act(number)

    async def together(self, rows: int, at_once: int) -> None:
        """Write rows of many acts that are done at the same time."""
        for begin in range(0, rows // 2, at_once):
            await asyncio.gather(*(self.act(number) for number in range(begin, begin + at_once)))

    async def page(self, wanted: AuditFilter) -> None:
        """Show the first page of a search."""
        for _ in range(TIMES):
            await self.records.audit.page(OWNER, wanted, limit=50)

    async def exported(self, form: ExportFormat) -> None:
        """Export all rows to nowhere."""
        async for _ in AuditExport(audit=self.records.audit, form=form).lines(OWNER):
            pass


async def measured(title: str, unit: int, work: Callable[[], Awaitable[object]]) -> None:
    """Print how long one of `unit` takes, in microseconds."""
    clock, processor = time.perf_counter(), time.process_time()
    await work()
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    each = f"{processor / unit * 1e6:>10,.0f} µs of processor {clock / unit * 1e6:>10,.0f} µs"
    print(f"{title:<52}{each}")


async def main(rows: int) -> None:
    """Fill a log and measure it."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        records = open_records(
            f"sqlite:///{home / 'records.db'}",
            audit_key=b"k" * 32,
            clock=SystemClock(),
            audit_heads=home / "audit.heads",
        )
        bench = Bench(records)
        await bench.alone(200)
        await measured("a row, one after the other", 2000, partial(bench.alone, 2000))
        for at_once in (10, 100):
            title = f"a row, {at_once} acts at once"
            await measured(title, 2000, partial(bench.together, 2000, at_once))
        await measured(f"a row, filling up to {rows:,}", rows, partial(bench.together, rows, 500))
        await bench.denied(1)
        await measured("a row, the log full", 2000, partial(bench.alone, 2000))
        await searches(bench)
        await measured("a row verified", rows, partial(records.audit.verify, OWNER))
        for form in ExportFormat:
            await measured(f"a row exported as {form}", rows, partial(bench.exported, form))
        await records.close()
        print(f"{size_of(home) / rows:,.0f} bytes a row on disk, indexes included")


def size_of(home: Path) -> int:
    """Return how many bytes the records take."""
    return sum(path.stat().st_size for path in home.glob("records.db*"))


async def searches(bench: Bench) -> None:
    """Measure a page of each kind of search."""
    now = SystemClock().now()
    wanted = {
        "of all": AuditFilter(),
        "by who": AuditFilter(actor="user:nobody"),
        "by action and target": AuditFilter(action="ask", target="kb:Docs/file:docs/6.md"),
        "by beginnings": AuditFilter(action="document.*", target="kb:Docs/file:docs/19*"),
        "by decision": AuditFilter(decision=AuditDecision.DENIED),
        "by run": AuditFilter(run_id="r77"),
        "by request": AuditFilter(request_id="q77"),
        "by time": AuditFilter(since=now - timedelta(days=1), until=now - timedelta(hours=1)),
    }
    for title, filter_ in wanted.items():
        await measured(f"a page {title}", TIMES, partial(bench.page, filter_))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if sys.argv[1:] else ROWS))
