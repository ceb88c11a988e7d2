"""Jobs in a table, as workers see them: leases, fences, and what becomes of the dead's work."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Row,
    ScalarSelect,
    and_,
    func,
    not_,
    or_,
    select,
    update,
)

from weft.adapters.sql.database.columns import clean
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.dialect import lock
from weft.adapters.sql.database.schema import jobs
from weft.adapters.sql.jobs import ended_values, job_of, of_kinds
from weft.adapters.sql.worker_names import is_dead
from weft.domain.errors import FenceRefused
from weft.domain.frozen import dataclass
from weft.ports.clock import Clock
from weft.ports.records.jobs import Job, JobStatus
from weft.ports.records.worklist import CLOCK_WENT_BACK, Lease, retry_delay

# So many workers may die of a job, one after the other and without progress, before it has failed.
MAX_LOSSES = 20


class SqlWorklist:
    """The port `Worklist` on a `SqlDatabase`."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        """Take the database and the time, which the workers must agree on."""
        self._database = database
        self._clock = clock

    async def claim(
        self,
        worker: str,
        *,
        kinds: Collection[str],
        lease_seconds: float,
        each_at_once: int | None = None,
    ) -> Job | None:
        """Take the job that has waited longest, or one whose worker is dead; None: nothing to do.

        A worker is dead when its lease has run out or its process on this machine has ended.
        """

        def work(connection: Connection) -> Job | None:
            if each_at_once is not None:  # what is counted must not change meanwhile
                lock(connection, "jobs:claim")
            now = self._clock.now()
            dead = _dead_workers(connection, kinds)
            taken = {
                "status": JobStatus.RUNNING.value,
                "worker": worker,
                "lease_until": now + timedelta(seconds=lease_seconds),
            }
            standing = _Standing(kinds=kinds, now=now, dead=dead, each_at_once=each_at_once)
            while (found := _candidate(connection, standing)) is not None:
                end = _end_instead(found, now)
                if end is None:
                    losses = found.losses + (found.status == JobStatus.RUNNING)
                    _set(
                        connection,
                        found,
                        values=taken | {"attempt": found.attempt + 1, "losses": losses},
                    )
                    return _job(connection, found)
                _set(connection, found, values=end)
            return None

        return await self._database.write(work)

    async def heartbeat(self, lease: Lease, *, lease_seconds: float) -> bool:
        """Prolong the lease and tell whether the job was asked to stop."""

        def work(connection: Connection) -> bool:
            held = _held(connection, lease)
            until = self._clock.now() + timedelta(seconds=lease_seconds)
            _set(connection, held, values={"lease_until": until})
            return bool(held.cancel_requested or held.pause_requested)

        return await self._database.write(work)

    async def progress(self, lease: Lease, report: Mapping[str, object]) -> None:
        """Keep how far the job has come, in place of the former report."""

        def work(connection: Connection) -> None:
            held = _held(connection, lease)
            _set(connection, held, values={"progress": dict(report), "losses": 0})

        await self._database.write(work)

    async def finish(self, lease: Lease, result: Mapping[str, object]) -> None:
        """End the job well; what failed before is made up for, and no longer told."""

        def work(connection: Connection) -> None:
            held = _held(connection, lease)
            ended = _ended(held, JobStatus.FINISHED, now=self._clock.now())
            _set(connection, held, values=ended | {"result": dict(result), "error": ""})

        await self._database.write(work)

    async def fail(self, lease: Lease, *, error: str, may_retry: bool = True) -> bool:
        """Note a failure; True if the job will be tried again, later each time."""

        def work(connection: Connection) -> bool:
            held, now = _held(connection, lease), self._clock.now()
            failures = held.failures + 1
            noted = {"failures": failures, "error": clean(error)}
            if held.cancel_requested:
                _set(connection, held, values=_ended(held, JobStatus.CANCELLED, now=now) | noted)
                return False
            if not may_retry or failures >= held.max_attempts:
                _set(connection, held, values=_ended(held, JobStatus.FAILED, now=now) | noted)
                return False
            run_at = now + retry_delay(failures, random.random())
            _set(connection, held, values=_waiting() | noted | {"run_at": run_at, "losses": 0})
            return True

        return await self._database.write(work)

    async def release(self, lease: Lease) -> None:
        """Give the job back at once; one that was asked to stop is cancelled, or paused."""

        def work(connection: Connection) -> None:
            held = _held(connection, lease)
            values = _waiting()
            if held.cancel_requested:
                values = _ended(held, JobStatus.CANCELLED, now=self._clock.now())
            elif held.pause_requested:
                values |= {"status": JobStatus.PAUSED.value, "pause_requested": False}
            _set(connection, held, values=values)

        await self._database.write(work)


def _dead_workers(connection: Connection, kinds: Collection[str]) -> list[str]:
    query = select(jobs.c.worker).where(jobs.c.status == JobStatus.RUNNING.value, of_kinds(kinds))
    return [worker for worker in connection.execute(query.distinct()).scalars() if is_dead(worker)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """Which jobs a worker may take at a moment, when it is known who is dead."""

    kinds: Collection[str]
    now: datetime
    dead: Collection[str]
    each_at_once: int | None


def _candidate(connection: Connection, standing: _Standing) -> Row[Any] | None:
    is_due = or_(jobs.c.run_at <= standing.now, jobs.c.run_at > standing.now + CLOCK_WENT_BACK)
    waiting = and_(jobs.c.status == JobStatus.QUEUED.value, is_due)
    if standing.each_at_once is not None:
        waiting = and_(waiting, _at_work(standing) < standing.each_at_once)
    lost = and_(jobs.c.status == JobStatus.RUNNING.value, _is_lost(jobs, standing))
    query = (
        select(jobs)
        .where(or_(waiting, lost), of_kinds(standing.kinds))
        .order_by(jobs.c.run_at, jobs.c.created, jobs.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    return connection.execute(query).one_or_none()


def _is_lost(table: FromClause, standing: _Standing) -> ColumnElement[bool]:
    return or_(table.c.lease_until < standing.now, table.c.worker.in_(standing.dead))


def _at_work(standing: _Standing) -> ScalarSelect[int]:
    """Return how many jobs of a job's tenant and kind live workers are at."""
    other = jobs.alias()
    return (
        select(func.count())
        .select_from(other)
        .where(
            other.c.tenant == jobs.c.tenant,
            other.c.kind == jobs.c.kind,
            other.c.status == JobStatus.RUNNING.value,
            not_(_is_lost(other, standing)),
        )
        .correlate(jobs)
        .scalar_subquery()
    )


def _end_instead(found: Row[Any], now: datetime) -> dict[str, object] | None:
    """Return how a dead worker's job ends, where it is not to be taken up again."""
    if found.status != JobStatus.RUNNING:
        return None
    if found.cancel_requested:
        return _ended(found, JobStatus.CANCELLED, now=now)
    if found.losses >= MAX_LOSSES:
        return _ended(found, JobStatus.FAILED, now=now) | {"error": "worker_lost"}
    return None


def _held(connection: Connection, lease: Lease) -> Row[Any]:
    """Return the job's row while the lease is the newest, or raise `FenceRefused`."""
    query = select(jobs).where(
        jobs.c.tenant == lease.tenant,
        jobs.c.id == lease.job_id,
        jobs.c.attempt == lease.fence,
        jobs.c.status == JobStatus.RUNNING.value,
    )
    found = connection.execute(query.with_for_update()).one_or_none()
    if found is None:
        raise FenceRefused(job=lease.job_id, fence=lease.fence)
    return found


def _job(connection: Connection, found: Row[Any]) -> Job:
    return job_of(connection.execute(select(jobs).where(_same(found))).one())


def _set(connection: Connection, found: Row[Any], *, values: Mapping[str, object]) -> None:
    connection.execute(update(jobs).where(_same(found)).values(**values))


def _same(found: Row[Any]) -> ColumnElement[bool]:
    return and_(jobs.c.tenant == found.tenant, jobs.c.id == found.id)


def _waiting() -> dict[str, object]:
    return {"status": JobStatus.QUEUED.value, "worker": "", "lease_until": None}


def _ended(row: Row[Any], status: JobStatus, *, now: datetime) -> dict[str, object]:
    return {"worker": "", "lease_until": None, **ended_values(row.progress, status, now=now)}
