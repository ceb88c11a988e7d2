"""The contract of the record of runs: order, ownership, and that a write happens once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from contract.records_world import (
    ANN,
    ANN_ELSEWHERE,
    BOB,
    NOON,
    OVERSEER,
    each_database,
    event,
    header,
    world,
)
from weft.domain.errors import BadInput, NotFound
from weft.domain.ids import RunId
from weft.ports.records.runs import RunFilter, RunStatus

pytestmark = pytest.mark.anyio
R1 = RunId("r1")


@each_database
async def test_what_is_appended_comes_back_in_order(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        await w.records.runs.create(ANN, header("r1"))
        events = [event("r1", seq) for seq in range(1, 21)]
        await w.records.runs.append(ANN, events[10:])
        await w.records.runs.append(ANN, events[:10])
        assert await w.records.runs.events(ANN, R1) == events
        assert await w.records.runs.events(ANN, R1, after_seq=17) == events[17:]


@each_database
async def test_an_event_is_kept_once_and_as_first_written(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        await w.records.runs.create(ANN, header("r1"))
        first = [event("r1", 1), event("r1", 2)]
        await w.records.runs.append(ANN, first)
        again = [replace(event("r1", 2), node="other"), event("r1", 3)]
        await w.records.runs.append(ANN, again)
        await w.records.runs.append(ANN, [])
        assert await w.records.runs.events(ANN, R1) == [*first, again[1]]


@each_database
async def test_a_run_ends_once(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        runs = w.records.runs
        await runs.create(ANN, header("r1"))
        assert (await runs.get(ANN, R1)).status is RunStatus.RUNNING
        w.clock.move(5)
        await runs.finish(ANN, R1, status=RunStatus.FINISHED, summary={"answer": "42"})
        await runs.finish(ANN, R1, status=RunStatus.FAILED, summary={})
        await runs.create(ANN, header("r1", preview="another"))
        run = await runs.get(ANN, R1)
        assert run.header == header("r1")
        assert (run.status, run.actor) == (RunStatus.FINISHED, "user:ann")
        assert run.finished == NOON + timedelta(seconds=5)
        assert run.summary == {"answer": "42"}
        with pytest.raises(BadInput):
            await runs.finish(ANN, R1, status=RunStatus.RUNNING, summary={})


@each_database
async def test_a_frontier_is_kept_until_the_end(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        runs = w.records.runs
        await runs.create(ANN, header("r1"))
        assert await runs.load_frontier(ANN, R1) is None
        await runs.save_frontier(ANN, R1, frontier={"at": ["a"]})
        await runs.save_frontier(ANN, R1, frontier={"at": ["b"]}, status=RunStatus.SUSPENDED)
        assert await runs.load_frontier(ANN, R1) == {"at": ["b"]}
        assert (await runs.get(ANN, R1)).status is RunStatus.SUSPENDED
        await runs.finish(ANN, R1, status=RunStatus.CANCELLED, summary={})
        await runs.save_frontier(ANN, R1, frontier={"at": ["c"]})
        assert await runs.load_frontier(ANN, R1) is None
        assert (await runs.get(ANN, R1)).status is RunStatus.CANCELLED


@each_database
async def test_a_list_of_runs_is_paged_newest_first(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        for number in range(7):
            # Some began in the same microsecond: the page must break between them all the same.
            started = NOON + timedelta(seconds=number // 3)
            await w.records.runs.create(ANN, header(f"r{number}", started=started))
        await w.records.runs.create(BOB, header("b"))
        seen: list[str] = []
        cursor = ""
        while True:
            page = await w.records.runs.newest(ANN, limit=2, cursor=cursor)
            assert len(page.runs) <= 2
            seen += [run.header.run_id for run in page.runs]
            cursor = page.cursor
            if not cursor:
                break
        assert seen == ["r6", "r5", "r4", "r3", "r2", "r1", "r0"]
        with pytest.raises(BadInput):
            await w.records.runs.newest(ANN, limit=2, cursor="nonsense")


@each_database
async def test_a_list_of_runs_can_be_narrowed(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        asked = {"r0": ("Docs",), "r1": ("Docs", "Notes"), "r2": ("Notes2",), "r3": ()}
        for run_id, bases in asked.items():
            await w.records.runs.create(ANN, replace(header(run_id), kb_refs=bases))
        await w.records.runs.finish(ANN, RunId("r1"), status=RunStatus.FAILED, summary={})

        async def listed(**wanted: str) -> list[str]:
            page = await w.records.runs.newest(ANN, limit=9, wanted=RunFilter(**wanted))
            return [run.header.run_id for run in page.runs]

        assert await listed() == ["r3", "r2", "r1", "r0"]
        assert await listed(knowledge_base="Docs") == ["r1", "r0"]
        assert await listed(knowledge_base="Notes") == ["r1"]
        assert await listed(knowledge_base="Docs", status="running") == ["r0"]
        for nothing in ("%", "_ocs", 'Docs"', "\\", "\0", "그"):
            assert await listed(knowledge_base=nothing) == []
        page = await w.records.runs.newest(ANN, limit=1, wanted=RunFilter(knowledge_base="Docs"))
        (last,) = (
            await w.records.runs.newest(
                ANN, limit=1, cursor=page.cursor, wanted=RunFilter(knowledge_base="Docs")
            )
        ).runs
        assert last.header.run_id == "r0"


@each_database
async def test_a_foreign_run_is_as_if_it_were_not_there(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        runs = w.records.runs
        await runs.create(ANN, header("r1"))
        await runs.append(ANN, [event("r1", 1)])
        said = set()
        for scope, run_id in ((BOB, R1), (ANN_ELSEWHERE, R1), (BOB, RunId("none"))):
            with pytest.raises(NotFound) as refused:
                await runs.get(scope, run_id)
            said.add((str(refused.value), str(refused.value.fields)))
            with pytest.raises(NotFound):
                await runs.events(scope, run_id)
            with pytest.raises(NotFound):
                await runs.append(scope, [event(run_id, 2)])
            with pytest.raises(NotFound):
                await runs.finish(scope, run_id, status=RunStatus.FAILED, summary={})
            with pytest.raises(NotFound):
                await runs.save_frontier(scope, run_id, frontier={})
            with pytest.raises(NotFound):
                await runs.load_frontier(scope, run_id)
        assert len(said) == 1
        with pytest.raises(BadInput):
            await runs.create(BOB, header("r1"))
        assert (await runs.newest(BOB, limit=9)).runs == ()
        assert len(await runs.events(ANN, R1)) == 1


@each_database
async def test_an_overseer_reads_the_tenant_and_writes_nothing(
    database: str, tmp_path: Path
) -> None:
    async with world(database, tmp_path) as w:
        await w.records.runs.create(ANN, header("r1"))
        await w.records.runs.create(ANN_ELSEWHERE, header("r1", preview="elsewhere"))
        assert (await w.records.runs.get(OVERSEER, R1)).header.preview == "why?"
        assert len((await w.records.runs.newest(OVERSEER, limit=9)).runs) == 1
        with pytest.raises(NotFound):
            await w.records.runs.append(OVERSEER, [event("r1", 1)])


@each_database
async def test_any_text_can_be_kept(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        await w.records.runs.create(ANN, header("r1", preview="half \ud83d and \0 nothing"))
        kept = (await w.records.runs.get(ANN, R1)).header.preview
        assert kept == "half ? and \ufffd nothing"


@each_database
async def test_events_of_two_runs_do_not_go_together(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        await w.records.runs.create(ANN, header("r1"))
        with pytest.raises(BadInput):
            await w.records.runs.append(ANN, [event("r1", 1), event("r2", 1)])
