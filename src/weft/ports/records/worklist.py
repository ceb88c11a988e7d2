"""Jobs as workers see them: of every tenant, one at a time, each under a lease."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Protocol

from weft.domain.frozen import dataclass
from weft.ports.records.jobs import Job

_FIRST_DELAY = 1.0
_LONGEST_DELAY = 300.0
# What lies further ahead than any delay was written while the clock was ahead.
CLOCK_WENT_BACK = timedelta(seconds=_LONGEST_DELAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to work on a job until a newer worker takes it; `fence` grows with each taking."""

    tenant: str
    job_id: str
    fence: int


def lease_of(job: Job) -> Lease:
    """Return the lease under which a claimed job is worked on."""
    return Lease(tenant=job.owner.tenant, job_id=job.id, fence=job.attempt)


def retry_delay(failures: int, chance: float) -> timedelta:
    """Return how long to wait after the n-th failure: doubled each time, half of it by `chance`.

    One second at first, five minutes at most; `chance` is in [0, 1).
    """
    whole = min(_LONGEST_DELAY, _FIRST_DELAY * 2.0 ** min(max(failures - 1, 0), 16))
    return timedelta(seconds=whole * (0.5 + chance / 2))


class Worklist(Protocol):
    """Hands out work. All but `claim` raise `FenceRefused` once a newer worker has the job."""

    async def claim(
        self,
        worker: str,
        *,
        kinds: Collection[str],
        lease_seconds: float,
        each_at_once: int | None = None,
    ) -> Job | None:
        """Take the job that has waited longest, or one whose worker is dead; None: nothing to do.

        `kinds` are those that are taken; one that ends in `:` stands for all that begin so. A
        worker is dead when its lease has run out or its process on this machine has ended. With
        `each_at_once` a job waits while so many of its tenant and exact kind are being worked on.
        """
        ...

    async def heartbeat(self, lease: Lease, *, lease_seconds: float) -> bool:
        """Prolong the lease and tell whether the job was asked to stop."""
        ...

    async def progress(self, lease: Lease, report: Mapping[str, object]) -> None:
        """Keep how far the job has come, in place of the former report."""
        ...

    async def finish(self, lease: Lease, result: Mapping[str, object]) -> None:
        """End the job well; what failed before is no longer told."""
        ...

    async def fail(self, lease: Lease, *, error: str, may_retry: bool = True) -> bool:
        """Note a failure; True if the job will be tried again, later each time."""
        ...

    async def release(self, lease: Lease) -> None:
        """Give the job back at once; one that was asked to stop ends as cancelled, or is paused."""
        ...
