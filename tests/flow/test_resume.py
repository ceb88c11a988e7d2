"""A run that is killed at any save, paused, or asked of two agents means the same passages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from model_server import Body, Say, evidence_of, hand_in
from rag_world import Killed, StillClock, World, make_world
from scripted_model import scripted_model
from weft.domain.answer import Answer
from weft.domain.errors import NotFound, RunSuspended
from weft.domain.event import EventType
from weft.domain.ids import RunId
from weft.flows.asking import Asking
from weft.platform.identity import local_owner, principal_scope
from weft.ports.records.runs import RunStatus
from weft.runtime.amounts import Limits

pytestmark = pytest.mark.anyio

OPENED = "The Harbour Bridge was opened by Ada Lindqvist on 14 March 1932."
LENGTH = "It is 1,149 metres long."
QUESTION = "When was the Harbour Bridge opened?"
RUN = RunId("run-1")


def fill(world: World) -> World:
    world.shelf.put("harbour.md", f"{OPENED}\n\n{LENGTH}", title="Harbour Bridge")
    world.shelf.put("trams.md", "The trams of the harbour are green.", title="Trams")
    return world


def script(body: Body) -> Say:
    """Search twice, the second time as before, look at a document, then answer."""
    turns = sum(message["role"] == "assistant" for message in body["messages"])
    search = ("rag_search", {"query": "Harbour Bridge opened"})
    if turns < 2:
        return Say(calls=[search])
    if turns == 2:
        document = {"knowledge_base": "docs", "document_id": "file:test/harbour.md"}
        return Say(calls=[("read_documents", {"documents": [document]})])
    names = {item["text"]: item["id"] for item in evidence_of(body)}
    return hand_in(body, (OPENED, [names[OPENED]]), (LENGTH, [names[LENGTH]]))


@asynccontextmanager
async def served() -> AsyncIterator[tuple[World, Sequence[Body]]]:
    async with scripted_model(script, max_retries=0) as (model, server):
        yield fill(make_world(model=model)), server.requests


def told(answer: Answer) -> list[tuple[str, list[tuple[int, str, int, int]]]]:
    return [
        (one.text, [(c.n, c.chunk_id, c.start, c.end) for c in one.citations])
        for one in answer.sentences
    ]


async def test_a_rag_run_killed_at_any_save_answers_as_the_calm_one() -> None:
    async with served() as (calm, asked):
        expected = await calm.ask(local_owner(), QUESTION, run_id=RUN)
        calls, saves = len(asked), calm.runs.saves
    assert len(expected.sentences) == 2
    assert saves >= 4
    for save in range(1, saves + 1):
        async with served() as (here, asked):
            here.runs.dies_at = save
            with pytest.raises(Killed):
                await here.ask(local_owner(), QUESTION, run_id=RUN)
            here.runs.dies_at = -1
            outcome = await here.flows.resume(local_owner(), RUN)
            assert told(outcome.answer) == told(expected)
            assert len(asked) <= calls + 1
            finished = [e for e in here.runs.written if e.type is EventType.TOOL_FINISHED]
            assert len(here.tool_runs.calls) == 2, "a tool ran twice"
            assert {str(event.data["status"]) for event in finished} == {"ok"}
            assert here.runs.ended == {RUN: RunStatus.FINISHED}


async def test_a_run_killed_between_two_calls_of_its_model_repeats_none_of_them() -> None:
    async with served() as (here, asked):
        put = here.runs.put

        async def put_and_die(*args: object) -> None:
            await put(*args)  # type: ignore[arg-type]  # what the tape is given
            if len(here.runs.taped) == 6:
                raise Killed

        here.runs.put = put_and_die  # type: ignore[method-assign,assignment]
        with pytest.raises(Killed):
            await here.ask(local_owner(), QUESTION, run_id=RUN)
        here.runs.put = put  # type: ignore[method-assign]
        before = len(asked)
        outcome = await here.flows.resume(local_owner(), RUN)
        assert len(outcome.answer.sentences) == 2
        assert len(asked) == 4
        assert before == 3
        assert len(here.tool_runs.calls) == 2


async def test_a_run_that_found_and_was_killed_does_not_refuse_what_it_had_found() -> None:
    here = fill(make_world())
    here.runs.dies_at = 4  # behind `think`
    with pytest.raises(Killed):
        await here.ask(local_owner(), QUESTION, run_id=RUN)
    here.tool_runs.calls.clear()  # the state alone says what was found
    here.runs.dies_at = -1

    class Tick(StillClock):
        def elapsed(self) -> float:
            self.seconds += 0.5
            return self.seconds

    here.flows.services = replace(here.flows.services, clock=Tick())
    answer = (await here.flows.resume(local_owner(), RUN)).answer
    assert answer.took_ms >= 500
    assert [one.text for one in answer.sentences] == [OPENED]
    assert answer.sentences[0].citations[0].knowledge_base == "docs"


async def test_what_was_deleted_in_between_does_not_come_back() -> None:
    here = fill(make_world())
    here.runs.dies_at = 4
    with pytest.raises(Killed):
        await here.ask(local_owner(), QUESTION, run_id=RUN)
    here.runs.dies_at = -1
    here.shelf.put("harbour.md", "Closed.", title="Harbour Bridge")
    assert (await here.flows.resume(local_owner(), RUN)).answer.refused


async def test_nobody_goes_on_with_the_run_of_another() -> None:
    here = fill(make_world())
    here.runs.dies_at = 2
    with pytest.raises(Killed):
        await here.ask(local_owner(), QUESTION, run_id=RUN)
    here.runs.actors[RUN] = local_owner().actor
    other = principal_scope(
        tenant="local", actor="user:bob", groups=(), permissions=("ask", "kb.read", "tool.run:*")
    )
    with pytest.raises(NotFound):
        await here.flows.resume(other, RUN)


async def test_a_paused_run_waits_and_then_answers() -> None:
    here = fill(make_world())
    search = here.library.retrieval.search

    async def pausing(*args: object, **named: object) -> object:
        control = here.flows.control(local_owner(), RUN)
        assert control is not None
        control.pause()
        return await search(*args, **named)  # type: ignore[arg-type]  # as it was called

    object.__setattr__(here.library.retrieval, "search", pausing)
    with pytest.raises(RunSuspended):
        await here.ask(local_owner(), QUESTION, run_id=RUN)
    assert here.runs.ended == {}
    object.__setattr__(here.library.retrieval, "search", search)
    answer = (await here.flows.resume(local_owner(), RUN)).answer
    assert [one.text for one in answer.sentences] == [OPENED]


async def test_a_caller_may_ask_for_less_and_never_for_more_than_there_is() -> None:
    few = await fill(make_world()).ask(local_owner(), QUESTION, limits=Limits(tool_calls=0))
    assert few.refused
    capped = fill(make_world(most=Limits(tool_calls=0)))
    asking = Asking(question=QUESTION, knowledge_bases=("docs",), limits=Limits(tool_calls=50))
    assert (await capped.flows.run(local_owner(), asking)).answer.refused
