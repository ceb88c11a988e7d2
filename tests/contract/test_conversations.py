"""The contract of sessions and conversations: whose they are, what is kept, what is erased."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from contract.records_world import (
    ANN,
    ANN_ELSEWHERE,
    BOB,
    KEY,
    NOON,
    SetClock,
    database_url,
    event,
    header,
)
from weft.adapters.sql.records import Records, open_records
from weft.adapters.sql.retention import Retention
from weft.domain.answer import Answer, AnswerSentence, Citation, Tier
from weft.domain.errors import BadInput, NotFound
from weft.domain.ids import ChunkId, DocumentId, RunId
from weft.domain.scope import Scope
from weft.ports.records.conversations import (
    CitedSpan,
    Cleared,
    Conversation,
    ConversationId,
    ConversationTurn,
    Message,
    MessageSource,
    Retained,
    Speaker,
)
from weft.ports.records.runs import RunStatus
from weft.ports.records.sessions import SessionId
from weft.ports.records.tape import RunSource, TapeEntry, TapeKind
from weft.ports.records.tool_runs import ToolCall

pytestmark = pytest.mark.anyio

# Another place to keep conversations is one more line here.
each_keeping = pytest.mark.parametrize(
    ("database", "stored"),
    [
        ("sqlite", False),
        ("sqlite", True),
        pytest.param("postgres", True, marks=pytest.mark.server("postgres")),
    ],
    ids=["memory", "sqlite", "postgres"],
)
SOURCE = RunSource(knowledge_base="Docs", document=DocumentId("file:docs/a.md"))
CITED = MessageSource(
    knowledge_base="Docs",
    document=SOURCE.document,
    title="A",
    uri="file:///a",
    spans=(
        CitedSpan(n=1, chunk_id=ChunkId("c1"), start=3, end=9, snippet="그 r1 🏗️", page=2),
        CitedSpan(n=2, chunk_id=ChunkId("c2"), start=0, end=2, snippet="be", section="One"),
    ),
)


@dataclass(frozen=True, slots=True)
class Kept:
    records: Records
    clock: SetClock

    async def talk(self, scope: Scope = ANN) -> Conversation:
        session = await self.records.sessions.begin(scope)
        return await self.records.conversations.begin(scope, session.id)

    async def say(self, talk: Conversation, run_id: str, *, scope: Scope = ANN) -> ConversationTurn:
        """Let a run answer in a conversation, all of it recorded."""
        records, key = self.records, RunId(run_id)
        await records.conversations.attach(scope, talk.id, key)
        await records.runs.create(scope, header(run_id, started=self.clock.now()))
        await records.runs.append(scope, [event(run_id, 1)])
        await records.tape.add_sources(scope, key, [SOURCE])
        entry = TapeEntry(key="think/model/0", kind=TapeKind.MODEL, request_hash="", reply="words")
        await records.tape.put(scope, key, entry)
        await records.tool_runs.begin(scope, ToolCall(run_id=key, action_id="a", tool="t"))
        await records.runs.finish(scope, key, status=RunStatus.FINISHED, summary={})
        said = turn(run_id, self.clock)
        await records.conversations.append(scope, talk.id, said)
        return said


def answer_of(run_id: RunId) -> Answer:
    """Return a whole answer: one sentence, and one citation of what was found besides."""
    cited = Citation(
        n=1,
        knowledge_base="Docs",
        doc_id=SOURCE.document,
        title="A",
        uri="file:///a",
        page=2,
        section=None,
        chunk_id=ChunkId("c1"),
        start=3,
        end=9,
        snippet="그 r1 🏗️",
    )
    sentence = AnswerSentence(text="because", tier=Tier.CLOSE, citations=(cited,), missing=("x",))
    return Answer(
        answer="because",
        sentences=(sentence,),
        refused=False,
        missing=(),
        offline=True,
        run_id=run_id,
        took_ms=1.5,
        notes=("a note",),
        more=(replace(cited, n=2),),
    )


def turn(run_id: str, clock: SetClock) -> ConversationTurn:
    key, now = RunId(run_id), clock.now()
    return ConversationTurn(
        question=Message(
            role=Speaker.USER, content=f"why {run_id}? \ud800", timestamp=now, run_id=key
        ),
        answer=Message(
            role=Speaker.ASSISTANT,
            content=f"because 그 {run_id}",
            timestamp=now + timedelta(milliseconds=3),
            run_id=key,
            sources=(CITED,),
            answer=answer_of(key),
        ),
        retained=Retained(documents=(CITED,), allowed_sources=frozenset({"jira", "docs"})),
    )


@asynccontextmanager
async def kept(
    database: str, stored: bool, folder: Path, *, limit: int = 50
) -> AsyncIterator[Kept]:
    with database_url(database, folder) as url:
        clock = SetClock()
        retention = Retention(stored=stored, limit=limit, hours=1.0, most_runs=4)
        records = open_records(url, audit_key=KEY, clock=clock, retention=retention)
        try:
            yield Kept(records, clock)
        finally:
            await records.close()


@each_keeping
async def test_a_turn_is_kept_as_it_was_said(database: str, stored: bool, tmp_path: Path) -> None:
    async with kept(database, stored, tmp_path) as here:
        talk = await here.talk()
        said = await here.say(talk, "r1")
        records = here.records.conversations
        question, answer = await records.history(ANN, talk.id)
        assert (question.role, answer) == (Speaker.USER, said.answer)
        assert question.content == "why r1? ?"
        assert await records.retained(ANN, talk.id) == said.retained
        assert (await records.conversation(ANN, talk.id)).title == question.content


@each_keeping
async def test_sessions_are_made_here_and_belong_to_their_owner(
    database: str, stored: bool, tmp_path: Path
) -> None:
    async with kept(database, stored, tmp_path) as here:
        sessions, conversations = here.records.sessions, here.records.conversations
        made = await sessions.begin(ANN)
        assert uuid.UUID(made.id).version == 4
        assert made.expires_at == NOON + timedelta(days=30)
        assert (await sessions.begin(ANN)).id != made.id
        for scope in (BOB, ANN_ELSEWHERE):
            with pytest.raises(NotFound) as others:
                await sessions.get(scope, made.id)
            with pytest.raises(NotFound) as unknown:
                await sessions.get(scope, SessionId(str(uuid.uuid4())))
            assert str(others.value) == str(unknown.value)
            with pytest.raises(NotFound):
                await conversations.begin(scope, made.id)


@each_keeping
async def test_a_session_lives_as_long_as_it_is_used(
    database: str, stored: bool, tmp_path: Path
) -> None:
    async with kept(database, stored, tmp_path) as here:
        sessions = here.records.sessions
        made = await sessions.begin(ANN)
        here.clock.move(29 * 86_400)
        assert (await sessions.get(ANN, made.id)).expires_at == NOON + timedelta(days=59)
        here.clock.move(31 * 86_400)
        with pytest.raises(NotFound):
            await sessions.get(ANN, made.id)


@each_keeping
async def test_an_expired_session_goes_with_all_it_holds(
    database: str, stored: bool, tmp_path: Path
) -> None:
    async with kept(database, stored, tmp_path) as here:
        talk = await here.talk()
        await here.say(talk, "r1")
        here.clock.move(31 * 86_400)
        await here.records.sessions.begin(BOB)
        with pytest.raises(NotFound):
            await here.records.conversations.history(ANN, talk.id)
        with pytest.raises(NotFound):
            await here.records.runs.get(ANN, RunId("r1"))


@each_keeping
async def test_nobody_else_reads_writes_or_clears(
    database: str, stored: bool, tmp_path: Path
) -> None:
    async with kept(database, stored, tmp_path) as here:
        talk = await here.talk()
        said = await here.say(talk, "r1")
        records = here.records.conversations
        for scope in (BOB, ANN_ELSEWHERE):
            for refused in (
                lambda s=scope: records.history(s, talk.id),
                lambda s=scope: records.retained(s, talk.id),
                lambda s=scope: records.conversation(s, talk.id),
                lambda s=scope: records.append(s, talk.id, said),
                lambda s=scope: records.attach(s, talk.id, RunId("r2")),
                lambda s=scope: records.remove(s, talk.id),
                lambda s=scope: records.retitle(s, talk.id, "mine"),
            ):
                with pytest.raises(NotFound):
                    await refused()
            assert (await records.listed(scope, talk.session_id)).conversations == ()
            assert await records.clear(scope) == Cleared()
            assert await records.clear(scope, [talk.session_id]) == Cleared()
            await here.records.runs.erase(scope, RunId("r1"))
        assert len(await records.history(ANN, talk.id)) == 2
        assert (await here.records.runs.get(ANN, RunId("r1"))).status is RunStatus.FINISHED


@each_keeping
async def test_the_first_in_is_the_first_out(database: str, stored: bool, tmp_path: Path) -> None:
    async with kept(database, stored, tmp_path, limit=5) as here:
        talk = await here.talk()
        for n in range(4):
            await here.say(talk, f"r{n}")
        found = await here.records.conversations.history(ANN, talk.id)
        assert [message.run_id for message in found] == ["r1", "r2", "r2", "r3", "r3"]
        last = await here.records.conversations.history(ANN, talk.id, limit=2)
        assert last == found[-2:]


@each_keeping
async def test_conversations_are_listed_the_last_one_first(
    database: str, stored: bool, tmp_path: Path
) -> None:
    async with kept(database, stored, tmp_path) as here:
        first = await here.talk()
        here.clock.move(1)
        second = await here.records.conversations.begin(ANN, first.session_id)
        here.clock.move(1)
        await here.say(first, "r1")
        listed = await here.records.conversations.listed(ANN, first.session_id)
        assert [one.id for one in listed.conversations] == [first.id, second.id]


@each_keeping
async def test_all_of_a_caller_are_listed_and_nobody_elses(
    database: str, stored: bool, tmp_path: Path
) -> None:
    async with kept(database, stored, tmp_path) as here:
        first = await here.talk()
        here.clock.move(1)
        second = await here.talk()
        for scope in (BOB, ANN_ELSEWHERE):
            await here.talk(scope)
        listed = await here.records.conversations.listed(ANN, None)
        assert [one.id for one in listed.conversations] == [second.id, first.id]
        page = await here.records.conversations.listed(ANN, None, limit=1)
        rest = await here.records.conversations.listed(ANN, None, cursor=page.cursor)
        assert [one.id for one in rest.conversations] == [first.id]


@each_keeping
async def test_a_list_of_conversations_is_paged(
    database: str, stored: bool, tmp_path: Path
) -> None:
    async with kept(database, stored, tmp_path) as here:
        first = await here.talk()
        records = here.records.conversations
        made = [first.id]
        for number in range(4):
            here.clock.move(number % 2)  # two of each time: the page must break between them
            made.append((await records.begin(ANN, first.session_id)).id)
        seen: list[str] = []
        cursor = ""
        while True:
            page = await records.listed(ANN, first.session_id, limit=2, cursor=cursor)
            assert len(page.conversations) <= 2
            seen += [one.id for one in page.conversations]
            cursor = page.cursor
            if not cursor:
                break
        whole = await records.listed(ANN, first.session_id)
        assert seen == [one.id for one in whole.conversations]
        assert set(seen) == set(made)
        for nonsense in ("nonsense", "9" * 30, "-1:x"):
            with pytest.raises(BadInput):
                await records.listed(ANN, first.session_id, limit=2, cursor=nonsense)


@each_keeping
async def test_a_new_title_stays(database: str, stored: bool, tmp_path: Path) -> None:
    async with kept(database, stored, tmp_path) as here:
        talk = await here.talk()
        records = here.records.conversations
        assert (await records.retitle(ANN, talk.id, "제목 \0")).title == "제목 \ufffd"
        await here.say(talk, "r1")
        assert (await records.conversation(ANN, talk.id)).title == "제목 \ufffd"


async def test_messages_of_older_versions_have_no_spans(tmp_path: Path) -> None:
    async with kept("sqlite", True, tmp_path) as here:
        talk = await here.talk()
        await here.say(talk, "r1")
        older = json.dumps([["Docs", SOURCE.document, "A", "file:///a"]])
        with sqlite3.connect(tmp_path / "records.db") as file:
            file.execute("UPDATE messages SET sources = ? WHERE role = 'assistant'", [older])
        file.close()
        answer = (await here.records.conversations.history(ANN, talk.id))[1]
        assert answer.sources == (replace(CITED, spans=()),)


@each_keeping
async def test_clear_really_clears(database: str, stored: bool, tmp_path: Path) -> None:
    async with kept(database, stored, tmp_path, limit=2) as here:
        talk, other = await here.talk(), await here.talk()
        for run_id in ("r1", "r2"):  # the messages of r1 have gone by themselves, its run has not
            await here.say(talk, run_id)
        await here.say(other, "r3")
        records = here.records
        cleared = await records.conversations.clear(ANN, [talk.session_id])
        assert cleared == Cleared(conversations=1, messages=2, runs=2)
        with pytest.raises(NotFound):
            await records.conversations.history(ANN, talk.id)
        for run_id in ("r1", "r2"):
            for read in (records.runs.events, records.tape.entries, records.tool_runs.of_run):
                with pytest.raises(NotFound):
                    await read(ANN, RunId(run_id))
        assert len(await records.conversations.history(ANN, other.id)) == 2
        assert (await records.conversations.clear(ANN)).conversations == 1
        assert await records.conversations.clear(ANN) == Cleared()
        assert (await records.sessions.get(ANN, talk.session_id)).id == talk.session_id


async def test_what_was_cleared_is_not_in_the_file(tmp_path: Path) -> None:
    async with kept("sqlite", True, tmp_path) as here:
        talk = await here.talk()
        await here.say(talk, "r1")
        files = [tmp_path / name for name in ("records.db", "records.db-wal")]
        words = "because 그 r1".encode()
        assert any(words in path.read_bytes() for path in files if path.exists())
        await here.records.conversations.remove(ANN, talk.id)
        assert not any(words in path.read_bytes() for path in files if path.exists())


async def test_memory_leaves_nothing_in_the_file(tmp_path: Path) -> None:
    async with kept("sqlite", False, tmp_path) as here:
        talk = await here.talk()
        await here.say(talk, "r1")
        files = [tmp_path / name for name in ("records.db", "records.db-wal")]
        held = b"".join(path.read_bytes() for path in files if path.exists())
        assert b"because" not in held
        assert b"why" not in held
    async with kept("sqlite", False, tmp_path) as again:
        with pytest.raises(NotFound):
            await again.records.sessions.get(ANN, talk.session_id)


@each_keeping
async def test_a_deleted_document_empties_what_was_answered_from_it(
    database: str, stored: bool, tmp_path: Path
) -> None:
    async with kept(database, stored, tmp_path) as here:
        talk = await here.talk()
        await here.say(talk, "r1")
        documents = [SOURCE.document]
        assert await here.records.tape.forget(ANN, "Docs", documents=documents) == 1
        question, answer = await here.records.conversations.history(ANN, talk.id)
        assert question.content.startswith("why r1?")
        assert (answer.content, answer.sources, answer.source_deleted) == ("", (), True)
        assert await here.records.conversations.retained(ANN, talk.id) == Retained()


async def test_what_was_stored_before_is_forgotten_in_memory_too(tmp_path: Path) -> None:
    async with kept("sqlite", True, tmp_path) as here:
        await here.say(await here.talk(), "r1")
    async with kept("sqlite", False, tmp_path) as here:
        assert await here.records.tape.forget(ANN, "Docs", documents=[SOURCE.document]) == 1
    async with kept("sqlite", True, tmp_path) as here:
        assert (await here.records.runs.get(ANN, RunId("r1"))).source_deleted


@each_keeping
async def test_a_document_deleted_during_a_run_is_not_in_its_message(
    database: str, stored: bool, tmp_path: Path
) -> None:
    async with kept(database, stored, tmp_path) as here:
        talk, records = await here.talk(), here.records
        await records.conversations.attach(ANN, talk.id, RunId("r1"))
        await records.runs.create(ANN, header("r1"))
        await records.tape.add_sources(ANN, RunId("r1"), [SOURCE])
        await records.tape.forget(ANN, "Docs", documents=[SOURCE.document])
        await records.conversations.append(ANN, talk.id, turn("r1", here.clock))
        _, answer = await records.conversations.history(ANN, talk.id)
        assert answer.source_deleted
        assert answer.content == ""
        assert await records.conversations.retained(ANN, talk.id) == Retained()


async def test_memory_lets_go_of_what_is_old_and_of_what_is_too_much(tmp_path: Path) -> None:
    async with kept("sqlite", False, tmp_path) as here:
        talk = await here.talk()
        await here.say(talk, "r1")
        here.clock.move(3601)
        await here.records.runs.create(ANN, header("r2", started=here.clock.now()))
        with pytest.raises(NotFound):
            await here.records.conversations.history(ANN, talk.id)
        with pytest.raises(NotFound):
            await here.records.runs.get(ANN, RunId("r1"))
        assert (await here.records.runs.get(ANN, RunId("r2"))).status is RunStatus.RUNNING
        for n in range(5):
            here.clock.move(1)
            await here.say(await here.talk(), f"more{n}")
        for n, is_kept in enumerate((False, False, True, True, True)):
            try:
                await here.records.runs.get(ANN, RunId(f"more{n}"))
                assert is_kept
            except NotFound:
                assert not is_kept
        assert (await here.records.runs.get(ANN, RunId("r2"))).status is RunStatus.RUNNING


@each_keeping
async def test_a_conversation_that_was_never_there_is_not_found(
    database: str, stored: bool, tmp_path: Path
) -> None:
    async with kept(database, stored, tmp_path) as here:
        nowhere = ConversationId("nowhere")
        said = replace(turn("r1", here.clock))
        with pytest.raises(NotFound):
            await here.records.conversations.append(ANN, nowhere, said)
