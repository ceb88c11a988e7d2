"""The platform's chat: a message answered in a mode, and the sessions that it belongs to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import field
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import AskScope, Dependencies, Inside
from weft.api.edge.problems import body_of
from weft.api.edge.streams import DESCRIBED, StreamEvent, streamed
from weft.api.edge.trail import leaves, leaves_within
from weft.api.replies import RUN_HEADER, Begun, Steps, Wanted, wants_stream
from weft.api.routes.platform.chat_reply import (
    Mode,
    PlatformReply,
    PlatformSession,
    RuntimeControl,
    runtime_payload,
    steps_of,
    ui_payload,
)
from weft.api.routes.sessions import history_of
from weft.api.runs_underway import outcome_of
from weft.api.shapes.answers import AnswerShape, MeaningId, plain
from weft.api.shapes.platform import Names, Overrides, named_once
from weft.api.shapes.trace import trace_of
from weft.domain.errors import BadInput, WeftError
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.asking import LONGEST_QUESTION, checked_question
from weft.flows.debate.concluding import blocked_debate
from weft.ports.records.conversations import HISTORY_LIMIT, Conversation

# What answers where a debate cannot: the first of these that there is.
_FALLBACKS: tuple[Mode, ...] = ("semantic", "rag")
# Those that heed what a person says is meant.
_PINNED: tuple[Mode, ...] = ("semantic", "router")
SessionName = Annotated[str, Path(max_length=100, description="The session.")]


class PlatformMessage(BaseModel):
    """A message and the mode that it is answered in; `databases`, or `kb`, names knowledge bases.

    Without a session one is opened. What is pinned by `entity_overrides` is for the modes
    `semantic` and `router`.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"message": "Who founded Apollo?", "mode": "debate"}},
    )

    message: str = Field(min_length=1, max_length=LONGEST_QUESTION)
    mode: Mode = "rag"
    session_id: str = Field(default="", max_length=100)
    databases: Names = Field(default_factory=list)
    kb: Names = Field(default_factory=list)
    entity_overrides: Overrides = Field(default_factory=list)
    meaning: MeaningId = ""
    stream: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """A message under way: the conversation, the mode that answers, and why it is another one."""

    scope: Scope
    conversation: Conversation
    mode: Mode
    begun: Begun
    control: RuntimeControl | None = None
    besides: Mapping[str, object] = field(default_factory=dict)


router = APIRouter(tags=["platform"])


@router.post(
    "/api/chat/send",
    summary="Say something to the platform (the same as /platform/chat/send)",
    response_model=PlatformReply,
    responses={200: {"content": DESCRIBED}},
)
@router.post(
    "/platform/chat/send",
    summary="Say something to the platform",
    response_model=PlatformReply,
    responses={200: {"content": DESCRIBED}},
)
@leaves_within("ask")
async def send(
    inside: Inside, scope: AskScope, *, said: PlatformMessage, request: Request, response: Response
) -> PlatformReply | StreamingResponse:
    """Answer a message in a mode, with what a screen shows beside it and how it came about.

    Where no knowledge base can take part in a debate, another mode answers and `runtime_control`
    says so and why. A stream has the steps as they are taken, then `trace_steps`, then
    `ui_payload` with the whole reply.
    """
    current = await inside.request_sessions.taken(request, scope, named=said.session_id)
    conversation = await inside.request_sessions.conversation(scope, current)
    turn = await _begun(inside, scope, said, conversation)
    if wants_stream(request, said.stream):
        headers = {RUN_HEADER: turn.begun.running.run_id}
        sent = streamed(_events(inside, turn), inside.meters, headers=headers)
        current.sign(request, sent)
        return sent
    current.sign(request, response)
    answer = await inside.teller.whole(turn.begun, request=request, response=response)
    return await _reply(inside, turn, answer)


@router.get("/platform/chat/session/{session_id}", summary="Read a platform session")
@leaves("conversation.read", "session:{session_id}")
async def session(inside: Inside, scope: AskScope, *, session_id: SessionName) -> PlatformSession:
    """Return the messages of the caller's own session, of its last conversation."""
    sessions = inside.request_sessions
    current = await sessions.of_id(scope, session_id)
    last = await sessions.last(scope, current)
    if last is None:
        return PlatformSession(session_id=session_id, conversation_id="", history=[])
    kept = await history_of(
        inside, scope, session=session_id, conversation=last.id, limit=HISTORY_LIMIT
    )
    return PlatformSession(session_id=session_id, conversation_id=last.id, history=kept.messages)


@router.delete("/platform/chat/session/{session_id}", summary="Empty a platform session")
@leaves("conversation.delete", "session:{session_id}")
async def empty(inside: Inside, scope: AskScope, *, session_id: SessionName) -> PlatformSession:
    """Erase the messages of the caller's own session with their runs; the session stays."""
    sessions = inside.request_sessions
    current = await sessions.of_id(scope, session_id)
    await sessions.conversations.clear(scope, [current.session.id])
    return PlatformSession(session_id=session_id, conversation_id="", history=[])


async def _begun(
    inside: Dependencies, scope: Scope, said: PlatformMessage, conversation: Conversation
) -> _Turn:
    """Begin the run of a message, in another mode where a debate has nobody to take part."""
    bases = named_once(said.kb, said.databases)
    if said.entity_overrides and said.mode not in _PINNED:
        raise BadInput("entity_overrides: only the modes 'semantic' and 'router' take them.")
    _check_mode(inside, said.mode)
    mode, control, besides = said.mode, None, dict[str, object]()
    if mode == "debate":
        found = await inside.host.survey(scope, bases)
        if not found.stores:
            mode, besides = _fallback(inside), blocked_debate(found.standing)
            reason = str(besides["response"])
            control = RuntimeControl(requested_mode="debate", executed_mode=mode, reason=reason)
    wanted = Wanted(
        question=checked_question(said.message),
        kb=bases,
        flow=mode,
        conversation=conversation.id,
        overrides=tuple(one.override() for one in said.entity_overrides),
        meaning=said.meaning,
        makes_do=control is not None,
    )
    return _Turn(
        scope=scope,
        conversation=conversation,
        mode=mode,
        begun=await inside.teller.begin(scope, wanted),
        control=control,
        besides=besides,
    )


def _check_mode(inside: Dependencies, mode: Mode) -> None:
    """Raise `BadInput` naming the modes there are."""
    flows = {flow.name for flow in inside.host.flows.catalog.flows()}
    if mode not in flows:
        there = ", ".join(sorted(flows))
        raise BadInput(f"mode: there is no '{mode}' here; there are: {there}.")


def _fallback(inside: Dependencies) -> Mode:
    flows = {flow.name for flow in inside.host.flows.catalog.flows()}
    return next(mode for mode in _FALLBACKS if mode in flows)


async def _reply(inside: Dependencies, turn: _Turn, answer: AnswerShape) -> PlatformReply:
    conversation = turn.conversation
    runs = inside.host.app.records.runs
    run = await runs.get(turn.scope, RunId(answer.run_id))
    steps = steps_of(answer, trace_of(run, await runs.events(turn.scope, RunId(answer.run_id))))
    history = await history_of(
        inside,
        turn.scope,
        session=conversation.session_id,
        conversation=conversation.id,
        limit=HISTORY_LIMIT,
    )
    return PlatformReply(
        session_id=conversation.session_id,
        conversation_id=conversation.id,
        mode=turn.mode,
        assistant_message=answer.answer,
        trace_steps=steps,
        ui_payload=ui_payload(answer, steps),
        runtime_payload=runtime_payload(answer, turn.besides),
        runtime_control=turn.control,
        history=history.messages,
        run_id=answer.run_id,
    )


async def _events(inside: Dependencies, turn: _Turn) -> AsyncIterator[StreamEvent]:
    """Yield the steps as they are taken, then the trace, then the whole reply."""
    running, conversation = turn.begun.running, turn.conversation
    known = {"session_id": conversation.session_id, "conversation_id": conversation.id}
    try:
        yield StreamEvent(event="run", data={"run_id": running.run_id, **known})
        steps = Steps(inside.host.flows.catalog.labels())
        async for event in running.events():
            yield StreamEvent(event="step", data=steps.step(event), id=event.seq)
        try:
            answer = await inside.teller.shape(turn.begun, outcome_of(running))
            reply = plain(await _reply(inside, turn, answer))
        except WeftError as error:
            yield StreamEvent(event="error", data=body_of(error))
            return
        yield StreamEvent(event="trace_steps", data=reply["trace_steps"])
        yield StreamEvent(event="ui_payload", data=reply)
    finally:
        await inside.teller.answerings.let_go(running)
