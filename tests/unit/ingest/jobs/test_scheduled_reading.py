"""A scheduled reading: by the worker, with the readers and the rights of when it is done."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from contract.records_world import SetClock
from fault.workshop import OWNER, LineReader, WallClock, Workshop, workshop
from patience import SOON
from weft.adapters.sql.schedules import SqlSchedules
from weft.domain.errors import Forbidden
from weft.domain.scope import Scope
from weft.ingest.jobs.ingestion import Ingest, IngestRequest
from weft.ingest.jobs.worker import IngestJobs
from weft.platform.identity import within
from weft.platform.worker import Worker
from weft.ports.records.jobs import JobStatus
from weft.ports.records.schedules import NewSchedule, Schedule
from weft.ports.store import Store

pytestmark = pytest.mark.anyio
ANN = frozenset({"user:ann", "user:owner"})
LESS = within(OWNER, frozenset({"kb.read", "kb.write"}))


class Shop:
    """A workshop with one folder, its base, and a schedule of each minute, made a while ago."""

    def __init__(self, shop: Workshop, folder: Path) -> None:
        self.shop = shop
        self.folder = folder
        self.ingest = Ingest(shop.library, shop.tools, records=shop.ingest_records)

    async def schedule(self, store: Store, scope: Scope = OWNER) -> None:
        job = await self.ingest.again_and_again(
            scope, store, request=IngestRequest(path=self.folder, prune=True)
        )
        clock = SetClock(WallClock().now())
        clock.move(-120)
        await SqlSchedules(self.shop.records.database, clock).add(
            OWNER, NewSchedule(cron="* * * * *", zone="UTC", job=job)
        )

    async def listed(self) -> Schedule:
        (found,) = await self.shop.records.schedules.listed(OWNER)
        return found

    async def work(self) -> Schedule:
        """Let a worker do what is due, and return how the schedule stands then."""
        records = self.shop.records
        handler = IngestJobs(
            self.shop.library, self.ingest, principals=self.shop.principals, clock=WallClock()
        )
        worker = Worker(
            records.worklist,
            worker=records.worker,
            handlers=[handler],
            timetable=records.timetable,
        )
        working = asyncio.create_task(worker.work())
        async with asyncio.timeout(SOON):
            while (found := await self.listed()).last_status is not JobStatus.FINISHED:  # noqa: ASYNC110  # nothing tells of it
                await asyncio.sleep(0.05)
        working.cancel()
        await asyncio.wait([working])
        return found


async def test_the_readers_are_those_of_when_it_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("Ada lives in London.")
    async with workshop(tmp_path / "home", reader=LineReader()) as made:
        shop = Shop(made, folder)
        store = await made.store(folder)
        await shop.schedule(store)
        await shop.ingest.bring_in(
            OWNER, store, request=IngestRequest(path=folder, acl=ANN), watch=lambda _: None
        )
        (folder / "b.txt").write_text("Grace lives in Oslo.")
        assert (await shop.listed()).last_status is None
        done = await shop.work()
        assert done.missed == 0
        assert (await made.records.jobs.get(OWNER, done.last_job)).result["documents"] == 1
        entries = await store.ledger.standing(OWNER, "docs")
        assert {entry.path: entry.acl for entry in entries} == {"a.txt": ANN, "b.txt": ANN}


async def test_who_may_bring_in_no_folders_any_more_brings_in_none(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("Ada lives in London.")
    async with workshop(tmp_path / "home", reader=LineReader()) as made:
        shop, store = Shop(made, folder), await made.store(folder)
        with pytest.raises(Forbidden, match=r"kb\.source"):
            await shop.schedule(store, LESS)
        await shop.schedule(store)
        records = made.records
        assert len(await records.timetable.begin_due()) == 1
        job = await records.worklist.claim("far:1:1", kinds=["ingest:"], lease_seconds=30)
        assert job is not None
        with pytest.raises(Forbidden, match=r"kb\.source"):
            await shop.ingest.work_on(LESS, store, job=job, watch=lambda _: None)
        ended = await records.jobs.get(OWNER, job.id)
        assert ended.status is JobStatus.FAILED
        assert "kb.source" in ended.error
        assert await store.ledger.standing(OWNER, "docs") == []
