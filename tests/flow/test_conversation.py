"""Turns of a conversation: follow-ups, the last turn's documents, rights, and clearing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from model_server import Body, Say, evidence_of, hand_in, output_tool
from rag_world import StillClock, World, make_world, plain_search
from scripted_model import scripted_model
from weft.adapters.sql.database.connection import MEMORY, SqlDatabase
from weft.adapters.sql.retention import Retention, open_answering_records
from weft.domain.answer import Answer
from weft.domain.errors import NotFound, StoreUnavailable
from weft.domain.event import EventType
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.asking import Asking
from weft.flows.conversation import Saying, converse, readable_history
from weft.platform.identity import local_owner, narrow
from weft.ports.knowledge import Reference
from weft.ports.records.conversations import ConversationId, Conversations

pytestmark = pytest.mark.anyio

OPENED = "The Harbour Bridge was opened by Ada Lindqvist on 14 March 1932."
BORN = "Ada Lindqvist was born in Port Merrow in 1880."


@dataclass
class Talking:
    """A world, a conversation in it, and those who talk."""

    world: World
    conversations: Conversations
    key: ConversationId

    async def say(self, message: str, *, scope: Scope | None = None, **options: Any) -> Answer:
        asking = Asking(question=message, knowledge_bases=("docs",), **options)
        saying = Saying(asking=asking, conversation_id=self.key)
        flows, asker = self.world.flows, scope or local_owner()
        return (await converse(flows, self.conversations, asker, saying=saying)).answer


@asynccontextmanager
async def talking(**options: Any) -> AsyncIterator[Talking]:
    world = make_world(**options)
    shelf = world.shelf
    shelf.put("harbour.md", f"{OPENED} It is 1,149 metres long.", title="Harbour Bridge")
    shelf.put("ada.md", f"{BORN} She drew lighthouses.", title="Ada Lindqvist")
    shelf.put("alpha/METADATA", "Name: alpha\nLicense: MIT", title="alpha")
    shelf.put("beta/METADATA", "Name: beta\nLicense: Apache-2.0", title="beta")
    shelf.put("trams.md", "The trams of the harbour are painted green.", title="Trams",
              type="jira")  # fmt: skip
    shelf.references.append(
        Reference(source=_id("harbour.md"), target=_id("trams.md"), kinds=("link",))
    )
    store, clock = SqlDatabase(MEMORY), StillClock()
    kept = open_answering_records(store, clock, retention=Retention(stored=False))
    session = await kept.sessions.begin(local_owner())
    talk = await kept.conversations.begin(local_owner(), session.id)
    try:
        yield Talking(world, kept.conversations, talk.id)
    finally:
        await kept.database.close()
        await store.close()


def _id(name: str) -> Any:
    return f"file:test/{name}"


def cited(answer: Answer) -> set[str]:
    return {c.doc_id for s in answer.sentences for c in s.citations}


async def test_a_follow_up_stands_and_says_what_it_goes_on_from() -> None:
    async with talking() as here:
        first = await here.say("Who opened the Harbour Bridge?")
        assert first.rewritten_question == ""
        assert OPENED in first.answer
        answer = await here.say("Where was she born?")
        assert answer.rewritten_question == ""
        assert any("Ada Lindqvist" in note for note in answer.notes)
        assert BORN in answer.answer
        again = await here.say("When?")
        assert any("born Ada Lindqvist" in note for note in again.notes)
        assert BORN in again.answer


async def test_another_thing_is_asked_the_same_question() -> None:
    async with talking() as here:
        assert "MIT" in (await here.say("What is the licence of alpha?")).answer
        answer = await here.say("And beta?")
        assert any("licence" in note for note in answer.notes)
        assert "Apache-2.0" in answer.answer


async def test_the_history_holds_both_sides_with_their_sources() -> None:
    async with talking() as here:
        answer = await here.say("Who opened the Harbour Bridge?", run_id=RunId("r1"))
        question, said = await here.conversations.history(local_owner(), here.key)
        assert (question.content, said.content) == (
            "Who opened the Harbour Bridge?", answer.answer,
        )  # fmt: skip
        assert question.run_id == said.run_id == "r1"
        assert [(s.knowledge_base, s.document) for s in said.sources] == [
            ("docs", _id("harbour.md"))
        ]


async def test_their_neighbours_are_those_of_the_last_documents() -> None:
    async with talking() as here:
        await here.say("Who opened the Harbour Bridge?")
        answer = await here.say("What do their neighbours say about trams?")
        assert cited(answer) == {_id("trams.md")}
        assert "last answer" in answer.notes[0]
        shown = await here.say("Who opened the Harbour Bridge?")
        assert cited(shown) == {_id("harbour.md")}
        assert cited(await here.say("Show me those")) == {_id("harbour.md")}


async def test_those_are_filtered_and_nothing_else_is_searched() -> None:
    async with talking() as here:
        await here.say("Who opened the Harbour Bridge?")
        retained = await here.conversations.retained(local_owner(), here.key)
        assert {one.document for one in retained.documents} == {_id("harbour.md")}
        answer = await here.say("Which of those is 1,149 metres long?")
        assert cited(answer) <= {one.document for one in retained.documents}
        tools = [call.call.tool for call in here.world.tool_runs.calls.values()]
        after = tools[tools.index("filter_docs") + 1 :]
        assert not [tool for tool in after if "search" in tool], after


async def test_what_the_caller_may_no_longer_read_does_not_come_back() -> None:
    async with talking() as here:
        await here.say("Who opened the Harbour Bridge?")
        here.world.shelf.put("harbour.md", OPENED, title="Harbour Bridge", acl={"user:else"})
        answer = await here.say("Summarise those documents")
        assert "1932" not in answer.answer
        history = await here.conversations.history(local_owner(), here.key)
        seen = await readable_history(here.world.library.bases, local_owner(), history)
        assert seen[1].source_deleted
        assert all("March 1932" not in str(one) for one in seen)
        assert OPENED in history[1].content


async def test_allowed_sources_go_on_until_others_are_named() -> None:
    async with talking() as here:
        jira = narrow(local_owner(), ["jira"])
        await here.say("What colour are the trams?", scope=jira)
        assert (await here.say("Who opened the Harbour Bridge?")).refused
        files = narrow(local_owner(), ["file"])
        assert not (await here.say("Who opened the Harbour Bridge?", scope=files)).refused


async def test_a_follow_up_run_has_read_what_its_question_comes_from() -> None:
    async with talking() as here:
        await here.say("Who opened the Harbour Bridge?")
        here.world.runs.read.clear()
        await here.say("When did she die in Rome?")
        assert _id("harbour.md") in {source.document for source in here.world.runs.read}


async def test_nothing_of_a_failed_turn_is_said() -> None:
    down = False

    async def search(*args: Any, **named: Any) -> Any:
        if down:
            raise StoreUnavailable
        return await plain_search(*args, **named)

    async with talking(search=search) as here:
        await here.say("Who opened the Harbour Bridge?")
        down = True
        with pytest.raises(StoreUnavailable):
            await here.say("How long is it?")
        assert len(await here.conversations.history(local_owner(), here.key)) == 2


async def test_a_conversation_cleared_while_it_is_answered_stays_cleared() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def search(*args: Any, **named: Any) -> Any:
        begun.set()
        await go_on.wait()
        return await plain_search(*args, **named)

    async with talking(search=search) as here:
        task = asyncio.create_task(here.say("Who opened the Harbour Bridge?"))
        await begun.wait()
        await here.conversations.clear(local_owner())
        go_on.set()
        with pytest.raises(NotFound):
            await task
        with pytest.raises(NotFound):
            await here.conversations.history(local_owner(), here.key)
        assert here.world.runs.headers == {}


async def test_a_model_rewrites_and_its_cost_is_told() -> None:
    def script(body: Body) -> Say:
        if "rag_search" not in str(body["tools"]):
            given = json.loads(body["messages"][-1]["content"])
            assert given["turns"][0]["question"] == "Who opened the Harbour Bridge?"
            question = "Where was Ada Lindqvist born?"
            return Say(calls=[(output_tool(body), {"question": question})])
        if not evidence_of(body):
            return Say(calls=[("rag_search", {"query": body["messages"][-1]["content"]})])
        found = evidence_of(body)[0]
        first = found["text"].split(".")[0] + "."
        return hand_in(body, (first, [found["id"]]))

    async with scripted_model(script) as (model, server), talking(model=model) as here:
        await here.say("Who opened the Harbour Bridge?")
        answer = await here.say("And her birthplace, where was that again?")
    assert answer.rewritten_question == "Where was Ada Lindqvist born?"
    assert not answer.offline
    assert BORN in answer.answer
    calls = [e.data for e in here.world.runs.written if e.type is EventType.MODEL_CALLED]
    assert len(calls) == len(server.requests) == 5
    assert {(c["model"], c["input_tokens"], c["ok"]) for c in calls} == {("scripted", 5, True)}


async def test_a_model_that_cannot_rewrite_is_replaced_and_said_to_be() -> None:
    refusing = scripted_model(lambda body: Say(status=400, raw=b"{}"))
    async with refusing as (model, _), talking(model=model) as here:
        await here.say("Who opened the Harbour Bridge?")
        answer = await here.say("Where was she born?")
    assert any("Ada Lindqvist" in note for note in answer.notes)
    assert answer.offline
    assert any("answered offline" in note for note in answer.notes)
