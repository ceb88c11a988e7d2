"""Ingestion as the worker of a service does it: one job of one knowledge base at a time."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from weft.bases.library import Library
from weft.ingest.jobs.ingestion import KIND, Ingest
from weft.ingest.progress import IngestProgress
from weft.platform.identity import for_job
from weft.ports.records.jobs import Job


class IngestJobs:
    """Does the ingestion jobs of all knowledge bases.

    `latest` is how far the jobs of this process have come, by job id; it is ahead of their rows.
    """

    kind = KIND

    def __init__(self, library: Library, ingest: Ingest) -> None:
        """Take where knowledge bases are found, and what brings them in step."""
        self._library = library
        self._ingest = ingest
        self._latest: dict[str, IngestProgress] = {}

    @property
    def latest(self) -> Mapping[str, IngestProgress]:
        """Return how far the jobs in hand have come."""
        return MappingProxyType(self._latest)

    async def work_on(self, job: Job) -> None:
        """Bring a knowledge base in step with a source."""
        scope = for_job(job.owner)
        store = await self._library.named(scope, job.kind.removeprefix(KIND))

        def see(report: IngestProgress) -> None:
            self._latest[job.id] = report

        try:
            await self._ingest.work_on(scope, store, job=job, watch=see)
        finally:
            self._latest.pop(job.id, None)
