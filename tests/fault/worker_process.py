"""A worker of a service: HOME. It does the ingestions in line until none is left.

On its output it tells each job that it has taken.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from fault.workshop import OWNER, WallClock, workshop
from weft.ingest.jobs.ingestion import KIND, Ingest
from weft.ingest.jobs.worker import IngestJobs
from weft.platform.worker import Worker
from weft.ports.records.jobs import Job, JobStatus

LANES = 2
_OPEN = (JobStatus.QUEUED, JobStatus.RUNNING)


class ToldJobs(IngestJobs):
    """Tells of each job before it is done."""

    async def work_on(self, job: Job) -> None:
        print(job.kind.removeprefix(KIND), job.worker, flush=True)
        await super().work_on(job)


async def _work(home: Path) -> None:
    async with workshop(home) as shop:
        shop.embedder.seconds = 0.1
        ingest = Ingest(shop.library, shop.tools, records=shop.ingest_records)
        handler = ToldJobs(
            shop.library, ingest, principals=shop.principals, clock=WallClock(), lanes=LANES
        )
        name = shop.records.worker
        worker = Worker(shop.records.worklist, worker=name, handlers=[handler])
        working = asyncio.create_task(worker.work())
        while True:
            counts = (await shop.records.jobs.counts(OWNER, kind=KIND)).statuses
            if not any(counts.get(status) for status in _OPEN):
                break
            await asyncio.sleep(0.1)
        working.cancel()
        await asyncio.wait([working])


if __name__ == "__main__":
    asyncio.run(_work(Path(sys.argv[1])))
