"""The worker: what one job works on never waits for what another one does."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from contract.records_world import ANN, world
from patience import SOON
from weft.platform.worker import Worker
from weft.ports.records.jobs import Job, NewJob
from weft.ports.records.worklist import Worklist, lease_of

pytestmark = pytest.mark.anyio


class Slow:
    """Works on jobs of `slow` bases until it is told to stop; notes who is at work together."""

    kind = "ingest:"
    lanes = 2
    each_at_once: int | None = 1

    def __init__(self, worklist: Worklist) -> None:
        self.worklist = worklist
        self.done: list[str] = []
        self.busy: Counter[str] = Counter()
        self.most = 0
        self.go_on = asyncio.Event()
        self.has_done = {count: asyncio.Event() for count in range(1, 6)}

    async def work_on(self, job: Job) -> None:
        self.busy[job.kind] += 1
        self.most = max(self.most, *self.busy.values())
        if job.kind.endswith("slow"):
            await self.go_on.wait()
        self.busy[job.kind] -= 1
        self.done.append(job.kind)
        await self.worklist.finish(lease_of(job), {})
        self.has_done[len(self.done)].set()


async def test_a_slow_base_is_not_in_the_way_of_another(tmp_path: Path) -> None:
    async with world("sqlite", tmp_path) as w:
        handler = Slow(w.records.worklist)
        for kind in ("ingest:slow", "ingest:slow", "ingest:slow", "ingest:quick", "ingest:quick"):
            await w.records.jobs.enqueue(ANN, NewJob(kind=kind))
        worker = Worker(w.records.worklist, worker="here:1:1", handlers=[handler])
        working = asyncio.create_task(worker.work())
        await asyncio.wait_for(handler.has_done[2].wait(), SOON)
        assert handler.done == ["ingest:quick", "ingest:quick"]
        handler.go_on.set()
        worker.ring()
        await asyncio.wait_for(handler.has_done[5].wait(), SOON)
        assert handler.most == 1
        working.cancel()
        await asyncio.wait([working])
