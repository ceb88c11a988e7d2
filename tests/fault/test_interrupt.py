"""A job that was left, cancelled or interrupted: it is given back, and the next start goes on."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path

import anyio
import pytest

from fault.corpus import make, write_note
from fault.killing import ENVIRONMENT, no_parser_of, parsers_of
from fault.workshop import OWNER, LineReader, Workshop, workshop
from patience import SOON
from weft.domain.errors import Cancelled
from weft.ingest.progress import IngestProgress
from weft.ports.records.jobs import JobStatus, NewJob
from weft.ports.records.worklist import Lease, lease_of

pytestmark = [pytest.mark.anyio, pytest.mark.fault]
_WEFT = "from weft.cli.main import main; main()"


def fill(folder: Path, files: int = 4) -> Path:
    folder.mkdir()
    for number in range(files):
        (folder / f"{number}.txt").write_text(f"Ada {number} lives in Oslo.")
    return folder


async def queue(shop: Workshop, folder: Path) -> str:
    """Put in line what `bring_in` would, for someone else to begin with."""
    store = await shop.store(folder)
    source = await store.ledger.source(OWNER, str(folder), wanted=folder.name, acl=None)
    args = {"source": source.name, "root": str(folder), "acl": sorted(source.acl), "prune": True}
    kind = f"ingest:{store.name}"
    job = NewJob(kind=kind, args=args, key=f"{kind}:{source.name}")
    return (await shop.records.jobs.enqueue(OWNER, job)).job_id


async def waiting_for(shop: Workshop, folder: Path, lease: Lease) -> asyncio.Task[IngestProgress]:
    """Begin what waits for another worker's job; it does wait once it is told how that goes."""
    await shop.records.worklist.progress(lease, asdict(IngestProgress(files=4)))
    is_told = asyncio.Event()
    waiting = asyncio.create_task(shop.bring_in(folder, watch=lambda _: is_told.set()))
    await asyncio.wait_for(is_told.wait(), SOON)
    return waiting


async def test_what_a_dead_worker_left_is_done_and_told_as_done(tmp_path: Path) -> None:
    folder = fill(tmp_path / "docs")
    async with workshop(tmp_path / "home", reader=LineReader()) as shop:
        job_id = await queue(shop, folder)
        host = shop.records.worker.rsplit(":", 2)[0]
        store = await shop.store(folder)
        worklist = shop.records.worklist
        kinds = [f"ingest:{store.name}"]
        taken = await worklist.claim(f"{host}:4194304:1", kinds=kinds, lease_seconds=3600)
        assert taken is not None
        began = time.monotonic()
        done = await shop.bring_in(folder)
        assert time.monotonic() - began < SOON
        assert (done.documents, done.unchanged) == (4, 0)
        assert (await shop.records.jobs.get(OWNER, job_id)).status is JobStatus.FINISHED


async def test_what_another_worker_could_not_do_is_tried_here(tmp_path: Path) -> None:
    folder = fill(tmp_path / "docs")
    async with workshop(tmp_path / "home", reader=LineReader()) as shop:
        await queue(shop, folder)
        kinds = [f"ingest:{(await shop.store(folder)).name}"]
        worklist = shop.records.worklist
        taken = await worklist.claim("elsewhere:1:1", kinds=kinds, lease_seconds=3600)
        assert taken is not None
        waiting = await waiting_for(shop, folder, lease_of(taken))
        await worklist.fail(lease_of(taken), error="no memory", may_retry=False)
        assert (await waiting).documents == 4


async def test_who_waits_hears_that_the_job_was_cancelled(tmp_path: Path) -> None:
    folder = fill(tmp_path / "docs")
    async with workshop(tmp_path / "home", reader=LineReader()) as shop:
        job_id = await queue(shop, folder)
        kinds = [f"ingest:{(await shop.store(folder)).name}"]
        worklist = shop.records.worklist
        taken = await worklist.claim("elsewhere:1:1", kinds=kinds, lease_seconds=3600)
        assert taken is not None
        waiting = await waiting_for(shop, folder, lease_of(taken))
        await shop.records.jobs.cancel(OWNER, job_id)
        await worklist.release(lease_of(taken))
        with pytest.raises(Cancelled):
            await waiting
        assert (await shop.bring_in(folder)).documents == 4


async def test_who_works_is_stopped_when_the_job_is_cancelled(tmp_path: Path) -> None:
    folder = fill(tmp_path / "docs", files=60)
    async with workshop(tmp_path / "home", reader=LineReader()) as shop:
        shop.embedder.seconds = 0.5
        some_are_in = asyncio.Event()

        def watch(report: IngestProgress) -> None:
            if report.documents:
                some_are_in.set()

        working = asyncio.create_task(shop.bring_in(folder, watch=watch))
        await asyncio.wait_for(some_are_in.wait(), SOON)
        (job,) = await shop.records.jobs.newest(OWNER, limit=1)
        await shop.records.jobs.cancel(OWNER, job.id)
        with pytest.raises(Cancelled):
            await working
        assert (await shop.records.jobs.get(OWNER, job.id)).status is JobStatus.CANCELLED
        shop.embedder.seconds = 0
        done = await shop.bring_in(folder)
        assert 0 < done.documents < 60


def test_control_c_gives_the_job_back_and_ends_the_parsers(tmp_path: Path) -> None:
    make(tmp_path / "docs")
    for number in range(800):
        write_note(tmp_path / "docs", f"more{number}", number)
    home = {"WEFT_HOME": str(tmp_path / "home"), "WEFT_EMBEDDER": "none"}
    command = [sys.executable, "-c", _WEFT, "ingest", str(tmp_path / "docs"), "--prune"]
    # Whoever starts the tests in the background has their children ignore the signal.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen(
        command,
        env={**ENVIRONMENT, **home},
        stderr=subprocess.PIPE,
        preexec_fn=heard,  # noqa: PLW1509  # no other thread runs here
    )
    while not parsers_of(process.pid):
        time.sleep(0.02)
        assert process.poll() is None
    time.sleep(0.2)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=SOON)
    assert process.returncode == 130
    assert b"the next call continues" in said
    assert time.monotonic() - began < SOON
    assert no_parser_of(process.pid)

    async def look() -> JobStatus:
        async with workshop(tmp_path / "home") as shop:
            (job,) = await shop.records.jobs.newest(OWNER, limit=1)
            return job.status

    assert anyio.run(look) is JobStatus.QUEUED
    again = subprocess.run(command, env={**ENVIRONMENT, **home}, check=False)
    assert again.returncode == 0
