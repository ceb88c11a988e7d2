"""Sessions and their conversations: opened, listed, read, cleared."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import AskScope, Inside
from weft.api.edge.idempotency import IdempotencyKey
from weft.api.edge.paging import Paging, cursor_of, place_of
from weft.api.edge.request_sessions import SESSION, RequestSession, SessionHeader
from weft.api.edge.trail import leaves
from weft.api.shapes.answers import CitationShape, GivenAnswer, given_answer
from weft.bootstrap.knowledge import bases_of
from weft.domain.scope import Scope
from weft.flows.conversation import readable_history
from weft.ports.records.conversations import (
    HISTORY_LIMIT,
    Conversation,
    ConversationId,
    ConversationPage,
    Message,
    MessageSource,
)

router = APIRouter(tags=["conversations"])

ConversationName = Annotated[str, Path(alias="id", max_length=100, description="Its id.")]
AskedConversation = Annotated[
    str, Query(max_length=100, description="The conversation; the session's last one if empty.")
]
OfAll = Annotated[bool, Query(description="Those of all the caller's sessions.")]
Kept = Literal["memory", "stored"]
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
    """A page of conversations, the last one talked in first; `next` as everywhere.

    `kept` says for how long they are: `stored`, or `memory` (as long as the service runs, and
    `hours` at most).
    """

    items: list[ConversationShape]
    next: str
    kept: Kept
    hours: float | None


class ConversationChange(BaseModel):
    """What changes of a conversation."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"title": "The lease in Seoul"}}
    )

    title: str = Field(min_length=1, max_length=120, pattern=r"\S")


class MessageSourceShape(BaseModel):
    """A document that a message cites."""

    kb: str
    doc_id: str
    title: str
    uri: str


class MessageShape(BaseModel):
    """One message; `source_deleted` says that it was emptied with a document it rested on.

    `citations` are those of the answer as it was given: its `[n]` marks stand for them. `answer` is
    the whole of it; questions and messages of older versions have none.
    """

    role: str
    content: str
    timestamp: datetime
    run_id: str
    sources: list[MessageSourceShape]
    citations: list[CitationShape]
    answer: GivenAnswer | None
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
@leaves("session.create", "session:new")
async def open_session(
    inside: Inside, scope: AskScope, *, idempotency_key: IdempotencyKey = ""
) -> JSONResponse:
    """Open a session for a client without cookies; send its id as `X-Session-ID`."""

    async def work() -> SessionShape:
        session = await inside.request_sessions.sessions.begin(scope)
        return SessionShape(session_id=session.id, expires_at=session.expires_at)

    return await inside.idempotency.make(
        scope, idempotency_key, asked="session", status=201, work=work
    )


@router.get("/v1/conversations", summary="List conversations")
@leaves("conversation.list", "conversation:*")
async def listed(
    inside: Inside,
    scope: AskScope,
    *,
    request: Request,
    session: SessionHeader = "",
    everywhere: OfAll = False,
    page: Annotated[Paging, Depends()],
) -> ConversationList:
    """List the conversations of the caller's session, the last one talked in first.

    With `everywhere`, those of all the caller's sessions: other browsers', and the command line's.
    """
    current = await inside.request_sessions.found(request, scope, named=session)
    found = ConversationPage(conversations=(), cursor="")
    if current is not None or everywhere:
        of = None if everywhere or current is None else current.session.id
        found = await inside.request_sessions.conversations.listed(
            scope, of, limit=page.limit, cursor=place_of(page.cursor)
        )
    kept = inside.host.settings.values
    return ConversationList(
        items=[_conversation(each) for each in found.conversations],
        next=cursor_of(found.cursor),
        kept="stored" if kept.history == "stored" else "memory",
        hours=None if kept.history == "stored" else kept.history_hours,
    )


@router.post(
    "/v1/conversations",
    status_code=201,
    summary="Begin a conversation",
    responses={201: {"model": ConversationShape}},
)
@leaves("conversation.create", "conversation:new")
async def begin(
    inside: Inside, scope: AskScope, *, request: Request, idempotency_key: IdempotencyKey = ""
) -> JSONResponse:
    """Begin a conversation in the caller's session, which is opened if there is none."""
    sessions: list[RequestSession] = []

    async def work() -> ConversationShape:
        sessions.append(await inside.request_sessions.taken(request, scope))
        made = await inside.request_sessions.conversations.begin(scope, sessions[0].session.id)
        return _conversation(made)

    asked = f"conversation {request.headers.get(SESSION, '')}"
    made = await inside.idempotency.make(scope, idempotency_key, asked=asked, status=201, work=work)
    for current in sessions:
        current.sign(request, made)
    return made


@router.get("/v1/conversations/{id}", summary="Show a conversation")
@leaves("conversation.read", "conversation:{name}")
async def show(inside: Inside, scope: AskScope, *, name: ConversationName) -> ConversationShape:
    """Show a conversation of the caller; `/chat/history` has its messages."""
    found = await inside.request_sessions.conversations.conversation(scope, ConversationId(name))
    return _conversation(found)


@router.patch("/v1/conversations/{id}", summary="Rename a conversation")
@leaves("conversation.change", "conversation:{name}")
async def rename(
    inside: Inside, scope: AskScope, *, name: ConversationName, wanted: ConversationChange
) -> ConversationShape:
    """Give a conversation another title; the questions to come leave it as it is."""
    title = wanted.title.strip()
    return _conversation(
        await inside.request_sessions.conversations.retitle(scope, ConversationId(name), title)
    )


@router.delete("/v1/conversations/{id}", status_code=204, summary="Erase a conversation")
@leaves("conversation.delete", "conversation:{name}")
async def remove(inside: Inside, scope: AskScope, *, name: ConversationName) -> Response:
    """Erase a conversation with its messages, runs, events and tapes."""
    conversations = inside.request_sessions.conversations
    await conversations.conversation(scope, ConversationId(name))
    await conversations.remove(scope, ConversationId(name))
    return Response(status_code=204)


@router.get("/chat/history", summary="Read a conversation")
@leaves("conversation.read", "conversation:{conversation_id}")
async def history(
    inside: Inside,
    scope: AskScope,
    *,
    request: Request,
    conversation_id: AskedConversation = "",
    limit: Most = HISTORY_LIMIT,
) -> History:
    """Return the last messages of the caller's own conversation, the oldest first."""
    current = await inside.request_sessions.found(request, scope)
    if conversation_id:
        named = ConversationId(conversation_id)
        conversation = await inside.request_sessions.conversations.conversation(scope, named)
        return await history_of(
            inside,
            scope,
            session=conversation.session_id,
            conversation=conversation.id,
            limit=limit,
        )
    last = None if current is None else await inside.request_sessions.last(scope, current)
    if last is None:
        session = "" if current is None else current.session.id
        return History(session_id=session, conversation_id="", messages=[])
    return await history_of(
        inside, scope, session=last.session_id, conversation=last.id, limit=limit
    )


@router.post("/chat/clear", summary="Clear a conversation")
@leaves("conversation.delete", "conversation:{wanted.conversation_id}")
async def clear(
    inside: Inside, scope: AskScope, *, request: Request, wanted: ClearBody | None = None
) -> ClearedShape:
    """Erase the caller's own messages with their runs, events and tapes.

    One conversation if it is named, else all of the session's.
    """
    wanted = wanted or ClearBody()
    conversations = inside.request_sessions.conversations
    if wanted.conversation_id:
        named = ConversationId(wanted.conversation_id)
        await conversations.conversation(scope, named)
        cleared = await conversations.remove(scope, named)
    else:
        current = await inside.request_sessions.found(request, scope, named=wanted.session_id)
        if current is None:
            return ClearedShape(conversations=0, messages=0, runs=0)
        cleared = await conversations.clear(scope, [current.session.id])
    return ClearedShape(
        conversations=cleared.conversations, messages=cleared.messages, runs=cleared.runs
    )


async def history_of(
    inside: Inside, scope: Scope, *, session: str, conversation: ConversationId, limit: int
) -> History:
    """Return the last messages of a conversation, as far as the caller may still read them."""
    kept = await inside.request_sessions.conversations.history(scope, conversation, limit=limit)
    stores = (await inside.host.survey(scope, ())).stores
    found = await readable_history(bases_of(stores), scope, kept)
    return History(
        session_id=session,
        conversation_id=conversation,
        messages=[_message(each) for each in found],
    )


def _conversation(found: Conversation) -> ConversationShape:
    return ConversationShape(
        id=found.id,
        session_id=found.session_id,
        title=found.title,
        started=found.started,
        updated=found.updated,
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
        citations=_citations(found.sources),
        answer=None if found.answer is None else given_answer(found.answer),
        source_deleted=found.source_deleted,
    )


def _citations(sources: Sequence[MessageSource]) -> list[CitationShape]:
    cited = [
        CitationShape(
            n=span.n,
            doc_id=source.document,
            title=source.title,
            uri=source.uri,
            page=span.page,
            section=span.section,
            chunk_id=span.chunk_id,
            start=span.start,
            end=span.end,
            snippet=span.snippet,
            kb=source.knowledge_base,
        )
        for source in sources
        for span in source.spans
    ]
    return sorted(cited, key=lambda citation: citation.n)
