"""The contract of tape and tool calls, and the law of deletion on all that a run wrote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from contract.records_world import (
    ANN,
    ANN_ELSEWHERE,
    BOB,
    World,
    each_database,
    event,
    header,
    world,
)
from weft.domain.errors import InvalidToolCall, NotFound
from weft.domain.event import EventType
from weft.domain.ids import DocumentId, RunId
from weft.domain.scope import Scope
from weft.ports.records.runs import SOURCE_DELETED, RunStatus
from weft.ports.records.tape import RunSource, TapeEntry, TapeKind
from weft.ports.records.tool_runs import ToolCall, ToolOutcome, ToolStatus

pytestmark = pytest.mark.anyio
SECRET = "the canary sang"
DOOMED = DocumentId("file:a.md")


def source(document: str, base: str = "Docs") -> RunSource:
    return RunSource(knowledge_base=base, document=DocumentId(document))


def reply(key: str, *sources: RunSource, text: str = SECRET) -> TapeEntry:
    return TapeEntry(
        key=key,
        kind=TapeKind.MODEL,
        request_hash="ab",
        reply={"text": text},
        sources=frozenset(sources),
    )


def call(run_id: str, action_id: str, **args: object) -> ToolCall:
    return ToolCall(run_id=RunId(run_id), action_id=action_id, tool="search", args=args)


OK = ToolOutcome(status=ToolStatus.OK, output=[SECRET], latency_ms=1.5)


async def record(w: World, scope: Scope, run_id: str, sources: Sequence[RunSource]) -> None:
    """Write a whole run with the secret wherever a run can write."""
    runs, name = w.records.runs, RunId(run_id)
    await runs.create(scope, header(run_id))
    kinds = [EventType.TOKENS, EventType.BUDGET_UPDATED, EventType.ANSWER]
    await runs.append(scope, [event(run_id, n + 1, kind) for n, kind in enumerate(kinds)])
    await w.records.tape.put(scope, name, reply("a/0", *sources))
    await w.records.tape.put(scope, name, reply("b/0"))
    await w.records.tool_runs.begin(scope, call(run_id, "t1", query=SECRET))
    await w.records.tool_runs.finish(scope, name, "t1", outcome=OK)
    await runs.save_frontier(scope, name, frontier={"state": SECRET})


async def written(w: World, scope: Scope, run_id: str) -> str:
    """Return all that can be read of a run, as one text."""
    records, name = w.records, RunId(run_id)
    return repr(
        [
            await records.runs.get(scope, name),
            await records.runs.events(scope, name),
            await records.runs.load_frontier(scope, name),
            await records.tape.entries(scope, name),
            await records.tape.sources(scope, name),
            await records.tool_runs.of_run(scope, name),
        ]
    )


@each_database
async def test_a_reply_is_found_by_its_key(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        tape, name = w.records.tape, RunId("r1")
        await w.records.runs.create(ANN, header("r1"))
        entries = [reply("a/0", source("x"), source("y")), reply("a/1", source("x"))]
        for entry in reversed(entries):
            await tape.put(ANN, name, entry)
        assert await tape.find(ANN, name, "a/0") == entries[0]
        assert await tape.find(ANN, name, "a/9") is None
        assert await tape.entries(ANN, name) == entries
        await tape.add_sources(ANN, name, [source("y"), source("z", "Other")])
        assert await tape.sources(ANN, name) == [source("x"), source("y"), source("z", "Other")]
        await tape.put(ANN, name, reply("a/0", text="later"))
        found = await tape.find(ANN, name, "a/0")
        assert found is not None
        assert found.reply == {"text": "later"}


@each_database
async def test_a_foreign_tape_is_as_if_it_were_not_there(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        await record(w, ANN, "r1", [source("x")])
        for scope in (BOB, ANN_ELSEWHERE):
            with pytest.raises(NotFound):
                await w.records.tape.entries(scope, RunId("r1"))
            with pytest.raises(NotFound):
                await w.records.tape.find(scope, RunId("r1"), "a/0")
            with pytest.raises(NotFound):
                await w.records.tape.put(scope, RunId("r1"), reply("c/0"))
            with pytest.raises(NotFound):
                await w.records.tape.sources(scope, RunId("r1"))
            with pytest.raises(NotFound):
                await w.records.tool_runs.of_run(scope, RunId("r1"))
            with pytest.raises(NotFound):
                await w.records.tool_runs.begin(scope, call("r1", "t1"))


@each_database
async def test_a_deleted_document_leaves_nothing_in_the_runs_that_read_it(
    database: str, tmp_path: Path
) -> None:
    async with world(database, tmp_path) as w:
        await record(w, ANN, "read", [source(DOOMED), source("file:b.md")])
        await record(w, BOB, "bob", [source(DOOMED)])
        await w.records.runs.finish(
            BOB, RunId("bob"), status=RunStatus.FINISHED, summary={"answer": SECRET}
        )
        others = {"unread": ANN, "twin": ANN}
        await record(w, ANN, "unread", [source("file:b.md")])
        await record(w, ANN, "twin", [source(DOOMED, "Other")])
        await record(w, ANN_ELSEWHERE, "read", [source(DOOMED)])
        before = {name: await written(w, scope, name) for name, scope in others.items()}
        elsewhere = await written(w, ANN_ELSEWHERE, "read")

        assert await w.records.tape.forget(ANN, "Docs", documents=[DOOMED]) == 2
        assert await w.records.tape.forget(ANN, "Docs", documents=[DOOMED]) == 0

        for scope, name in ((ANN, "read"), (BOB, "bob")):
            left = await written(w, scope, name)
            assert SECRET not in left
            assert "words of 1" not in left
            assert "words of 2" in left  # a budget's numbers are kept
            assert DOOMED not in left
            assert (await w.records.runs.get(scope, RunId(name))).source_deleted
        assert (await w.records.runs.get(BOB, RunId("bob"))).summary == SOURCE_DELETED
        entry = await w.records.tape.find(ANN, RunId("read"), "a/0")
        assert entry is not None
        assert (entry.reply, entry.sources, entry.source_deleted) == (None, frozenset(), True)
        assert await w.records.tape.sources(ANN, RunId("read")) == [source("file:b.md")]
        assert {name: await written(w, s, name) for name, s in others.items()} == before
        assert await written(w, ANN_ELSEWHERE, "read") == elsewhere


@each_database
async def test_a_run_that_lost_a_source_keeps_nothing_it_writes_later(
    database: str, tmp_path: Path
) -> None:
    async with world(database, tmp_path) as w:
        records, name = w.records, RunId("r1")
        await record(w, ANN, "r1", [source(DOOMED)])
        await records.tool_runs.begin(ANN, call("r1", "t2", query=SECRET))
        await records.tape.forget(ANN, "Docs", documents=[DOOMED])
        await records.runs.append(ANN, [event("r1", 9, EventType.ANSWER)])
        await records.tape.put(ANN, name, reply("z/0", source(DOOMED)))
        await records.tool_runs.finish(ANN, name, "t2", outcome=OK)
        await records.tool_runs.begin(ANN, call("r1", "t3", query=SECRET))
        await records.runs.save_frontier(ANN, name, frontier={"state": SECRET})
        await records.runs.finish(ANN, name, status=RunStatus.FINISHED, summary={"answer": SECRET})
        left = await written(w, ANN, "r1")
        assert SECRET not in left
        assert "words of 9" not in left
        again = await records.tool_runs.begin(ANN, call("r1", "t1", query=SECRET))
        assert again.source_deleted


@each_database
async def test_dropping_a_base_forgets_all_of_it(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        for number in range(3):
            await record(w, ANN, f"r{number}", [source(f"d{number}")])
        await record(w, ANN, "other", [source("d0", "Other")])
        assert await w.records.tape.forget(ANN, "Docs", documents=None) == 3
        assert SECRET in await written(w, ANN, "other")
        assert SECRET not in await written(w, ANN, "r2")


@each_database
async def test_many_documents_are_forgotten_at_once(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        await record(w, ANN, "r1", [source("d1199")])
        gone = [DocumentId(f"d{number}") for number in range(1200)]
        assert await w.records.tape.forget(ANN, "Docs", documents=gone) == 1


async def test_the_file_itself_does_not_hold_what_was_forgotten(tmp_path: Path) -> None:
    async with world("sqlite", tmp_path) as w:
        await record(w, ANN, "r1", [source(DOOMED)])
        assert SECRET.encode() in held_in(tmp_path)
        await w.records.tape.forget(ANN, "Docs", documents=[DOOMED])
        assert SECRET.encode() not in held_in(tmp_path)


def held_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


@each_database
async def test_a_tool_runs_once_for_an_action(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        tool_runs, name = w.records.tool_runs, RunId("r1")
        await w.records.runs.create(ANN, header("r1"))
        first = await tool_runs.begin(ANN, call("r1", "t1", q="x", where=("a", "b")))
        assert (first.begun_before, first.outcome) == (False, None)
        in_doubt = await tool_runs.begin(ANN, call("r1", "t1", where=["a", "b"], q="x"))
        assert (in_doubt.begun_before, in_doubt.outcome) == (True, None)
        assert await tool_runs.finish(ANN, name, "t1", outcome=OK)
        late = ToolOutcome(status=ToolStatus.TIMEOUT, output=None, latency_ms=9)
        assert not await tool_runs.finish(ANN, name, "t1", outcome=late)
        assert (await tool_runs.begin(ANN, call("r1", "t1", q="x", where=("a", "b")))).outcome == OK
        assert [run.outcome for run in await tool_runs.of_run(ANN, name)] == [OK]


@each_database
async def test_an_action_id_is_not_used_for_another_call(database: str, tmp_path: Path) -> None:
    async with world(database, tmp_path) as w:
        await w.records.runs.create(ANN, header("r1"))
        await w.records.tool_runs.begin(ANN, call("r1", "t1", q="x"))
        with pytest.raises(InvalidToolCall):
            await w.records.tool_runs.begin(ANN, call("r1", "t1", q="y"))
        with pytest.raises(NotFound):
            await w.records.tool_runs.finish(ANN, RunId("r1"), "t2", outcome=OK)
