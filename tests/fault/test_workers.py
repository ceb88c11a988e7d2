"""Several workers on one file of records: whichever is killed, nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import os
import random
import select
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from fault.corpus import edit, make
from fault.killing import (
    Outcome,
    check,
    check_ledger,
    kill,
    no_parser_of,
    outcome,
    started,
    watcher,
)
from fault.workshop import OWNER, HashEmbedder, WallClock, workshop
from weft.domain.acl import EVERYONE
from weft.domain.errors import ModelUnavailable
from weft.domain.facts import Vectors
from weft.ingest.jobs.ingestion import Ingest, IngestRequest
from weft.ingest.jobs.worker import IngestJobs
from weft.platform.worker import Worker
from weft.ports.embedder import PassageText
from weft.ports.records.jobs import JobStatus

pytestmark = pytest.mark.fault
BASES = 5
KILLS = 6
PATIENCE_SECONDS = 60.0
SECONDS = 120.0


def submit(home: Path, folders: list[Path]) -> None:
    """Put the ingestion of each folder into its own knowledge base in line."""

    async def put() -> None:
        async with workshop(home) as shop:
            ingest = Ingest(shop.library, shop.tools, records=shop.ingest_records)
            for folder in folders:
                request = IngestRequest(path=folder, acl=frozenset({EVERYONE}), prune=True)
                await ingest.submit(OWNER, await shop.store(folder), request=request)

    anyio.run(put)


def worker(home: Path) -> subprocess.Popen[bytes]:
    """Start a worker."""
    return started("worker_process", home, stdout=subprocess.PIPE)


def taken(process: subprocess.Popen[bytes]) -> list[str]:
    """Return the bases that a worker took jobs of, once it has ended."""
    out, _ = process.communicate(timeout=SECONDS)
    assert no_parser_of(process.pid)
    return [line.split()[0] for line in out.decode().splitlines()]


@pytest.mark.timeout(SECONDS * 3)
def test_two_workers_of_which_one_is_killed_again_and_again(
    tmp_path: Path, report: list[str]
) -> None:
    home, folders = tmp_path / "home", [tmp_path / f"docs{n}" for n in range(BASES)]
    for folder in folders:
        make(folder)
    submit(home, folders)
    chance, began, killed = random.Random(7), time.monotonic(), 0
    turns, waits = Counter[str](), list[float]()
    pair = [worker(home), worker(home)]
    while killed < KILLS and open_jobs(home):
        victim = chance.randrange(2)
        if base := took_a_job(pair[victim], waits):
            turns[base] += 1
            time.sleep(chance.uniform(0.0, 0.8))
            killed += pair[victim].poll() is None
        kill(pair[victim])
        turns.update(taken(pair[victim]))
        pair[victim] = worker(home)
    for each in pair:
        turns.update(taken(each))
        assert each.returncode == 0
    took = time.monotonic() - began
    for folder in folders:
        ended, calm = outcome(home, folder), outcome(tmp_path / f"calm-{folder.name}", folder)
        assert ended.unfinished == 0
        check_ledger(ended)
        assert _same(ended) == _same(calm)
    assert killed >= 2
    assert turns.total() > BASES  # some were taken up again
    said = f"{BASES} bases by two workers, {killed} kills, {turns.total()} turns in {took:.1f} s"
    report.append(said)


@pytest.mark.chaos
@pytest.mark.timeout(3 * 3600)
def test_two_workers_killed_hundreds_of_times(tmp_path: Path, report: list[str]) -> None:
    home, folders = tmp_path / "home", [tmp_path / f"docs{n}" for n in range(BASES)]
    for folder in folders:
        make(folder)
    kills = int(os.environ.get("WEFT_CHAOS_KILLS", "200"))
    chance, began, killed, rounds = random.Random(kills), time.monotonic(), 0, 0
    waits = list[float]()
    with watcher(home) as seen:
        submit(home, folders)
        pair = [worker(home), worker(home)]
        while killed < kills:
            if not open_jobs(home):
                rounds += 1
                for folder in folders:
                    edit(folder, rounds)
                submit(home, folders)
            victim = chance.randrange(2)
            if took_a_job(pair[victim], waits):
                time.sleep(chance.uniform(0.0, 1.5))
                killed += pair[victim].poll() is None
            kill(pair[victim])
            taken(pair[victim])
            pair[victim] = worker(home)
        for each in pair:
            taken(each)
            assert each.returncode == 0
    for folder in folders:
        ended, calm = outcome(home, folder), outcome(tmp_path / f"calm-{folder.name}", folder)
        assert ended.unfinished == 0
        check_ledger(ended)
        check(seen, ended)
        assert _same(ended) == _same(calm)
    took = time.monotonic() - began
    said = f"{BASES} bases by two workers, {killed} kills while they were at a job, {rounds} edits"
    report.append(f"{said} in {took:.0f} s; longest start to a job {max(waits):.1f} s")
    report.append(
        f"  a reader beside them: {seen['looks']} looks, {seen['views']} at the arrays too"
    )


def took_a_job(process: subprocess.Popen[bytes], waits: list[float]) -> str:
    """Return the base whose job a worker takes first, and keep how long that was; else nothing."""
    assert process.stdout is not None
    began = time.monotonic()
    waiting = select.poll()
    waiting.register(process.stdout, select.POLLIN)
    ready = waiting.poll(PATIENCE_SECONDS * 1000)
    # At its end without a line there was no job left.
    line = process.stdout.readline().decode() if ready else ""
    if line:
        waits.append(time.monotonic() - began)
    return line.partition(" ")[0]


def open_jobs(home: Path) -> int:
    """Return how many jobs wait or are worked on."""

    async def count() -> int:
        async with workshop(home) as shop:
            counts = (await shop.records.jobs.counts(OWNER)).statuses
            return counts.get(JobStatus.QUEUED, 0) + counts.get(JobStatus.RUNNING, 0)

    return anyio.run(count)


def _same(ended: Outcome) -> tuple[list[str], list[object], dict[str, list[str]]]:
    """Return what a base holds, without what tells it from another of the same folder."""
    return ended.export, [*ended.files], ended.views


class AwayEmbedder(HashEmbedder):
    """Does not answer the first three times."""

    def __init__(self) -> None:
        super().__init__()
        self.away = 3

    async def passages(self, texts: Sequence[PassageText]) -> list[Vectors]:
        self.away -= 1
        if self.away >= 0:
            raise ModelUnavailable("The embedder does not answer.")
        return await super().passages(texts)


@pytest.mark.anyio
async def test_a_job_whose_model_was_away_is_done_when_it_is_back(tmp_path: Path) -> None:
    make(tmp_path / "docs")
    async with workshop(tmp_path / "home") as shop:
        ingest = Ingest(
            shop.library, replace(shop.tools, embedder=AwayEmbedder()), records=shop.ingest_records
        )
        store = await shop.store(tmp_path / "docs")
        job_id = await ingest.submit(
            OWNER, store, request=IngestRequest(path=tmp_path / "docs", prune=True)
        )
        handler = IngestJobs(shop.library, ingest, principals=shop.principals, clock=WallClock())
        worker = Worker(shop.records.worklist, worker="here:1:1", handlers=[handler])
        working = asyncio.create_task(worker.work())
        async with asyncio.timeout(25):
            while (job := await shop.records.jobs.get(OWNER, job_id)).status != "finished":
                assert job.status in ("queued", "running"), job.error
                await asyncio.sleep(0.1)
        working.cancel()
        await asyncio.wait([working])
        # It was tried again within the run, so the job itself never failed.
        assert int(str(job.result["retried"])) >= 1
        assert (job.failures, job.error) == (0, "")
        assert (await store.holdings.counts(OWNER)).documents > 20
