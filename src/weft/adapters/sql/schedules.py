"""Schedules in a table, as those who made them see them."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, insert, select, update

from weft.adapters.sql.database.columns import clean
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.dialect import lock
from weft.adapters.sql.database.schema import jobs, schedules
from weft.domain.errors import BadInput, NotFound
from weft.domain.scope import Scope
from weft.platform.access import authorize
from weft.platform.cron import next_time
from weft.ports.clock import Clock
from weft.ports.records.jobs import JobOwner, JobStatus
from weft.ports.records.schedules import MOST_SCHEDULES, NewSchedule, Schedule


class SqlSchedules:
    """The port `Schedules` on a `SqlDatabase`."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        """Take the database and the time."""
        self._database = database
        self._clock = clock

    async def add(self, scope: Scope, schedule: NewSchedule) -> Schedule:
        """Keep a schedule with the caller's rights, first due after this moment."""
        now = self._clock.now()
        due = next_time(schedule.cron, schedule.zone, after=now)
        row = _row(scope, schedule, now, due=due)

        def work(connection: Connection) -> Schedule:
            lock(connection, f"schedules:{scope.tenant}")
            of_tenant = schedules.c.tenant == scope.tenant
            query = select(func.count()).select_from(schedules).where(of_tenant)
            if connection.execute(query).scalar_one() >= MOST_SCHEDULES:
                raise BadInput(f"There are {MOST_SCHEDULES} schedules already; remove one first.")
            connection.execute(insert(schedules), row)
            return _one(connection, scope, str(row["id"]))

        return await self._database.write(work)

    async def listed(self, scope: Scope) -> list[Schedule]:
        """Return the schedules that the caller may see, what is due first at the front."""
        query = _QUERY.where(_visible(scope)).order_by(schedules.c.next_at, schedules.c.id)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [_schedule_of(row) for row in rows]

    async def pause(self, scope: Scope, schedule_id: str) -> None:
        """Let a schedule begin nothing until it is resumed."""
        await self._database.write(
            lambda connection: _change(connection, scope, schedule_id, is_paused=True)
        )

    async def resume(self, scope: Scope, schedule_id: str) -> None:
        """Let a schedule go on from its next time; one that is not paused stays as it is."""

        def work(connection: Connection) -> None:
            found = _one(connection, scope, schedule_id)
            if found.is_paused:
                due = next_time(found.cron, found.zone, after=self._clock.now())
                _change(connection, scope, schedule_id, is_paused=False, next_at=due)

        await self._database.write(work)

    async def remove(self, scope: Scope, schedule_id: str) -> None:
        """Forget a schedule; a job that it put in line goes on."""

        def work(connection: Connection) -> None:
            _one(connection, scope, schedule_id)
            connection.execute(delete(schedules).where(_named(scope, schedule_id)))

        await self._database.write(work)


_QUERY = select(schedules, jobs.c.status.label("last_status")).select_from(
    schedules.outerjoin(
        jobs, and_(jobs.c.tenant == schedules.c.tenant, jobs.c.id == schedules.c.last_job)
    )
)


def owner_of(row: Row[Any]) -> JobOwner:
    """Return the rights that whoever made a schedule had then."""
    return JobOwner(
        tenant=row.tenant,
        actor=row.actor,
        principals=frozenset(row.principals),
        permissions=frozenset(row.permissions),
        sources=None if row.sources is None else frozenset(row.sources),
        key_id=row.key_id,
    )


def _one(connection: Connection, scope: Scope, schedule_id: str) -> Schedule:
    query = _QUERY.where(_named(scope, schedule_id))
    found = connection.execute(query).one_or_none()
    if found is None:
        raise NotFound("There is no such schedule here that you may see.")
    return _schedule_of(found)


def _change(connection: Connection, scope: Scope, schedule_id: str, **values: object) -> None:
    _one(connection, scope, schedule_id)
    connection.execute(update(schedules).where(_named(scope, schedule_id)).values(**values))


def _named(scope: Scope, schedule_id: str) -> ColumnElement[bool]:
    return and_(_visible(scope), schedules.c.id == clean(schedule_id))


def _visible(scope: Scope) -> ColumnElement[bool]:
    of_tenant = schedules.c.tenant == scope.tenant
    if authorize(scope, "job.manage", "job:*").allowed:
        return of_tenant
    return and_(of_tenant, schedules.c.actor == scope.actor)


def _schedule_of(row: Row[Any]) -> Schedule:
    return Schedule(
        id=row.id,
        cron=row.cron,
        zone=row.zone,
        kind=row.kind,
        args=row.args,
        owner=owner_of(row),
        created=row.created,
        next_at=row.next_at,
        is_paused=row.is_paused,
        last_at=row.last_at,
        last_job=row.last_job,
        last_status=None if row.last_status is None else JobStatus(row.last_status),
        missed=row.missed,
        missed_at=row.missed_at,
    )


def _row(scope: Scope, schedule: NewSchedule, now: datetime, *, due: datetime) -> dict[str, object]:
    return {
        "tenant": scope.tenant,
        "id": secrets.token_hex(8),
        "cron": schedule.cron,
        "zone": schedule.zone,
        "kind": schedule.job.kind,
        "args": dict(schedule.job.args),
        "key": schedule.job.key,
        "max_attempts": schedule.job.max_attempts,
        "actor": scope.actor,
        "key_id": scope.key_id,
        "principals": sorted(scope.principals),
        "permissions": sorted(scope.permissions),
        "sources": None if scope.sources is None else sorted(scope.sources),
        "is_paused": False,
        "created": now,
        "next_at": due,
        "last_at": None,
        "last_job": "",
        "missed": 0,
        "missed_at": None,
    }
