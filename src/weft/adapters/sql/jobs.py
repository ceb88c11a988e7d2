"""Jobs in a table, as those who ask for them see them."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, false, func, or_, select, true, update

from weft.adapters.sql.database.columns import clean
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.dialect import lock
from weft.adapters.sql.database.paging import before, cursor_of
from weft.adapters.sql.database.schema import jobs
from weft.domain.errors import NotFound
from weft.domain.scope import Scope
from weft.platform.access import authorize
from weft.ports.clock import Clock
from weft.ports.records.jobs import (
    Enqueued,
    Job,
    JobCounts,
    JobFilter,
    JobOwner,
    JobPage,
    JobStatus,
    NewJob,
)

# How a job stands that has not ended.
OPEN = (JobStatus.QUEUED.value, JobStatus.RUNNING.value, JobStatus.PAUSED.value)


class SqlJobs:
    """The port `Jobs` on a `SqlDatabase`."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        """Take the database and the time."""
        self._database = database
        self._clock = clock

    async def enqueue(self, scope: Scope, job: NewJob) -> Enqueued:
        """Put a job in line with the caller's rights, unless one of its key is unfinished."""
        now = self._clock.now()
        return await self._database.write(
            lambda connection: put_in_line(connection, scope, job=job, now=now)
        )

    async def cancel(self, scope: Scope, job_id: str) -> None:
        """Cancel a job: at once while it waits, else by the next heartbeat of its worker."""

        def work(connection: Connection) -> None:
            wanted = and_(_visible(scope), jobs.c.id == job_id)
            status = _status(connection, wanted)
            if status in (JobStatus.QUEUED, JobStatus.PAUSED):
                progress = connection.execute(select(jobs.c.progress).where(wanted)).scalar_one()
                ended = ended_values(progress, JobStatus.CANCELLED, now=self._clock.now())
                connection.execute(update(jobs).where(wanted).values(**ended))
            elif status == JobStatus.RUNNING:
                connection.execute(update(jobs).where(wanted).values(cancel_requested=True))

        await self._database.write(work)

    async def pause(self, scope: Scope, job_id: str) -> None:
        """Let a job stand still: at once while it waits, else by its worker's next heartbeat."""

        def work(connection: Connection) -> None:
            wanted = and_(_visible(scope), jobs.c.id == job_id)
            status = _status(connection, wanted)
            if status == JobStatus.QUEUED:
                values: dict[str, object] = {"status": JobStatus.PAUSED.value}
                connection.execute(update(jobs).where(wanted).values(**values))
            elif status == JobStatus.RUNNING:
                connection.execute(update(jobs).where(wanted).values(pause_requested=True))

        await self._database.write(work)

    async def resume(self, scope: Scope, job_id: str) -> None:
        """Put a job that stands still in line again; any other stays as it is."""

        def work(connection: Connection) -> None:
            wanted = and_(_visible(scope), jobs.c.id == job_id)
            status = _status(connection, wanted)
            values: dict[str, object] = {"pause_requested": False}
            if status == JobStatus.PAUSED:
                values |= {"status": JobStatus.QUEUED.value, "run_at": self._clock.now()}
            connection.execute(update(jobs).where(wanted).values(**values))

        await self._database.write(work)

    async def get(self, scope: Scope, job_id: str) -> Job:
        """Return a job, or raise `NotFound`."""
        query = select(jobs).where(_visible(scope), jobs.c.id == job_id)
        found = await self._database.read(
            lambda connection: connection.execute(query).one_or_none()
        )
        if found is None:
            raise _not_found()
        return job_of(found)

    async def newest(self, scope: Scope, *, limit: int) -> list[Job]:
        """Return the jobs that the caller may see, the newest first."""
        query = (
            select(jobs)
            .where(_visible(scope))
            .order_by(jobs.c.created.desc(), jobs.c.id.desc())
            .limit(limit)
        )
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [job_of(row) for row in rows]

    async def page(
        self, scope: Scope, *, limit: int, cursor: str = "", wanted: JobFilter | None = None
    ) -> JobPage:
        """Return the jobs of `newest` that are wanted, from where the page of `cursor` ended."""
        wanted = wanted or JobFilter()
        query = select(jobs).where(_visible(scope), _of_kind(wanted.kind))
        if wanted.status:
            query = query.where(jobs.c.status == clean(wanted.status))
        if cursor:
            query = query.where(before(cursor, time=jobs.c.created, key=jobs.c.id))
        query = query.order_by(jobs.c.created.desc(), jobs.c.id.desc()).limit(limit + 1)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        found = tuple(job_of(row) for row in rows[:limit])
        more = found and len(rows) > limit
        return JobPage(
            jobs=found, cursor=cursor_of(found[-1].created, found[-1].id) if more else ""
        )

    async def counts(self, scope: Scope, *, kind: str = "") -> JobCounts:
        """Count the jobs that the caller may see, by status."""
        query = (
            select(jobs.c.status, func.count(), func.min(jobs.c.created))
            .where(_visible(scope), _of_kind(kind))
            .group_by(jobs.c.status)
        )
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        since = {JobStatus(status): first for status, _, first in rows}
        return JobCounts(
            statuses={JobStatus(status): count for status, count, _ in rows},
            waiting_since=since.get(JobStatus.QUEUED),
        )


def put_in_line(
    connection: Connection, owner: Scope | JobOwner, *, job: NewJob, now: datetime
) -> Enqueued:
    """Put a job in line with its owner's rights, unless one of its key is unfinished."""
    lock(connection, f"jobs:{owner.tenant}:{job.key}")
    if job.key:
        of_key = and_(jobs.c.tenant == owner.tenant, jobs.c.live_key == job.key)
        found = connection.execute(select(jobs.c.id).where(of_key)).scalar()
        if found is not None:
            return Enqueued(job_id=found, is_new=False)
    row = _row(owner, job, now)
    connection.execute(jobs.insert(), row)
    return Enqueued(job_id=str(row["id"]), is_new=True)


def ended_values(
    progress: Mapping[str, object], status: JobStatus, *, now: datetime
) -> dict[str, object]:
    """Return what a job's row has when it has ended: of its progress the figures alone.

    What it was to do is of no use any more, and names folders and documents that may be gone
    tomorrow.
    """
    figures = {key: value for key, value in progress.items() if isinstance(value, int | float)}
    return {
        "status": status.value,
        "finished": now,
        "live_key": None,
        "args": {},
        "key": "",
        "progress": figures,
    }


def _status(connection: Connection, wanted: ColumnElement[bool]) -> JobStatus:
    """Return how a job stands, held against other writers, or raise `NotFound`."""
    query = select(jobs.c.status).where(wanted).with_for_update()
    status = connection.execute(query).scalar()
    if status is None:
        raise _not_found()
    return JobStatus(status)


def of_kinds(kinds: Collection[str]) -> ColumnElement[bool]:
    """Return the condition on jobs of one of some kinds, each as in `JobFilter`."""
    return or_(false(), *(_of_kind(kind) for kind in kinds))


def _of_kind(kind: str) -> ColumnElement[bool]:
    if not kind:
        return true()
    if kind.endswith(":"):
        return jobs.c.kind.startswith(clean(kind), autoescape=True)
    return jobs.c.kind == clean(kind)


def job_of(row: Row[Any]) -> Job:
    """Return the job that a row of the table tells of."""
    owner = JobOwner(
        tenant=row.tenant,
        actor=row.actor,
        principals=frozenset(row.principals),
        permissions=frozenset(row.permissions),
        sources=None if row.sources is None else frozenset(row.sources),
        key_id=row.key_id,
    )
    return Job(
        id=row.id,
        kind=row.kind,
        args=row.args,
        key=row.key,
        owner=owner,
        status=JobStatus(row.status),
        attempt=row.attempt,
        failures=row.failures,
        max_attempts=row.max_attempts,
        run_at=row.run_at,
        created=row.created,
        finished=row.finished,
        worker=row.worker,
        cancel_requested=row.cancel_requested,
        pause_requested=row.pause_requested,
        progress=row.progress,
        result=row.result,
        error=row.error,
    )


def _visible(scope: Scope) -> ColumnElement[bool]:
    of_tenant = jobs.c.tenant == scope.tenant
    if authorize(scope, "job.manage", "job:*").allowed:
        return of_tenant
    return and_(of_tenant, jobs.c.actor == scope.actor)


def _not_found() -> NotFound:
    return NotFound("There is no such job here that you may see.")


def _row(scope: Scope | JobOwner, job: NewJob, now: datetime) -> dict[str, object]:
    return {
        "tenant": scope.tenant,
        "id": secrets.token_hex(16),
        "kind": job.kind,
        "args": dict(job.args),
        "key": job.key,
        "live_key": job.key or None,
        "actor": scope.actor,
        "principals": sorted(scope.principals),
        "permissions": sorted(scope.permissions),
        "sources": None if scope.sources is None else sorted(scope.sources),
        "key_id": scope.key_id,
        "status": JobStatus.QUEUED.value,
        "worker": "",
        "lease_until": None,
        "attempt": 0,
        "failures": 0,
        "losses": 0,
        "max_attempts": job.max_attempts,
        "run_at": now,
        "created": now,
        "finished": None,
        "cancel_requested": False,
        "pause_requested": False,
        "progress": {},
        "result": {},
        "error": "",
    }
