"""Schedules: jobs that are put in line again and again, as those who made them see them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.ports.records.jobs import JobOwner, JobStatus, NewJob

# So many a tenant may have.
MOST_SCHEDULES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSchedule:
    """A job, and when it is due: a cron expression of five fields, by the clock of a time zone."""

    cron: str
    zone: str
    job: NewJob


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A schedule as it stands; `owner` has the rights that whoever made it had then.

    `last_at` is when it last put a job in line, and which: `last_job`, which stands as
    `last_status`. `missed` counts the times at which the job before still went on, `missed_at` is
    the last of them.
    """

    id: str
    cron: str
    zone: str
    kind: str
    args: Mapping[str, object]
    owner: JobOwner
    created: datetime
    next_at: datetime
    is_paused: bool = False
    last_at: datetime | None = None
    last_job: str = ""
    last_status: JobStatus | None = None
    missed: int = 0
    missed_at: datetime | None = None


class Schedules(Protocol):
    """Keeps schedules, each seen and changed by its owner or under `job.manage`."""

    async def add(self, scope: Scope, schedule: NewSchedule) -> Schedule:
        """Keep a schedule with the caller's rights.

        Raises `BadInput` where its times or its zone are not valid, or there are too many.
        """
        ...

    async def listed(self, scope: Scope) -> list[Schedule]:
        """Return the schedules that the caller may see, what is due first at the front."""
        ...

    async def pause(self, scope: Scope, schedule_id: str) -> None:
        """Let a schedule begin nothing until it is resumed; or raise `NotFound`."""
        ...

    async def resume(self, scope: Scope, schedule_id: str) -> None:
        """Let a schedule go on from its next time; what came while it was paused is left out."""
        ...

    async def remove(self, scope: Scope, schedule_id: str) -> None:
        """Forget a schedule; a job that it put in line goes on."""
        ...
