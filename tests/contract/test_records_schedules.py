"""The contract of schedules: each time once, under the owner's rights, and never two at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contract.records_world import (
    ANN,
    ANN_ELSEWHERE,
    BOB,
    KEY,
    NOON,
    OVERSEER,
    World,
    each_database,
    world,
)
from weft.adapters.sql.records import open_records
from weft.domain.errors import BadInput, NotFound
from weft.domain.scope import Scope
from weft.platform.identity import by_key, narrow
from weft.ports.records.bases import NewBase
from weft.ports.records.jobs import INGESTION, JobStatus, NewJob
from weft.ports.records.schedules import MOST_SCHEDULES, NewSchedule, Schedule
from weft.ports.records.worklist import lease_of

pytestmark = pytest.mark.anyio
HOURLY = "0 * * * *"
FIRST = datetime(2026, 3, 1, 13, 0, tzinfo=UTC)
HOUR = 3600.0


async def add(w: World, scope: Scope = ANN, cron: str = HOURLY, key: str = "k") -> Schedule:
    job = NewJob(kind="work", args={"n": 1}, key=key)
    return await w.records.schedules.add(scope, NewSchedule(cron=cron, zone="UTC", job=job))


async def only(w: World, scope: Scope = ANN) -> Schedule:
    (found,) = await w.records.schedules.listed(scope)
    return found


async def end(w: World) -> None:
    """Take the job that waits, and end it well."""
    job = await w.records.worklist.claim("far:1:1", kinds=["work"], lease_seconds=30)
    assert job is not None
    await w.records.worklist.finish(lease_of(job), {})


async def begun(w: World) -> Sequence[str]:
    return await w.records.timetable.begin_due()


@each_database
async def test_a_job_is_put_in_line_when_it_is_due(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        made = await add(w, by_key(narrow(ANN, ["Files"]), "k1", scopes=frozenset()))
        assert (made.next_at, made.last_at, made.missed) == (FIRST, None, 0)
        assert await begun(w) == ()
        w.clock.move(HOUR)
        (job_id,) = await begun(w)
        assert await begun(w) == ()
        job = await w.records.jobs.get(ANN, job_id)
        assert (job.kind, job.args, job.key) == ("work", {"n": 1}, "k")
        assert job.owner == made.owner
        assert (job.owner.sources, job.owner.key_id) == (frozenset({"files"}), "k1")
        found = await only(w)
        assert (found.last_job, found.last_status) == (job_id, JobStatus.QUEUED)
        assert found.next_at == FIRST + timedelta(hours=1)
        await end(w)
        assert (await only(w)).last_status is JobStatus.FINISHED


@each_database
@pytest.mark.parametrize("held_by", ["itself", "another"])
async def test_what_still_goes_on_is_not_begun_again(
    database: str, tmp_path: Path, held_by: str
) -> None:
    async with world(database, tmp_path) as w:
        await add(w)
        if held_by == "another":
            await w.records.jobs.enqueue(BOB, NewJob(kind="work", key="k"))
        else:
            w.clock.move(HOUR)
            assert len(await begun(w)) == 1
        for times in (1, 2):
            w.clock.move(HOUR)
            assert await begun(w) == []
            assert (await only(w)).missed == times
        missed = await only(w)
        assert missed.missed_at == missed.next_at - timedelta(hours=1)
        await end(w)
        w.clock.move(HOUR)
        assert len(await begun(w)) == 1
        assert (await only(w)).missed == 2


@each_database
@pytest.mark.parametrize("when", ["made", "begun"])
async def test_a_clock_that_was_ahead_and_went_back_stops_no_schedule(
    database: str, tmp_path: Path, when: str
) -> None:
    async with world(database, tmp_path) as w:
        if when == "begun":
            await add(w)
        w.clock.move(1000 * HOUR)
        if when == "made":
            await add(w)
        else:
            assert len(await begun(w)) == 1
            await end(w)
        w.clock.move(-1000 * HOUR)
        assert await begun(w) == []
        found = await only(w)
        assert found.next_at == FIRST
        assert found.last_at is None or found.last_at <= w.clock.now()
        assert await begun(w) == ()
        w.clock.move(HOUR)
        assert len(await begun(w)) == 1


@each_database
async def test_of_many_times_that_passed_one_is_made_up_for(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        await add(w)
        w.clock.move(100 * HOUR)
        assert len(await begun(w)) == 1
        await end(w)
        assert await begun(w) == ()
        assert (await only(w)).next_at == FIRST + timedelta(hours=100)


@each_database
async def test_of_several_workers_exactly_one_begins_it(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        for number in range(5):
            await add(w, key=f"k{number}")
        several = [open_records(w.url, audit_key=KEY, clock=w.clock) for _ in range(4)]
        w.clock.move(HOUR)
        told = await asyncio.gather(*(each.timetable.begin_due() for each in several))
        for each in several:
            await each.close()
        assert len(await w.records.jobs.newest(ANN, limit=50)) == 5
        assert sorted(job for jobs in told for job in jobs) == sorted(
            [each.last_job for each in await w.records.schedules.listed(ANN)]
        )
        assert all(each.missed == 0 for each in await w.records.schedules.listed(ANN))


@each_database
async def test_a_paused_schedule_begins_nothing(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        made = await add(w)
        await w.records.schedules.pause(ANN, made.id)
        w.clock.move(10 * HOUR)
        assert await begun(w) == ()
        await w.records.schedules.resume(ANN, made.id)
        assert await begun(w) == ()
        assert (await only(w)).next_at == FIRST + timedelta(hours=10)
        w.clock.move(HOUR)
        assert len(await begun(w)) == 1


@each_database
async def test_a_schedule_is_its_owners(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        made = await add(w)
        schedules = w.records.schedules
        for stranger in (BOB, ANN_ELSEWHERE):
            assert await schedules.listed(stranger) == []
            for act in (schedules.pause, schedules.resume, schedules.remove):
                with pytest.raises(NotFound):
                    await act(stranger, made.id)
        assert await only(w, OVERSEER) == made
        await schedules.remove(OVERSEER, made.id)
        assert await schedules.listed(ANN) == []
        with pytest.raises(NotFound):
            await schedules.remove(ANN, made.id)


@each_database
async def test_the_schedules_of_a_base_go_with_it(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        for name in ("Docs", "Apes"):
            await w.records.bases.create(ANN, NewBase(name=name, target=f"sqlite:{name}.db"))
            job = NewJob(kind=f"{INGESTION}{name}", args={}, key=name)
            wanted = NewSchedule(cron=HOURLY, zone="UTC", job=job)
            await w.records.schedules.add(ANN, wanted)
        await w.records.bases.drop(ANN, "Docs")
        assert (await only(w)).kind == f"{INGESTION}Apes"


@each_database
async def test_what_is_not_valid_is_named(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        for cron, said in (("61 * * * *", "61"), ("* * * *", "minute"), ("0 0 30 2 *", "30 2")):
            with pytest.raises(BadInput, match=said):
                await add(w, cron=cron)
        new = NewSchedule(cron=HOURLY, zone="Middle/Earth", job=NewJob(kind="work"))
        with pytest.raises(BadInput, match="Middle/Earth"):
            await w.records.schedules.add(ANN, new)
        assert await w.records.schedules.listed(ANN) == []


async def test_there_is_an_end_to_how_many_there_are(tmp_path: Path) -> None:
    async with world("sqlite", tmp_path) as w:
        for number in range(MOST_SCHEDULES):
            await add(w, key=f"k{number}")
        with pytest.raises(BadInput, match=str(MOST_SCHEDULES)):
            await add(w)
        assert w.clock.now() == NOON
        await add(w, ANN_ELSEWHERE)
