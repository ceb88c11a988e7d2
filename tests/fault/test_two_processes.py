"""Several processes on one file, and two that ingest one folder at once."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from fault.corpus import make
from fault.killing import Range, check_ledger, outcome, ranked, started, watcher
from fault.workshop import OWNER, RECIPE, LineReader, workshop
from fault.write_process import TARGET, last, put
from weft.adapters.sqlite.stores import SqliteStores
from weft.domain.errors import FenceRefused
from weft.domain.patch import Patch
from weft.ports.publishing import Fence, Publishing
from weft.ports.store import Store

pytestmark = [pytest.mark.anyio, pytest.mark.fault]
WRITERS = 3


async def held(home: Path, *, fill: bool) -> tuple[list[str], dict[str, list[str]]]:
    """Return all that a file holds; `fill` publishes first what the writers leave."""
    store = await SqliteStores(home).open(OWNER, "Shared", target=TARGET, recipe=RECIPE)
    if fill:
        fence = await store.publishing.issue_fence(OWNER, "one")
        for number in range(WRITERS):
            for draft in last(number):
                await put(store, draft, fence)
    export = [line async for line in store.holdings.export(OWNER)]
    answers = ranked(await store.knowledge.view(OWNER))
    await store.lifetime.close()
    return export, answers


async def test_writers_and_readers_of_one_file(tmp_path: Path, report: list[str]) -> None:
    home = tmp_path / "home"
    pipe = subprocess.PIPE
    with watcher(home) as seen, watcher(home) as also:
        writers = [
            started("write_process", home, number, 4, stdout=pipe) for number in range(WRITERS)
        ]
        writes = [int(process.communicate(timeout=60)[0]) for process in writers]
        assert [process.returncode for process in writers] == [0] * WRITERS
    assert await held(home, fill=False) == await held(tmp_path / "calm", fill=True)
    looks = 0
    for each in (seen, also):
        assert not each["wrong"], each["wrong"][:5]
        looks += each["looks"]
    assert min(writes) > 10
    assert looks > 10
    report.append(
        f"{WRITERS} writers on one file: {sum(writes)} writes, {looks} looks of 2 readers"
    )


def test_two_ingest_one_folder_at_once(tmp_path: Path) -> None:
    make(tmp_path / "docs")
    one = Range(home=tmp_path / "home", folder=tmp_path / "docs")
    logs = [tmp_path / "one.log", tmp_path / "other.log"]
    processes = [started("ingest_process", one.home, one.folder, log) for log in logs]
    assert [process.wait(timeout=60) for process in processes] == [0, 0]
    said = [log.read_text() for log in logs]
    assert sorted("published" in each for each in said) == [False, True]
    assert all("done" in each for each in said)
    both = outcome(one.home, one.folder)
    assert both == outcome(tmp_path / "calm", one.folder)
    assert both.unfinished == 0
    check_ledger(both)


class _Overtaken:
    """A publishing port of a worker that is overtaken before its first document."""

    def __init__(self, port: Publishing) -> None:
        self._port = port
        self.refused = 0

    async def issue_fence(self, scope: object, key: str) -> Fence:
        old = await self._port.issue_fence(OWNER, key)
        if not self.refused:
            await self._port.issue_fence(OWNER, key)
        return old

    async def publish(
        self, scope: object, patch: Patch, *, expected_version: str | None, fence: Fence
    ) -> int:
        try:
            return await self._port.publish(
                OWNER, patch, expected_version=expected_version, fence=fence
            )
        except FenceRefused:
            self.refused += 1
            raise


async def test_a_worker_that_was_overtaken_is_refused_and_the_work_is_done(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"Ada {number} lives in Oslo.")
    ports: list[_Overtaken] = []

    def wrap(store: Store) -> Store:
        ports.append(_Overtaken(store.publishing))
        return replace_publishing(store, ports[-1])

    async with workshop(tmp_path / "home", reader=LineReader()) as shop:
        done = await shop.bring_in(folder, wrap=wrap)
        assert done.documents == 3
        assert ports[0].refused >= 1
        async with workshop(tmp_path / "calm", reader=LineReader()) as other:
            await other.bring_in(folder)
            assert await shop.export(folder) == await other.export(folder)


def replace_publishing(store: Store, port: object) -> Store:
    """Return the store with another publishing port."""
    return replace(store, publishing=port)  # type: ignore[arg-type]  # it has all that is called
