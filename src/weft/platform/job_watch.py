"""Jobs as whoever watches a worker sees them: begun, ended, failed or given back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from enum import StrEnum

from weft.domain.errors import WeftError
from weft.domain.frozen import dataclass
from weft.platform.worker import JobHandler
from weft.ports.records.jobs import Job
from weft.ports.telemetry.logs import Logs


class JobMoment(StrEnum):
    """What became of a job in this worker; how its work came out is in its own row."""

    BEGUN = "begun"
    ENDED = "ended"
    FAILED = "failed"
    GIVEN_BACK = "given_back"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSight:
    """A job at a moment of its work, after so many seconds; `error` where it failed."""

    job: Job
    moment: JobMoment
    seconds: float = 0.0
    error: WeftError | None = None


JobWatcher = Callable[[JobSight], None]


class WatchedJobs:
    """A handler of jobs that tells of each when it is begun and when it has ended."""

    def __init__(self, handler: JobHandler, watcher: JobWatcher) -> None:
        """Take the handler, and who watches."""
        self._handler, self._watcher = handler, watcher
        self.kind, self.lanes = handler.kind, handler.lanes
        self.each_at_once = handler.each_at_once

    async def work_on(self, job: Job) -> None:
        """Do a job as the handler does."""
        began = time.monotonic()

        def tell(moment: JobMoment, error: WeftError | None = None) -> None:
            seconds = time.monotonic() - began
            self._watcher(JobSight(job=job, moment=moment, seconds=seconds, error=error))

        tell(JobMoment.BEGUN)
        try:
            await self._handler.work_on(job)
        except asyncio.CancelledError:
            tell(JobMoment.GIVEN_BACK)
            raise
        except WeftError as error:
            tell(JobMoment.FAILED, error)
            raise
        tell(JobMoment.ENDED)


def logged_jobs(logs: Logs) -> JobWatcher:
    """Return a watcher that writes a line for each job, without what it works on."""

    def write(seen: JobSight) -> None:
        job = seen.job
        told: dict[str, object] = {
            "job_id": job.id,
            "kind": job.kind.partition(":")[0],
            "attempt": job.attempt,
        }
        if seen.moment is not JobMoment.BEGUN:
            told["ms"] = round(seen.seconds * 1000, 1)
        if seen.error is None:
            logs.tell(f"job_{seen.moment}", **told)
        else:
            logs.warn(f"job_{seen.moment}", code=seen.error.code, **told)

    return write
