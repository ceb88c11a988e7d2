"""Ingestion as the worker of a service does it: one job of a knowledge base at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from weft.bases.library import Library
from weft.domain.errors import Forbidden, UnknownKnowledgeBase
from weft.domain.scope import Scope
from weft.ingest.jobs.ingestion import KIND, Ingest
from weft.ingest.progress import IngestProgress
from weft.platform.people.principals import Caller, Principals
from weft.platform.people.watching import while_allowed
from weft.ports.clock import Clock
from weft.ports.records.jobs import Job


class IngestJobs:
    """Does the ingestion jobs of all knowledge bases.

    `latest` is how far the jobs of this process have come, by job id; it is ahead of their rows.
    """

    kind = KIND
    each_at_once: int | None = 1

    def __init__(
        self,
        library: Library,
        ingest: Ingest,
        *,
        principals: Principals,
        clock: Clock,
        lanes: int = 1,
    ) -> None:
        """Take where knowledge bases are found, and what brings them in step.

        `lanes` is how many of them may be brought in step at the same time.
        """
        self.lanes = lanes
        self._library = library
        self._ingest = ingest
        self._principals = principals
        self._clock = clock
        self._latest: dict[str, IngestProgress] = {}
        self._moved: dict[str, float] = {}

    @property
    def latest(self) -> Mapping[str, IngestProgress]:
        """Return how far the jobs in hand have come."""
        return MappingProxyType(self._latest)

    @property
    def still_for(self) -> Sequence[float]:
        """Return for each job in hand the seconds since it last came further."""
        now = self._clock.elapsed()
        return [now - at for at in self._moved.values()]

    async def work_on(self, job: Job) -> None:
        """Bring a knowledge base in step with a source."""
        self._moved[job.id] = self._clock.elapsed()

        def see(report: IngestProgress) -> None:
            self._latest[job.id] = report
            self._moved[job.id] = self._clock.elapsed()

        try:
            scope = await self._principals.of_job(job.owner)
            base = job.kind.removeprefix(KIND)
            store = await self._library.named(scope, base, to_fill=True)
            await while_allowed(
                lambda: self._may_go_on(scope, base),
                self._ingest.work_on(scope, store, job=job, watch=see),
            )
        finally:
            self._latest.pop(job.id, None)
            self._moved.pop(job.id, None)

    async def _may_go_on(self, scope: Scope, base: str) -> bool:
        """Tell whether whoever asked still has all rights, the one to fill the base among them."""
        if not await self._principals.still(Caller(scope=scope)):
            return False
        try:
            await self._library.named(scope, base, to_fill=True)
        except (Forbidden, UnknownKnowledgeBase):
            return False
        return True
