"""What is due of the schedules in a table, put in line by whichever worker looks first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, not_, or_, select, update

from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.schema import jobs, schedules
from weft.adapters.sql.jobs import OPEN, put_in_line
from weft.adapters.sql.schedules import owner_of
from weft.platform.cron import next_time
from weft.ports.clock import Clock
from weft.ports.records.jobs import NewJob
from weft.ports.records.worklist import CLOCK_WENT_BACK

_AT_ONCE = 50


class SqlTimetable:
    """The port `Timetable` on a `SqlDatabase`."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        """Take the database and the time, which the workers must agree on."""
        self._database = database
        self._clock = clock

    async def begin_due(self) -> Sequence[str]:
        """Put the jobs that are due in line, each once: its next time is set in the same breath."""
        now = self._clock.now()
        wanted = and_(not_(schedules.c.is_paused), or_(_is_due(now), _is_ahead(now)))
        query = select(schedules).where(wanted).order_by(schedules.c.next_at).limit(_AT_ONCE)
        # Nothing is due nearly always: to look takes no turn at writing.
        if not await self._database.read(lambda connection: connection.execute(query).first()):
            return ()

        def work(connection: Connection) -> list[str]:
            due = connection.execute(query.with_for_update(skip_locked=True)).all()
            return [job for row in due if (job := _begun(connection, row, now))]

        return await self._database.write(work)


def _begun(connection: Connection, row: Row[Any], now: datetime) -> str:
    """Return the job that was put in line for a schedule; empty where the last one goes on.

    One that is not due was written while the clock was ahead: its times are set by that of now.
    """
    job = ""
    if row.next_at > now:
        _set(
            connection,
            row,
            values={
                "next_at": next_time(row.cron, row.zone, after=now),
                "created": min(row.created, now),
                "last_at": row.last_at and min(row.last_at, now),
            },
        )
        return job
    if not _goes_on(connection, row):
        new = NewJob(kind=row.kind, args=row.args, key=row.key, max_attempts=row.max_attempts)
        queued = put_in_line(connection, owner_of(row), job=new, now=now)
        job = queued.job_id if queued.is_new else ""
    values: dict[str, object] = {"next_at": next_time(row.cron, row.zone, after=now)}
    if job:
        values |= {"last_at": now, "last_job": job}
    else:
        values |= {"missed": row.missed + 1, "missed_at": row.next_at}
    _set(connection, row, values=values)
    return job


def _set(connection: Connection, row: Row[Any], *, values: Mapping[str, object]) -> None:
    same = and_(schedules.c.tenant == row.tenant, schedules.c.id == row.id)
    connection.execute(update(schedules).where(same).values(**values))


def _goes_on(connection: Connection, row: Row[Any]) -> bool:
    last = and_(jobs.c.tenant == row.tenant, jobs.c.id == row.last_job, jobs.c.status.in_(OPEN))
    return connection.execute(select(jobs.c.id).where(last)).first() is not None


def _is_due(now: datetime) -> ColumnElement[bool]:
    return schedules.c.next_at <= now


def _is_ahead(now: datetime) -> ColumnElement[bool]:
    """Return the condition on what was made or begun at a time that has not come yet."""
    limit = now + CLOCK_WENT_BACK
    return or_(schedules.c.created > limit, schedules.c.last_at > limit)
