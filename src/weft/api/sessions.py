"""Sessions and their conversations: opened, listed, read, cleared."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from weft.agents.conversation import readable_history
from weft.api.once import IdempotencyKey
from weft.api.parts import Asker, Inside
from weft.api.seats import SessionHeader
from weft.bootstrap import bases_of
from weft.domain.scope import Scope
from weft.ports.conversations import HISTORY_LIMIT, ConversationId, Message

router = APIRouter(tags=["conversations"])

ConversationName = Annotated[str, Path(alias="id", max_length=100, description="Its id.")]
AskedConversation = Annotated[
    str, Query(max_length=100, description="The conversation; the session's last one if empty.")
]
Most = Annotated[int, Query(ge=1, le=200, description="The most messages, the last ones.")]


class SessionShape(BaseModel):
    """A session: its id is good for the caller's token alone."""

    session_id: str
    expires_at: datetime


class ConversationShape(BaseModel):
    """A conversation; `title` is its first question."""

    id: str
    session_id: str
    title: str
    started: datetime
    updated: datetime


class ConversationList(BaseModel):
    """A session's conversations, the last one talked in first."""

    items: list[ConversationShape]


class MessageSourceShape(BaseModel):
    """A document that a message cites."""

    kb: str
    doc_id: str
    title: str
    uri: str


class MessageShape(BaseModel):
    """One message; `source_deleted` says that it was emptied with a document it rested on."""

    role: str
    content: str
    timestamp: datetime
    run_id: str
    sources: list[MessageSourceShape]
    source_deleted: bool


class History(BaseModel):
    """The last messages of a conversation, the oldest first."""

    session_id: str
    conversation_id: str
    messages: list[MessageShape]


class ClearBody(BaseModel):
    """What is to be cleared: one conversation, or all of the session's."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {}})

    conversation_id: str = Field(default="", max_length=100)
    session_id: str = Field(default="", max_length=100)


class ClearedShape(BaseModel):
    """How much was erased."""

    conversations: int
    messages: int
    runs: int


@router.post(
    "/v1/sessions",
    status_code=201,
    summary="Open a session",
    responses={201: {"model": SessionShape}},
)
async def open_session(
    inside: Inside, scope: Asker, *, idempotency_key: IdempotencyKey = ""
) -> JSONResponse:
    """Open a session for a client without cookies; send its id as `X-Session-ID`."""

    async def work() -> SessionShape:
        session = await inside.seats.sessions.begin(scope)
        return SessionShape(session_id=session.id, expires_at=session.expires_at)

    return await inside.once.make(scope, idempotency_key, asked="session", status=201, work=work)


@router.get("/v1/conversations", summary="List conversations")
async def listed(
    inside: Inside, scope: Asker, *, request: Request, session: SessionHeader = ""
) -> ConversationList:
    """List the conversations of the caller's session, the last one talked in first."""
    seat = await inside.seats.found(request, scope, named=session)
    if seat is None:
        return ConversationList(items=[])
    found = await inside.seats.conversations.listed(scope, seat.session.id)
    return ConversationList(
        items=[
            ConversationShape(
                id=each.id,
                session_id=each.session_id,
                title=each.title,
                started=each.started,
                updated=each.updated,
            )
            for each in found
        ]
    )


@router.post("/v1/conversations", status_code=201, summary="Begin a conversation")
async def begin(
    inside: Inside, scope: Asker, *, request: Request, response: Response
) -> ConversationShape:
    """Begin a conversation in the caller's session, which is opened if there is none."""
    seat = await inside.seats.taken(request, scope)
    seat.sign(request, response)
    made = await inside.seats.conversations.begin(scope, seat.session.id)
    return ConversationShape(
        id=made.id,
        session_id=made.session_id,
        title=made.title,
        started=made.started,
        updated=made.updated,
    )


@router.delete("/v1/conversations/{id}", status_code=204, summary="Erase a conversation")
async def remove(inside: Inside, scope: Asker, *, name: ConversationName) -> Response:
    """Erase a conversation with its messages, runs, events and tapes."""
    conversations = inside.seats.conversations
    await conversations.conversation(scope, ConversationId(name))
    await conversations.remove(scope, ConversationId(name))
    return Response(status_code=204)


@router.get("/chat/history", summary="Read a conversation")
async def history(
    inside: Inside,
    scope: Asker,
    *,
    request: Request,
    conversation_id: AskedConversation = "",
    limit: Most = HISTORY_LIMIT,
) -> History:
    """Return the last messages of the caller's own conversation, the oldest first."""
    seat = await inside.seats.found(request, scope)
    if conversation_id:
        named = ConversationId(conversation_id)
        conversation = await inside.seats.conversations.conversation(scope, named)
        return await _history(inside, scope, conversation.session_id, conversation.id, limit)
    last = None if seat is None else await inside.seats.last(scope, seat)
    if last is None:
        session = "" if seat is None else seat.session.id
        return History(session_id=session, conversation_id="", messages=[])
    return await _history(inside, scope, last.session_id, last.id, limit)


@router.post("/chat/clear", summary="Clear a conversation")
async def clear(
    inside: Inside, scope: Asker, *, request: Request, wanted: ClearBody | None = None
) -> ClearedShape:
    """Erase the caller's own messages with their runs, events and tapes.

    One conversation if it is named, else all of the session's.
    """
    wanted = wanted or ClearBody()
    conversations = inside.seats.conversations
    if wanted.conversation_id:
        named = ConversationId(wanted.conversation_id)
        await conversations.conversation(scope, named)
        cleared = await conversations.remove(scope, named)
    else:
        seat = await inside.seats.found(request, scope, named=wanted.session_id)
        if seat is None:
            return ClearedShape(conversations=0, messages=0, runs=0)
        cleared = await conversations.clear(scope, [seat.session.id])
    return ClearedShape(
        conversations=cleared.conversations, messages=cleared.messages, runs=cleared.runs
    )


async def _history(
    inside: Inside, scope: Scope, session: str, conversation: ConversationId, limit: int
) -> History:
    kept = await inside.seats.conversations.history(scope, conversation, limit=limit)
    stores = await inside.house.stores(scope, ())
    found = await readable_history(bases_of(stores), scope, kept)
    return History(
        session_id=session,
        conversation_id=conversation,
        messages=[_message(each) for each in found],
    )


def _message(found: Message) -> MessageShape:
    return MessageShape(
        role=str(found.role),
        content=found.content,
        timestamp=found.timestamp,
        run_id=found.run_id,
        sources=[
            MessageSourceShape(
                kb=each.knowledge_base, doc_id=each.document, title=each.title, uri=each.uri
            )
            for each in found.sources
        ],
        source_deleted=found.source_deleted,
    )
