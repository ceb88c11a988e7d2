"""All of the platform's records, opened at once."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from weft.adapters.sql.answering.job_line import JobLine
from weft.adapters.sql.answering.orders import Orders
from weft.adapters.sql.answering.register import BaseRegister
from weft.adapters.sql.database.columns import REVISION
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.late import Late
from weft.adapters.sql.database.plain import Plain
from weft.adapters.sql.retention import AnsweringRecords, Retention, open_answering_records
from weft.adapters.sql.trail.chain_writer import ChainWriter
from weft.adapters.sql.worker_names import this_process
from weft.domain.errors import WeftError
from weft.domain.frozen import dataclass
from weft.ports.clock import Clock

if TYPE_CHECKING:
    from weft.adapters.sql.bases import SqlBases
    from weft.adapters.sql.conversations import SqlConversations
    from weft.adapters.sql.jobs import SqlJobs
    from weft.adapters.sql.replies import SqlReplies
    from weft.adapters.sql.runs import SqlRuns
    from weft.adapters.sql.schedules import SqlSchedules
    from weft.adapters.sql.sessions import SqlSessions
    from weft.adapters.sql.steering import SqlSteering
    from weft.adapters.sql.tape import SqlTape
    from weft.adapters.sql.timetable import SqlTimetable
    from weft.adapters.sql.tool_runs import SqlToolRuns
    from weft.adapters.sql.trail.audit import SqlAudit
    from weft.adapters.sql.usage.sums import SqlUsage
    from weft.adapters.sql.worklist import SqlWorklist
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
        audit = _audit_of(database, clock, key=audit_key, heads=audit_heads)
        if not (database.is_file and database.plain_now(_is_current, writes=False)):
            # Here, because the tables of a file are mostly as they should be.
            from weft.adapters.sql.database.migration import prepare

            prepare(database)
        answering = open_answering_records(database, clock, retention=retention or Retention())
    except WeftError:
        database.close_now()
        raise
    worklist, steering = _worklist_of(database, clock), _steering_of(database)
    return Records(
        answering=answering,
        jobs=_jobs_of(database, clock),
        worklist=worklist,
        audit=audit,
        bases=_bases_of(database, clock),
        clock=clock,
        replies=_replies_of(database, clock),
        steering=steering,
        worker=this_process(),
        database=database,
    )


def _is_current(plain: Plain) -> bool:
    if not plain.rows("revision_table", {}):
        return False
    return plain.rows("revision", {}) == [{"version_num": REVISION}]


# Each of these is loaded when more is asked of it than an answer needs.


def _audit_of(database: SqlDatabase, clock: Clock, *, key: bytes, heads: Path | None) -> SqlAudit:
    def whole() -> SqlAudit:
        from weft.adapters.sql.trail.audit import SqlAudit

        return SqlAudit(database, clock, key=key, heads=heads)

    return cast("SqlAudit", Late(whole, quick=ChainWriter(database, clock, key=key, heads=heads)))


def _bases_of(database: SqlDatabase, clock: Clock) -> SqlBases:
    def whole() -> SqlBases:
        from weft.adapters.sql.bases import SqlBases

        return SqlBases(database, clock)

    return cast("SqlBases", Late(whole, quick=BaseRegister(database, clock)))


def _worklist_of(database: SqlDatabase, clock: Clock) -> SqlWorklist:
    def whole() -> SqlWorklist:
        from weft.adapters.sql.worklist import SqlWorklist

        return SqlWorklist(database, clock)

    return cast("SqlWorklist", Late(whole, quick=JobLine(database, whole)))


def _steering_of(database: SqlDatabase) -> SqlSteering:
    def whole() -> SqlSteering:
        from weft.adapters.sql.steering import SqlSteering

        return SqlSteering(database)

    return cast("SqlSteering", Late(whole, quick=Orders(database, whole)))


def _jobs_of(database: SqlDatabase, clock: Clock) -> SqlJobs:
    def whole() -> SqlJobs:
        from weft.adapters.sql.jobs import SqlJobs

        return SqlJobs(database, clock)

    return cast("SqlJobs", Late(whole))


def _replies_of(database: SqlDatabase, clock: Clock) -> SqlReplies:
    def whole() -> SqlReplies:
        from weft.adapters.sql.replies import SqlReplies

        return SqlReplies(database, clock)

    return cast("SqlReplies", Late(whole))
