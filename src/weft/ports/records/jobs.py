"""Jobs as those who ask for them see them: put in line, watched, cancelled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope

# The kind of an ingestion, followed by the knowledge base's name.
INGESTION = "ingest:"


class JobStatus(StrEnum):
    """How a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """Work to be done later; `args` is JSON, and what it does must bear being done twice.

    A tenant has at most one unfinished job of a `key` (empty: no such bound). `max_attempts` bounds
    how often it may fail; a worker that died is no failure of the job.
    """

    kind: str
    args: Mapping[str, object] = field(default_factory=dict)
    key: str = ""
    max_attempts: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOwner:
    """The rights of whoever asked for a job, from which `platform/identity.py` makes its scope.

    `key_id` is that of the key by which it was asked for: without the key there is no job.
    """

    tenant: str
    actor: str
    principals: frozenset[str]
    permissions: frozenset[str]
    sources: frozenset[str] | None = None
    key_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as it stands.

    `attempt` counts how often a worker took it, `failures` how often it failed; `progress` and
    `result` are JSON (ids and numbers, never text from documents), `error` the last failure, until
    the job ends well.
    `finished` is when it ended, however it did.
    """

    id: str
    kind: str
    args: Mapping[str, object]
    key: str
    owner: JobOwner
    status: JobStatus
    attempt: int
    failures: int
    max_attempts: int
    run_at: datetime
    created: datetime
    finished: datetime | None = None
    worker: str = ""
    cancel_requested: bool = False
    pause_requested: bool = False
    progress: Mapping[str, object] = field(default_factory=dict)
    result: Mapping[str, object] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFilter:
    """Which jobs: whose kind is this, or begins with it if it ends in `:`; of that status.

    Empty: any.
    """

    kind: str = ""
    status: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPage:
    """A page of a list of jobs; `cursor` asks for the next one and is empty on the last."""

    jobs: tuple[Job, ...]
    cursor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCounts:
    """How many jobs there are of each status, and since when the first of those in line waits."""

    statuses: Mapping[JobStatus, int]
    waiting_since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Enqueued:
    """The job that stands in line; `is_new` is false when one of its key was there already."""

    job_id: str
    is_new: bool


class Jobs(Protocol):
    """Keeps jobs, each seen and cancelled by its owner or under `job.manage`."""

    async def enqueue(self, scope: Scope, job: NewJob) -> Enqueued:
        """Put a job in line with the caller's rights, unless one of its key is unfinished."""
        ...

    async def cancel(self, scope: Scope, job_id: str) -> None:
        """Cancel a job: at once while it waits, else by the next heartbeat of its worker."""
        ...

    async def pause(self, scope: Scope, job_id: str) -> None:
        """Let a job stand still: at once while it waits, else by its worker's next heartbeat."""
        ...

    async def resume(self, scope: Scope, job_id: str) -> None:
        """Put a job that stands still in line again; any other stays as it is."""
        ...

    async def get(self, scope: Scope, job_id: str) -> Job:
        """Return a job, or raise `NotFound`."""
        ...

    async def newest(self, scope: Scope, *, limit: int) -> list[Job]:
        """Return the jobs that the caller may see, the newest first."""
        ...

    async def page(
        self, scope: Scope, *, limit: int, cursor: str = "", wanted: JobFilter | None = None
    ) -> JobPage:
        """Return the jobs of `newest` that are wanted, from where the page of `cursor` ended.

        That page had the same filter.
        """
        ...

    async def counts(self, scope: Scope, *, kind: str = "") -> JobCounts:
        """Count the jobs that the caller may see, by status; `kind` as in `JobFilter`."""
        ...
