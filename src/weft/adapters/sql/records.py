"""All of the platform's records, opened at once."""

from __future__ import annotations

from dataclasses import dataclass

from weft.adapters.sql.audit import SqlAudit
from weft.adapters.sql.bases import SqlBases
from weft.adapters.sql.jobs import SqlJobs
from weft.adapters.sql.migration import prepare
from weft.adapters.sql.process import this_process
from weft.adapters.sql.runs import SqlRuns
from weft.adapters.sql.store import Store
from weft.adapters.sql.tape import SqlTape
from weft.adapters.sql.tool_runs import SqlToolRuns
from weft.adapters.sql.worklist import SqlWorklist
from weft.domain.errors import WeftError
from weft.ports.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """One database behind several ports; `worker` names this process to the worklist."""

    runs: SqlRuns
    tape: SqlTape
    tool_runs: SqlToolRuns
    jobs: SqlJobs
    worklist: SqlWorklist
    audit: SqlAudit
    bases: SqlBases
    worker: str
    store: Store

    async def close(self) -> None:
        """Wait for what is under way and let go of the database."""
        await self.store.close()


def open_records(url: str, *, audit_key: bytes, clock: Clock) -> Records:
    """Open `sqlite:///PATH` or `postgresql://…` and bring its tables up to date.

    It works in the caller's thread: to be called before the event loop, or off it. Raises
    `StoreUnavailable`, `StoreCorrupt` or `ConfigurationError`.
    """
    store = Store(url)
    try:
        audit = SqlAudit(store, clock, key=audit_key)
        prepare(store)
    except WeftError:
        store.close_now()
        raise
    return Records(
        runs=SqlRuns(store, clock),
        tape=SqlTape(store),
        tool_runs=SqlToolRuns(store, clock),
        jobs=SqlJobs(store, clock),
        worklist=SqlWorklist(store, clock),
        audit=audit,
        bases=SqlBases(store, clock),
        worker=this_process(),
        store=store,
    )
