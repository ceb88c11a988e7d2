"""Jobs in a table, as those who ask for them see them."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, select, update

from weft.adapters.sql.dialect import lock
from weft.adapters.sql.schema import jobs
from weft.adapters.sql.store import Store
from weft.domain.errors import NotFound
from weft.domain.scope import Scope
from weft.platform.access import authorize
from weft.ports.clock import Clock
from weft.ports.jobs import Enqueued, Job, JobOwner, JobStatus, NewJob


class SqlJobs:
    """The port `Jobs` on a `Store`."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Take the database and the time."""
        self._store = store
        self._clock = clock

    async def enqueue(self, scope: Scope, job: NewJob) -> Enqueued:
        """Put a job in line with the caller's rights, unless one of its key is unfinished."""
        row = _row(scope, job, self._clock.now())

        def work(connection: Connection) -> Enqueued:
            lock(connection, f"jobs:{scope.tenant}:{job.key}")
            if job.key:
                of_key = and_(jobs.c.tenant == scope.tenant, jobs.c.live_key == job.key)
                found = connection.execute(select(jobs.c.id).where(of_key)).scalar()
                if found is not None:
                    return Enqueued(job_id=found, is_new=False)
            connection.execute(jobs.insert(), row)
            return Enqueued(job_id=str(row["id"]), is_new=True)

        return await self._store.write(work)

    async def cancel(self, scope: Scope, job_id: str) -> None:
        """Cancel a job: at once while it waits, else by the next heartbeat of its worker."""

        def work(connection: Connection) -> None:
            wanted = and_(_visible(scope), jobs.c.id == job_id)
            query = select(jobs.c.status).where(wanted).with_for_update()
            status = connection.execute(query).scalar()
            if status is None:
                raise _not_found()
            if status == JobStatus.QUEUED:
                ended = {"status": JobStatus.CANCELLED.value, "live_key": None}
                connection.execute(update(jobs).where(wanted).values(**ended))
            elif status == JobStatus.RUNNING:
                connection.execute(update(jobs).where(wanted).values(cancel_requested=True))

        await self._store.write(work)

    async def get(self, scope: Scope, job_id: str) -> Job:
        """Return a job, or raise `NotFound`."""
        query = select(jobs).where(_visible(scope), jobs.c.id == job_id)
        found = await self._store.read(lambda connection: connection.execute(query).one_or_none())
        if found is None:
            raise _not_found()
        return job_of(found)

    async def newest(self, scope: Scope, *, limit: int) -> list[Job]:
        """Return the jobs that the caller may see, the newest first."""
        query = (
            select(jobs)
            .where(_visible(scope))
            .order_by(jobs.c.created.desc(), jobs.c.id)
            .limit(limit)
        )
        rows = await self._store.read(lambda connection: connection.execute(query).all())
        return [job_of(row) for row in rows]


def job_of(row: Row[Any]) -> Job:
    """Return the job that a row of the table tells of."""
    owner = JobOwner(
        tenant=row.tenant,
        actor=row.actor,
        principals=frozenset(row.principals),
        permissions=frozenset(row.permissions),
        sources=None if row.sources is None else frozenset(row.sources),
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
        worker=row.worker,
        cancel_requested=row.cancel_requested,
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


def _row(scope: Scope, job: NewJob, now: datetime) -> dict[str, object]:
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
        "status": JobStatus.QUEUED.value,
        "worker": "",
        "lease_until": None,
        "attempt": 0,
        "failures": 0,
        "losses": 0,
        "max_attempts": job.max_attempts,
        "run_at": now,
        "created": now,
        "cancel_requested": False,
        "progress": {},
        "result": {},
        "error": "",
    }
