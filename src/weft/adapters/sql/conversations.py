"""Conversations and their messages in tables."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any, cast

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, delete, func, select, update

from weft.adapters.sql.database.columns import clean
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.dialect import insert_new, lock, scrub
from weft.adapters.sql.database.paging import before, cursor_of
from weft.adapters.sql.database.schema import (
    conversation_runs,
    conversations,
    messages,
    runs,
    sessions,
)
from weft.adapters.sql.erasure import erase_conversations
from weft.adapters.sql.message_sources import plain, source
from weft.adapters.sql.sessions import own_session, session_not_found
from weft.domain.answer import Answer
from weft.domain.errors import NotFound
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.conversations import (
    HISTORY_LIMIT,
    Cleared,
    Conversation,
    ConversationId,
    ConversationPage,
    ConversationTurn,
    Message,
    Retained,
    Speaker,
)
from weft.ports.records.sessions import SessionId
from weft.runtime.codec import StateCodec

_TITLE = 120
_ANSWERS = StateCodec()


class SqlConversations:
    """The port `Conversations` on a `SqlDatabase`."""

    def __init__(self, database: SqlDatabase, clock: Clock, *, limit: int = HISTORY_LIMIT) -> None:
        """Take the database, the time, and how many messages of a conversation are kept."""
        self._database = database
        self._clock = clock
        self._limit = limit

    async def begin(self, scope: Scope, session_id: SessionId) -> Conversation:
        """Begin a conversation in a session."""
        now = self._clock.now()
        row = {
            "tenant": scope.tenant,
            "id": str(uuid.uuid4()),
            "actor": scope.actor,
            "session": session_id,
            "title": "",
            "retained": _kept(Retained()),
            "started": now,
            "updated": now,
        }

        def work(connection: Connection) -> Conversation:
            own = and_(own_session(scope, session_id), sessions.c.expires > now)
            if connection.execute(select(sessions.c.id).where(own)).scalar() is None:
                raise session_not_found()
            connection.execute(conversations.insert(), row)
            return _conversation(_require(connection, scope, ConversationId(str(row["id"]))))

        return await self._database.write(work)

    async def conversation(self, scope: Scope, conversation_id: ConversationId) -> Conversation:
        """Return a conversation."""
        return await self._database.read(
            lambda connection: _conversation(_require(connection, scope, conversation_id))
        )

    async def listed(
        self, scope: Scope, session_id: SessionId | None, *, limit: int = 50, cursor: str = ""
    ) -> ConversationPage:
        """Return the conversations of a session, or of all, the last one talked in first."""
        updated, key = conversations.c.updated, conversations.c.id
        query = select(conversations).where(_own(conversations, scope))
        if session_id is not None:
            query = query.where(conversations.c.session == session_id)
        if cursor:
            query = query.where(before(cursor, time=updated, key=key))
        query = query.order_by(updated.desc(), key.desc()).limit(limit + 1)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        found = tuple(_conversation(row) for row in rows[:limit])
        more = found and len(rows) > limit
        last = cursor_of(found[-1].updated, found[-1].id) if more else ""
        return ConversationPage(conversations=found, cursor=last)

    async def retitle(
        self, scope: Scope, conversation_id: ConversationId, title: str
    ) -> Conversation:
        """Give a conversation another title."""
        values = {"title": clean(title)[:_TITLE]}

        def work(connection: Connection) -> Conversation:
            _require(connection, scope, conversation_id)
            connection.execute(
                update(conversations).where(_is(scope, conversation_id)).values(**values)
            )
            return _conversation(_require(connection, scope, conversation_id))

        return await self._database.write(work)

    async def attach(self, scope: Scope, conversation_id: ConversationId, run_id: RunId) -> None:
        """Say that a run answers in a conversation: it is cleared with it."""
        row = {"tenant": scope.tenant, "conversation": conversation_id, "run_id": run_id}

        def work(connection: Connection) -> None:
            _require(connection, scope, conversation_id)
            connection.execute(insert_new(connection, conversation_runs), [row])

        await self._database.write(work)

    async def append(
        self, scope: Scope, conversation_id: ConversationId, turn: ConversationTurn
    ) -> None:
        """Add a turn; the messages beyond the limit go, the oldest first."""

        def work(connection: Connection) -> None:
            lock(connection, f"conversation:{scope.tenant}:{conversation_id}")
            known = _require(connection, scope, conversation_id)
            of_it = _of(messages, scope, conversation_id)
            last = connection.execute(select(func.max(messages.c.seq)).where(of_it)).scalar() or 0
            emptied = _is_emptied(connection, scope, turn.answer.run_id)
            rows = [
                _row(scope, conversation_id, message, seq=last + place, emptied=emptied)
                for place, message in enumerate((turn.question, turn.answer), 1)
            ]
            connection.execute(messages.insert(), rows)
            oldest = last + len(rows) - self._limit
            connection.execute(delete(messages).where(of_it, messages.c.seq <= oldest))
            values = {
                "title": known.title or clean(turn.question.content)[:_TITLE],
                "retained": _kept(Retained() if emptied else turn.retained),
                "updated": turn.answer.timestamp,
            }
            connection.execute(
                update(conversations).where(_is(scope, conversation_id)).values(**values)
            )

        await self._database.write(work)

    async def history(
        self, scope: Scope, conversation_id: ConversationId, *, limit: int = HISTORY_LIMIT
    ) -> list[Message]:
        """Return the last messages, the oldest first."""
        query = (
            select(messages)
            .where(_of(messages, scope, conversation_id))
            .order_by(messages.c.seq.desc())
            .limit(min(limit, self._limit))
        )

        def work(connection: Connection) -> list[Message]:
            _require(connection, scope, conversation_id)
            return [_message(row) for row in reversed(connection.execute(query).all())]

        return await self._database.read(work)

    async def retained(self, scope: Scope, conversation_id: ConversationId) -> Retained:
        """Return what the last turn left, as far as its documents were not deleted since."""

        def work(connection: Connection) -> Retained:
            documents, allowed = _require(connection, scope, conversation_id).retained
            return Retained(
                documents=tuple(source(row) for row in documents),
                allowed_sources=None if allowed is None else frozenset(allowed),
            )

        return await self._database.read(work)

    async def remove(self, scope: Scope, conversation_id: ConversationId) -> Cleared:
        """Erase a conversation with its messages, and its runs with their events and tapes."""

        def work(connection: Connection) -> Cleared:
            _require(connection, scope, conversation_id)
            return erase_conversations(connection, _is(scope, conversation_id))

        return await self._erased(work)

    async def clear(self, scope: Scope, session_ids: Sequence[SessionId] | None = None) -> Cleared:
        """Erase the conversations of the caller's sessions (None: of all) as `remove` does."""
        chosen = _own(conversations, scope)
        if session_ids is not None:
            chosen = and_(chosen, conversations.c.session.in_(session_ids))
        return await self._erased(lambda connection: erase_conversations(connection, chosen))

    async def _erased(self, work: Callable[[Connection], Cleared]) -> Cleared:
        cleared = await self._database.write(work)
        if cleared.conversations:
            await self._database.in_writer(lambda: scrub(self._database.engine))
        return cleared


def _own(table: Table, scope: Scope) -> ColumnElement[bool]:
    return and_(table.c.tenant == scope.tenant, table.c.actor == scope.actor)


def _is(scope: Scope, conversation_id: ConversationId) -> ColumnElement[bool]:
    return and_(_own(conversations, scope), conversations.c.id == conversation_id)


def _of(table: Table, scope: Scope, conversation_id: ConversationId) -> ColumnElement[bool]:
    return and_(table.c.tenant == scope.tenant, table.c.conversation == conversation_id)


def _require(connection: Connection, scope: Scope, conversation_id: ConversationId) -> Row[Any]:
    """Return the caller's conversation, held against other writers, or raise `NotFound`."""
    query = select(conversations).where(_is(scope, conversation_id)).with_for_update()
    found = connection.execute(query).one_or_none()
    if found is None:
        raise NotFound("There is no such conversation here that you may see.")
    return found


def _is_emptied(connection: Connection, scope: Scope, run_id: RunId) -> bool:
    """Tell whether a document that a run read was deleted while it ran, or the run is gone."""
    query = select(runs.c.source_deleted).where(_own(runs, scope), runs.c.run_id == run_id)
    return connection.execute(query).scalar() is True


def _kept(retained: Retained) -> list[object]:
    allowed = retained.allowed_sources
    return [
        [plain(one) for one in retained.documents],
        None if allowed is None else sorted(allowed),
    ]


def _row(
    scope: Scope, conversation_id: ConversationId, message: Message, *, seq: int, emptied: bool
) -> dict[str, object]:
    gone = emptied and message.role is Speaker.ASSISTANT
    return {
        "tenant": scope.tenant,
        "conversation": conversation_id,
        "seq": seq,
        "role": message.role.value,
        "content": "" if gone else clean(message.content),
        "ts": message.timestamp,
        "run_id": message.run_id,
        "sources": [] if gone else [plain(one) for one in message.sources],
        "answer": None if gone else _ANSWERS.encode(message.answer),
        "source_deleted": gone,
    }


def _conversation(row: Row[Any]) -> Conversation:
    return Conversation(
        id=ConversationId(row.id),
        session_id=SessionId(row.session),
        title=row.title,
        started=row.started,
        updated=row.updated,
    )


def _message(row: Row[Any]) -> Message:
    return Message(
        role=Speaker(row.role),
        content=row.content,
        timestamp=row.ts,
        run_id=RunId(row.run_id),
        sources=tuple(source(one) for one in row.sources),
        answer=cast("Answer | None", _ANSWERS.decode(row.answer)),
        source_deleted=row.source_deleted,
    )
