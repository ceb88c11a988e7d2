"""The contract of jobs: one at a time, taken over from the dead, and never worked on by two."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from contract.records_world import (
    ANN,
    ANN_ELSEWHERE,
    BOB,
    KEY,
    NOON,
    OVERSEER,
    SetClock,
    World,
    child,
    database_url,
    each_database,
    world,
)
from weft.adapters.sql.records import open_records
from weft.adapters.sql.worklist import MAX_LOSSES
from weft.domain.errors import BadInput, FenceRefused, NotFound
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.platform.identity import narrow
from weft.ports.records.jobs import Job, JobFilter, JobOwner, JobStatus, NewJob
from weft.ports.records.steering import MoreBudget, OrderKind, RunOrder
from weft.ports.records.worklist import Lease, lease_of

pytestmark = pytest.mark.anyio


async def enqueue(w: World, scope: Scope = ANN, key: str = "", max_attempts: int = 5) -> str:
    job = NewJob(kind="work", args={"n": 1}, key=key, max_attempts=max_attempts)
    return (await w.records.jobs.enqueue(scope, job)).job_id


async def claim(w: World, worker: str = "far:1:1", lease: float = 30) -> Job | None:
    return await w.records.worklist.claim(worker, kinds=["work"], lease_seconds=lease)


async def take(w: World, worker: str = "far:1:1", lease: float = 30) -> Job:
    job = await claim(w, worker, lease)
    assert job is not None
    return job


@each_database
async def test_a_job_carries_the_rights_of_its_owner(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        scope = replace(narrow(ANN, ["Files"]), key_id="00ff")
        await enqueue(w, scope)
        job = await take(w, "here:1:1")
        assert job.owner == JobOwner(
            tenant="acme",
            actor="user:ann",
            principals=ANN.principals,
            permissions=ANN.permissions,
            sources=frozenset({"files"}),
            key_id="00ff",
        )
        assert (job.args, job.attempt, job.status) == ({"n": 1}, 1, JobStatus.RUNNING)
        assert (job.worker, job.created) == ("here:1:1", NOON)


@each_database
async def test_a_key_has_one_unfinished_job_a_tenant(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        first = await w.records.jobs.enqueue(ANN, NewJob(kind="work", key="k"))
        again = await w.records.jobs.enqueue(BOB, NewJob(kind="work", key="k"))
        assert (first.is_new, again.is_new, again.job_id) == (True, False, first.job_id)
        w.clock.move(1)
        elsewhere = await w.records.jobs.enqueue(ANN_ELSEWHERE, NewJob(kind="work", key="k"))
        assert elsewhere.is_new
        job = await take(w)
        assert not (await w.records.jobs.enqueue(ANN, NewJob(kind="work", key="k"))).is_new
        await w.records.worklist.finish(lease_of(job), {"done": 1})
        assert (await w.records.jobs.enqueue(ANN, NewJob(kind="work", key="k"))).is_new
        assert await enqueue(w) != await enqueue(w)


@each_database
async def test_jobs_are_claimed_oldest_first_and_once(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        ids = []
        for _ in range(3):
            ids.append(await enqueue(w))
            w.clock.move(1)
        await w.records.jobs.enqueue(ANN, NewJob(kind="other"))
        assert [(await take(w)).id for _ in ids] == ids
        assert await claim(w) is None


@each_database
async def test_a_finished_job_tells_its_result(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        job_id = await enqueue(w)
        lease = lease_of(await take(w))
        await w.records.worklist.progress(lease, {"done": 3, "left": 4})
        assert (await w.records.jobs.get(ANN, job_id)).progress == {"done": 3, "left": 4}
        await w.records.worklist.finish(lease, {"documents": 7})
        job = await w.records.jobs.get(ANN, job_id)
        assert (job.status, job.result) == (JobStatus.FINISHED, {"documents": 7})


@each_database
async def test_a_lease_that_ran_out_is_taken_over(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        await enqueue(w)
        old = await take(w, "far:1:1", lease=10)
        w.clock.move(9)
        assert not await w.records.worklist.heartbeat(lease_of(old), lease_seconds=10)
        w.clock.move(9)
        assert await claim(w, "far:2:1") is None
        w.clock.move(2)
        new = await take(w, "far:2:1")
        assert (new.id, new.attempt, new.failures) == (old.id, 2, 0)
        assert lease_of(new).fence > lease_of(old).fence


@each_database
async def test_an_old_fence_is_refused_everywhere(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        work = w.records.worklist
        job_id = await enqueue(w)
        old = lease_of(await take(w, lease=10))
        w.clock.move(11)
        new = lease_of(await take(w))
        stranger = Lease(tenant="globex", job_id=job_id, fence=new.fence)
        for lease in (old, stranger):
            with pytest.raises(FenceRefused):
                await work.heartbeat(lease, lease_seconds=10)
            with pytest.raises(FenceRefused):
                await work.progress(lease, {})
            with pytest.raises(FenceRefused):
                await work.finish(lease, {})
            with pytest.raises(FenceRefused):
                await work.fail(lease, error="no")
            with pytest.raises(FenceRefused):
                await work.release(lease)
        await work.finish(new, {})
        with pytest.raises(FenceRefused):
            await work.finish(new, {})


@each_database
async def test_a_failure_is_tried_again_later_and_not_for_ever(
    database: str, tmp_path: Path
) -> None:
    async with world(database, tmp_path) as w:
        job_id = await enqueue(w, key="k", max_attempts=3)
        waits = []
        for failure in (1, 2):
            job = await take(w)
            assert await w.records.worklist.fail(lease_of(job), error=f"boom {failure}")
            assert await claim(w) is None
            again = (await w.records.jobs.get(ANN, job_id)).run_at
            waits.append((again - w.clock.now()).total_seconds())
            w.clock.time = again
        assert 0.5 <= waits[0] <= 1
        assert 1 <= waits[1] <= 2
        assert not await w.records.worklist.fail(lease_of(await take(w)), error="boom 3")
        job = await w.records.jobs.get(ANN, job_id)
        assert (job.status, job.failures, job.error) == (JobStatus.FAILED, 3, "boom 3")
        w.clock.move(3600)
        assert await claim(w) is None
        assert await enqueue(w, key="k") != job_id


@each_database
async def test_a_job_from_before_the_clock_went_back_is_due(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        w.clock.move(7200)
        job_id = await enqueue(w)
        w.clock.move(-7200)
        job = await take(w)
        assert job.id == job_id
        assert await w.records.worklist.fail(lease_of(job), error="boom")
        assert await claim(w) is None


@each_database
async def test_a_job_that_ends_well_tells_no_failure_of_before(
    database: str, tmp_path: Path
) -> None:
    async with world(database, tmp_path) as w:
        job_id = await enqueue(w)
        await w.records.worklist.fail(lease_of(await take(w)), error="boom")
        w.clock.move(3600)
        await w.records.worklist.finish(lease_of(await take(w)), {})
        job = await w.records.jobs.get(ANN, job_id)
        assert (job.status, job.failures, job.error) == (JobStatus.FINISHED, 1, "")


@each_database
async def test_a_failure_that_will_not_mend_is_final(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        job_id = await enqueue(w)
        lease = lease_of(await take(w))
        assert not await w.records.worklist.fail(lease, error="bad_input", may_retry=False)
        assert (await w.records.jobs.get(ANN, job_id)).status is JobStatus.FAILED


@each_database
async def test_a_job_that_kills_every_worker_fails_at_last(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        job_id = await enqueue(w)
        for loss in range(MAX_LOSSES + 1):
            assert (await take(w, lease=1)).attempt == loss + 1
            w.clock.move(2)
        assert await claim(w) is None
        job = await w.records.jobs.get(ANN, job_id)
        assert (job.status, job.error) == (JobStatus.FAILED, "worker_lost")


@each_database
async def test_progress_says_that_the_workers_did_not_die_of_the_job(
    database: str, tmp_path: Path
) -> None:
    async with world(database, tmp_path) as w:
        await enqueue(w)
        for step in range(MAX_LOSSES * 2):
            lease = lease_of(await take(w, lease=1))
            await w.records.worklist.progress(lease, {"step": step})
            w.clock.move(2)


@each_database
async def test_a_waiting_job_is_cancelled_at_once(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        job_id = await enqueue(w, key="k")
        await w.records.jobs.cancel(ANN, job_id)
        job = await w.records.jobs.get(ANN, job_id)
        assert (job.status, job.finished) == (JobStatus.CANCELLED, NOON)
        assert await claim(w) is None
        assert await enqueue(w, key="k") != job_id


@each_database
async def test_a_running_job_hears_that_it_shall_stop(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        for end in ("release", "fail", "die"):
            job_id = await enqueue(w)
            lease = lease_of(await take(w, lease=10))
            assert not await w.records.worklist.heartbeat(lease, lease_seconds=10)
            await w.records.jobs.cancel(ANN, job_id)
            assert await w.records.worklist.heartbeat(lease, lease_seconds=10)
            if end == "release":
                await w.records.worklist.release(lease)
            elif end == "fail":
                assert not await w.records.worklist.fail(lease, error="stopped")
            else:
                w.clock.move(11)
                assert await claim(w) is None
            assert (await w.records.jobs.get(ANN, job_id)).status is JobStatus.CANCELLED


@each_database
@pytest.mark.parametrize("end", ["finish", "fail", "release", "die"])
async def test_a_job_that_has_ended_tells_when(database: str, tmp_path: Path, *, end: str) -> None:
    async with world(database, tmp_path) as w:
        job_id = await enqueue(w)
        assert (await w.records.jobs.get(ANN, job_id)).finished is None
        lease = lease_of(await take(w, lease=10))
        assert await w.records.worklist.fail(lease, error="again", may_retry=True)
        assert (await w.records.jobs.get(ANN, job_id)).finished is None
        w.clock.move(3600)
        lease = lease_of(await take(w, lease=10))
        if end == "finish":
            await w.records.worklist.finish(lease, {})
        elif end == "fail":
            await w.records.worklist.fail(lease, error="bad_input", may_retry=False)
        else:
            await w.records.jobs.cancel(ANN, job_id)
        if end == "release":
            await w.records.worklist.release(lease)
        elif end == "die":
            w.clock.move(11)
            assert await claim(w) is None
        ended = w.clock.now()
        w.clock.move(5)
        assert (await w.records.jobs.get(ANN, job_id)).finished == ended
        (listed,) = (await w.records.jobs.page(ANN, limit=5)).jobs
        assert listed.finished == ended


@each_database
async def test_a_released_job_is_there_at_once(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        job = await take_new(w)
        await w.records.worklist.release(lease_of(job))
        again = await take(w, "far:2:1")
        assert (again.id, again.attempt, again.failures) == (job.id, 2, 0)


async def take_new(w: World) -> Job:
    await enqueue(w)
    return await take(w)


@each_database
async def test_a_foreign_job_is_as_if_it_were_not_there(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        job_id = await enqueue(w)
        for scope, wanted in ((BOB, job_id), (ANN_ELSEWHERE, job_id), (ANN, "none")):
            with pytest.raises(NotFound) as got:
                await w.records.jobs.get(scope, wanted)
            with pytest.raises(NotFound) as cancelled:
                await w.records.jobs.cancel(scope, wanted)
            assert str(got.value) == str(cancelled.value)
        assert await w.records.jobs.newest(BOB, limit=9) == []
        assert (await w.records.jobs.page(BOB, limit=9)).jobs == ()
        assert (await w.records.jobs.counts(BOB)).statuses == {}
        assert [job.id for job in await w.records.jobs.newest(OVERSEER, limit=9)] == [job_id]
        await w.records.jobs.cancel(OVERSEER, job_id)


@each_database
async def test_the_newest_jobs_come_first(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        ids = []
        for _ in range(3):
            ids.append(await enqueue(w))
            w.clock.move(1)
        newest = await w.records.jobs.newest(ANN, limit=2)
        assert [job.id for job in newest] == [ids[2], ids[1]]
        assert newest[0].run_at - newest[1].run_at == timedelta(seconds=1)


@each_database
async def test_a_list_of_jobs_is_paged_by_what_is_wanted(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        made = {}
        for number in range(7):
            kind = ("ingest:A", "ingest:AB", "work")[number % 3]
            w.clock.move(number % 2)  # some of one time: the page must break between them
            job = NewJob(kind=kind)
            made[(await w.records.jobs.enqueue(ANN, job)).job_id] = kind
        await w.records.jobs.cancel(ANN, next(key for key, kind in made.items() if kind == "work"))

        async def listed(wanted: JobFilter) -> list[str]:
            found: list[Job] = []
            cursor = ""
            while True:
                page = await w.records.jobs.page(ANN, limit=2, cursor=cursor, wanted=wanted)
                found += page.jobs
                cursor = page.cursor
                if not cursor:
                    break
            assert [job.created for job in found] == sorted(
                (job.created for job in found), reverse=True
            )
            return [job.kind for job in found]

        assert sorted(await listed(JobFilter())) == sorted(made.values())
        assert (
            sorted(await listed(JobFilter(kind="ingest:"))) == ["ingest:A"] * 3 + ["ingest:AB"] * 2
        )
        assert await listed(JobFilter(kind="ingest:A")) == ["ingest:A"] * 3
        assert await listed(JobFilter(kind="inges%:")) == []
        assert await listed(JobFilter(status="cancelled")) == ["work"]
        assert await listed(JobFilter(kind="ingest:", status="cancelled\0")) == []
        with pytest.raises(BadInput):
            await w.records.jobs.page(ANN, limit=2, cursor="nonsense")
        counts = await w.records.jobs.counts(ANN, kind="ingest:")
        assert (counts.statuses, counts.waiting_since) == ({JobStatus.QUEUED: 5}, NOON)
        assert (await w.records.jobs.counts(ANN)).statuses[JobStatus.CANCELLED] == 1


@each_database
async def test_a_job_that_waits_stands_still_until_it_is_gone_on_with(
    database: str, tmp_path: Path
) -> None:
    async with world(database, tmp_path) as w:
        job_id, jobs = await enqueue(w, key="one"), w.records.jobs
        await jobs.pause(ANN, job_id)
        assert (await jobs.get(ANN, job_id)).status is JobStatus.PAUSED
        assert await claim(w) is None
        assert (await jobs.enqueue(ANN, NewJob(kind="work", key="one"))).job_id == job_id
        await jobs.resume(ANN, job_id)
        assert (await take(w)).id == job_id


@each_database
async def test_a_job_in_hand_is_paused_by_its_workers_next_heartbeat(
    database: str, tmp_path: Path
) -> None:
    async with world(database, tmp_path) as w:
        job_id, jobs, worklist = await enqueue(w), w.records.jobs, w.records.worklist
        lease = lease_of(await take(w))
        assert not await worklist.heartbeat(lease, lease_seconds=30)
        await jobs.pause(ANN, job_id)
        assert await worklist.heartbeat(lease, lease_seconds=30)
        await worklist.release(lease)
        assert (await jobs.get(ANN, job_id)).status is JobStatus.PAUSED
        await jobs.resume(ANN, job_id)
        lease = lease_of(await take(w))
        assert not await worklist.heartbeat(lease, lease_seconds=30)
        await worklist.finish(lease, {})
        for order in (jobs.pause, jobs.resume):
            await order(ANN, job_id)
            assert (await jobs.get(ANN, job_id)).status is JobStatus.FINISHED


@each_database
async def test_a_paused_job_can_be_cancelled_and_nobody_else_steers_it(
    database: str, tmp_path: Path
) -> None:
    async with world(database, tmp_path) as w:
        job_id, jobs = await enqueue(w), w.records.jobs
        for scope in (BOB, ANN_ELSEWHERE):
            for order in (jobs.pause, jobs.resume, jobs.cancel):
                with pytest.raises(NotFound):
                    await order(scope, job_id)
        await jobs.pause(ANN, job_id)
        await jobs.cancel(ANN, job_id)
        assert (await jobs.get(ANN, job_id)).status is JobStatus.CANCELLED


@each_database
async def test_a_family_of_kinds_is_claimed_by_what_they_begin_with(
    database: str, tmp_path: Path
) -> None:
    async with world(database, tmp_path) as w:
        jobs, worklist = w.records.jobs, w.records.worklist
        await jobs.enqueue(ANN, NewJob(kind="flow:rag"))
        await jobs.enqueue(ANN_ELSEWHERE, NewJob(kind="ingest:A"))
        found = await worklist.claim("far:1:1", kinds=["ingest:"], lease_seconds=30)
        assert found is not None
        assert (found.kind, found.owner.tenant) == ("ingest:A", "globex")
        assert await worklist.claim("far:1:1", kinds=["ingest:", "flo:"], lease_seconds=30) is None
        assert await worklist.claim("far:1:1", kinds=[], lease_seconds=30) is None
        assert await worklist.claim("far:1:1", kinds=["flow:"], lease_seconds=30) is not None


@each_database
async def test_orders_for_a_run_are_taken_once_and_in_order(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        steering, run = w.records.steering, RunId("r1")
        more = MoreBudget(tokens=5, money=Decimal("0.1000000001"), wall_s=2.5)
        given = [RunOrder(kind=OrderKind.GRANT, more=more), RunOrder(kind=OrderKind.PAUSE)]
        for order in given:
            await steering.put(ANN, run, order)
        assert await steering.take(ANN, RunId("r2")) == []
        assert await steering.take(ANN_ELSEWHERE, run) == []
        assert await steering.take(ANN, run) == given
        assert await steering.take(ANN, run) == []


@pytest.mark.fault
@each_database
async def test_a_killed_worker_is_followed_at_once(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        job_id = await enqueue(w)
        worker = child("claim_and_hang", w.url)
        assert worker.stdout is not None
        assert worker.stdout.readline().strip() == job_id
        # The lease of an hour is the child's; while it lives nobody else gets the job.
        assert await claim(w, w.records.worker) is None
        worker.kill()
        worker.communicate()
        job = await take(w, w.records.worker)
        assert (job.id, job.attempt) == (job_id, 2)
        await w.records.worklist.finish(lease_of(job), {})


@pytest.mark.fault
@each_database
async def test_two_processes_never_claim_the_same_job(database: str, tmp_path: Path) -> None:
    with database_url(database, tmp_path) as url:
        # Put in line long ago, so that it is due by the clock of every process.
        records = open_records(url, audit_key=KEY, clock=SetClock())
        made = {(await records.jobs.enqueue(ANN, NewJob(kind="work"))).job_id for _ in range(60)}
        workers = [child("claim_all", url) for _ in range(2)]
        for worker in workers:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "ready\n"
        for worker in workers:
            assert worker.stdin is not None
            worker.stdin.write("go\n")
            worker.stdin.flush()
        claimed = [worker.communicate()[0].split() for worker in workers]
        assert all(worker.returncode == 0 for worker in workers)
        assert len(claimed[0]) + len(claimed[1]) == 60
        assert {*claimed[0], *claimed[1]} == made
        await records.close()


@each_database
async def test_of_a_kind_only_so_many_are_worked_on(database: str, tmp_path: Path) -> None:
    """Counted over all workers; the dead ones' do not count."""
    async with world(database, tmp_path) as w:
        for kind in ("ingest:A", "ingest:A", "ingest:B"):
            await w.records.jobs.enqueue(ANN, NewJob(kind=kind))
            w.clock.move(1)

        async def taken(worker: str) -> str:
            job = await w.records.worklist.claim(
                worker, kinds=["ingest:"], lease_seconds=30, each_at_once=1
            )
            return "" if job is None else job.kind

        assert await taken("far:1:1") == "ingest:A"
        assert await taken("far:2:1") == "ingest:B"
        assert await taken("far:3:1") == ""
        w.clock.move(31)  # both workers are dead by now: each base has one taken up again
        assert sorted([await taken("far:4:1"), await taken("far:5:1")]) == ["ingest:A", "ingest:B"]
        assert await taken("far:6:1") == ""
