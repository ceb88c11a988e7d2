"""All of the platform's records, opened at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from weft.adapters.sql.bases import SqlBases
from weft.adapters.sql.conversations import SqlConversations
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.migration import prepare
from weft.adapters.sql.jobs import SqlJobs
from weft.adapters.sql.replies import SqlReplies
from weft.adapters.sql.retention import AnsweringRecords, Retention, open_answering_records
from weft.adapters.sql.runs import SqlRuns
from weft.adapters.sql.sessions import SqlSessions
from weft.adapters.sql.steering import SqlSteering
from weft.adapters.sql.tape import SqlTape
from weft.adapters.sql.tool_runs import SqlToolRuns
from weft.adapters.sql.trail.audit import SqlAudit
from weft.adapters.sql.usage.sums import SqlUsage
from weft.adapters.sql.worker_names import this_process
from weft.adapters.sql.worklist import SqlWorklist
from weft.domain.errors import WeftError
from weft.ports.clock import Clock

if TYPE_CHECKING:
    from weft.adapters.sql.schedules import SqlSchedules
    from weft.adapters.sql.timetable import SqlTimetable
    from weft.ports.records.people import People


@dataclass(frozen=True, kw_only=True)
class Records:
    """One database behind several ports; `worker` names this process to the worklist.

    What is kept of answering may be in memory instead (`answering`).
    """

    # Without slots, for what is built when it is first asked for.

    answering: AnsweringRecords
    jobs: SqlJobs
    worklist: SqlWorklist
    audit: SqlAudit
    bases: SqlBases
    clock: Clock
    replies: SqlReplies
    steering: SqlSteering
    worker: str
    database: SqlDatabase

    @cached_property
    def people(self) -> People:
        """Return the people, their groups, roles and keys."""
        # Here, because a question on one's own machine needs none of it.
        from weft.adapters.sql.people.people import people_in

        return people_in(self.database, self.clock)

    @cached_property
    def schedules(self) -> SqlSchedules:
        """Return what puts jobs in line again and again."""
        # Here, because a question needs none of it.
        from weft.adapters.sql.schedules import SqlSchedules

        return SqlSchedules(self.database, self.clock)

    @cached_property
    def timetable(self) -> SqlTimetable:
        """Return the schedules as workers see them."""
        from weft.adapters.sql.timetable import SqlTimetable

        return SqlTimetable(self.database, self.clock)

    @property
    def runs(self) -> SqlRuns:
        """Return the record of runs."""
        return self.answering.runs

    @property
    def tape(self) -> SqlTape:
        """Return the tape."""
        return self.answering.tape

    @property
    def tool_runs(self) -> SqlToolRuns:
        """Return the record of tool calls."""
        return self.answering.tool_runs

    @property
    def usage(self) -> SqlUsage:
        """Return what was used."""
        return self.answering.usage

    @property
    def sessions(self) -> SqlSessions:
        """Return the sessions."""
        return self.answering.sessions

    @property
    def conversations(self) -> SqlConversations:
        """Return the conversations."""
        return self.answering.conversations

    async def close(self) -> None:
        """Wait for what is under way and let go of the database."""
        await self.answering.database.close()
        await self.database.close()


def open_records(
    url: str,
    *,
    audit_key: bytes,
    clock: Clock,
    retention: Retention | None = None,
    audit_heads: Path | None = None,
) -> Records:
    """Open `sqlite:///PATH` or `postgresql://…` and bring its tables up to date.

    `retention` says where answering is kept: in the same tables if it is not given;
    `audit_heads` is the file that knows the ends of the audit chains. It works in the caller's
    thread: to be called before the event loop, or off it. Raises
    `StoreUnavailable`, `StoreCorrupt` or `ConfigurationError`.
    """
    database = SqlDatabase(url)
    try:
        audit = SqlAudit(database, clock, key=audit_key, heads=audit_heads)
        prepare(database)
        answering = open_answering_records(database, clock, retention=retention or Retention())
    except WeftError:
        database.close_now()
        raise
    return Records(
        answering=answering,
        jobs=SqlJobs(database, clock),
        worklist=SqlWorklist(database, clock),
        audit=audit,
        bases=SqlBases(database, clock),
        clock=clock,
        replies=SqlReplies(database, clock),
        steering=SqlSteering(database),
        worker=this_process(),
        database=database,
    )
