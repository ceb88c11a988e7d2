"""A port that fails, hangs or acts and does not say so: nothing is half, and the next run ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from fault.faulty import Fault, faulty
from fault.watch_process import by_document, faults_of
from fault.workshop import OWNER, LineReader, Workshop, workshop
from patience import SOON
from weft.domain.errors import BadModelReply, UnreadableFile, WeftError
from weft.ingest.jobs.ingestion import IngestRecords
from weft.ports.records.jobs import JobStatus
from weft.ports.store import Store

pytestmark = [pytest.mark.anyio, pytest.mark.fault]
OPEN_JOBS = (JobStatus.QUEUED, JobStatus.RUNNING)


def make(folder: Path) -> None:
    """Write six files of nine documents."""
    folder.mkdir()
    for number in range(5):
        (folder / f"a{number}.txt").write_text(f"Ada {number} wrote a program in London.")
    (folder / "b.rows").write_text(
        "r1||Row one.\nr2||Row two.\nr3|user:owner|Row three.\nr4||Row 4."
    )


def edit(folder: Path) -> None:
    """Change one, and one of a file of several, remove one, bring in one and change one's ACL."""
    (folder / "a0.txt").write_text("Grace wrote a compiler in Oslo.")
    (folder / "a1.txt").unlink()
    rows = folder / "b.rows"
    rows.write_text(rows.read_text().replace("Row one", "Another row"))
    (folder / "c.txt").write_text("Li Wei leads the Payments team.")
    (folder / "weft.acl.yaml").write_text("paths:\n  'a2.txt': ['user:owner']\n")


@asynccontextmanager
async def edited(tmp_path: Path, fault: Fault, port: str) -> AsyncIterator[Workshop]:
    """Yield a workshop with the folder before its edit; `port` is a field of its ingest records."""
    make(tmp_path / "docs")

    def spoilt(records: IngestRecords) -> IngestRecords:
        return (
            replace(records, **{port: faulty(getattr(records, port), fault)}) if port else records
        )

    async with workshop(tmp_path / "home", reader=LineReader()) as shop:
        await shop.bring_in(tmp_path / "docs")
        edit(tmp_path / "docs")
        yield replace(shop, ingest_records=spoilt(shop.ingest_records))


async def calm(tmp_path: Path) -> list[str]:
    """Return the export of a workshop that met no fault."""
    async with workshop(tmp_path / "calm", reader=LineReader()) as shop:
        await shop.bring_in(tmp_path / "docs")
        return await shop.export(tmp_path / "docs")


async def nothing_half(shop: Workshop, folder: Path) -> None:
    for key, parts in by_document(await shop.export(folder)).items():
        assert not faults_of(key, parts)


async def ends_well(shop: Workshop, tmp_path: Path) -> None:
    """Check that nothing is half, and that the next run ends as if nothing had happened."""
    folder = tmp_path / "docs"
    await nothing_half(shop, folder)
    async with workshop(tmp_path / "home", reader=LineReader()) as next_house:
        await next_house.bring_in(folder)
        assert await next_house.export(folder) == await calm(tmp_path)


STORE_CALLS = [
    ("publishing", "issue_fence"),
    ("publishing", "publish"),
    ("publishing", "delete"),
    ("publishing", "reclassify"),
    ("holdings", "versions"),
    ("holdings", "chunk_counts"),
    ("ledger", "source"),
    ("ledger", "standing"),
    ("ledger", "record"),
    ("ledger", "forget"),
]
# What is asked before there is a run is not tried again by it.
BEFORE_THE_RUN = ("source", "standing")


@pytest.mark.parametrize("how", ["fail", "hang", "lose"])
@pytest.mark.parametrize(("port", "method"), STORE_CALLS)
async def test_the_store_fails_once(tmp_path: Path, port: str, method: str, how: str) -> None:
    fault = Fault(method=method, how=how)

    def wrap(store: Store) -> Store:
        return replace(store, **{port: faulty(getattr(store, port), fault)})

    async with edited(tmp_path, fault, "") as shop:
        if method in BEFORE_THE_RUN:
            with pytest.raises(WeftError, match=method):
                await shop.bring_in(tmp_path / "docs", wrap=wrap)
        else:
            assert (await shop.bring_in(tmp_path / "docs", wrap=wrap)).retried == 1
        newest = await shop.records.jobs.newest(OWNER, limit=1)
        assert newest[0].status not in OPEN_JOBS
        await ends_well(shop, tmp_path)


async def test_a_lost_acknowledgement_costs_no_second_embedding(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    make(folder)

    def wrap(store: Store) -> Store:
        fault = Fault(method="publish", how="lose")
        return replace(store, publishing=faulty(store.publishing, fault))

    async with workshop(tmp_path / "home", reader=LineReader()) as shop:
        await shop.bring_in(folder)
        (folder / "a0.txt").write_text("Grace wrote a compiler in Oslo.")
        assert (await shop.bring_in(folder, wrap=wrap)).retried == 1
        assert shop.embedder.embedded.count("Grace wrote a compiler in Oslo.") == 1
        assert await shop.export(folder) == await calm(tmp_path)


@pytest.mark.parametrize("how", ["fail", "lose"])
@pytest.mark.parametrize(
    ("port", "method"),
    [("jobs", "enqueue"), ("worklist", "claim"), ("worklist", "finish"), ("tape", "forget")],
)
async def test_the_records_fail_once(tmp_path: Path, port: str, method: str, how: str) -> None:
    async with edited(tmp_path, Fault(method=method, how=how), port) as shop:
        if port == "tape":
            assert (await shop.bring_in(tmp_path / "docs")).retried == 1
        else:
            with pytest.raises(WeftError, match=method):
                await shop.bring_in(tmp_path / "docs")
    async with workshop(tmp_path / "home", reader=LineReader()) as shop:
        await ends_well(shop, tmp_path)


async def test_the_cache_cannot_be_saved(tmp_path: Path) -> None:
    def wrap(store: Store) -> Store:
        return replace(store, lifetime=faulty(store.lifetime, Fault(method="save")))

    async with edited(tmp_path, Fault(method="save"), "") as shop:
        done = await shop.bring_in(tmp_path / "docs", wrap=wrap)
        assert (done.documents, done.removed) == (3, 1)
        await ends_well(shop, tmp_path)


@pytest.mark.parametrize("part", ["embedder", "reader"])
async def test_a_tool_fails_for_good(tmp_path: Path, part: str) -> None:
    method, error = {
        "embedder": ("passages", BadModelReply),
        "reader": ("read", UnreadableFile),
    }[part]
    async with edited(tmp_path, Fault(method=method), "") as shop:
        fault = Fault(method=method, error=error)
        spoilt = replace(shop.tools, **{part: faulty(getattr(shop.tools, part), fault)})
        with pytest.raises(error, match=method):
            await replace(shop, tools=spoilt).bring_in(tmp_path / "docs")
        newest = await shop.records.jobs.newest(OWNER, limit=1)
        assert (newest[0].status, newest[0].error) == (JobStatus.FAILED, f"{method}: fail")
        await ends_well(shop, tmp_path)


async def test_a_call_that_never_ends_can_be_interrupted(tmp_path: Path) -> None:
    fault = Fault(method="publish", how="stall", nth=2)

    def wrap(store: Store) -> Store:
        return replace(store, publishing=faulty(store.publishing, fault))

    async with edited(tmp_path, Fault(method=""), "") as shop:
        working = asyncio.create_task(shop.bring_in(tmp_path / "docs", wrap=wrap))
        await asyncio.wait_for(fault.befell.wait(), SOON)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        newest = await shop.records.jobs.newest(OWNER, limit=1)
        assert newest[0].status is JobStatus.QUEUED  # given back, for anyone to take
        await ends_well(shop, tmp_path)
