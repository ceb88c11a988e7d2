"""The worker of a service, which takes ingestion jobs as long as the service runs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType

from weft.bases.library import Library
from weft.domain.errors import FenceRefused, WeftError
from weft.domain.scope import Scope
from weft.ingest.jobs.ingestion import KIND, Ingest
from weft.ingest.jobs.lease import LEASE_SECONDS
from weft.ingest.progress import IngestProgress
from weft.platform.identity import owner_scope
from weft.ports.records.jobs import Job
from weft.ports.records.worklist import Worklist, lease_of

_IDLE_SECONDS = 2.0


class IngestWorker:
    """Works on the jobs of all knowledge bases that a scope lists, one job after the other.

    `latest` is how far the jobs of this process have come, by job id; it is ahead of their rows.
    """

    def __init__(
        self, library: Library, ingest: Ingest, *, worklist: Worklist, worker: str
    ) -> None:
        """Begin nothing yet; `worker` names this process."""
        self._library = library
        self._ingest = ingest
        self._worklist = worklist
        self._worker = worker
        self._bell = asyncio.Event()
        self._latest: dict[str, IngestProgress] = {}
        self._is_on = False

    @property
    def is_on(self) -> bool:
        """Tell whether somebody is at work, or waits for it."""
        return self._is_on

    @property
    def latest(self) -> Mapping[str, IngestProgress]:
        """Return how far the jobs in hand have come."""
        return MappingProxyType(self._latest)

    def ring(self) -> None:
        """Say that there is new work."""
        self._bell.set()

    async def work(self, scope: Scope) -> None:
        """Take jobs until it is cancelled; a job that fails says so in its own row."""
        self._is_on = True
        try:
            while True:
                self._bell.clear()
                while await self._one(scope):
                    pass
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._bell.wait(), _IDLE_SECONDS)
        finally:
            self._is_on = False

    async def _one(self, scope: Scope) -> bool:
        """Work on one job; False when there is none, or the records do not answer."""
        try:
            names = [base.name for base in await self._library.listed(scope)]
            job = await self._worklist.claim(
                self._worker, kinds=[KIND + name for name in names], lease_seconds=LEASE_SECONDS
            )
        except WeftError:
            return False
        if job is None:
            return False
        try:
            await self._hold(job)
        except WeftError as error:
            await self._fail(job, error)
        finally:
            self._latest.pop(job.id, None)
        return True

    async def _hold(self, job: Job) -> None:
        scope = owner_scope(job.owner)
        store = await self._library.named(scope, job.kind.removeprefix(KIND))

        def see(report: IngestProgress) -> None:
            self._latest[job.id] = report

        await self._ingest.work_on(scope, store, job=job, watch=see)

    async def _fail(self, job: Job, error: WeftError) -> None:
        """Note a failure from before the work began; a later one is noted, or no longer ours."""
        with suppress(WeftError):
            if isinstance(error, FenceRefused):  # a small request went first: begin again
                await self._worklist.release(lease_of(job))
                return
            await self._worklist.fail(lease_of(job), error=error.message, may_retry=False)
