"""`POST /v1/chat/message`: a turn of a conversation, whole or as it comes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import AskScope, Inside
from weft.api.edge.streams import DESCRIBED
from weft.api.edge.trail import leaves_within
from weft.api.replies import DEFAULT_AGENT, Wanted, named_flow, wants_stream
from weft.api.shapes.answers import AnswerShape, MeaningId
from weft.api.shapes.budget import BudgetShape
from weft.api.shapes.platform import Overrides
from weft.domain.errors import BadInput
from weft.flows.asking import LONGEST_QUESTION

router = APIRouter(tags=["conversations"])
Names = Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=64)]


class ChatBody(BaseModel):
    """A message; without a conversation it goes on with the session's last one.

    `agent_id` is `weft`, the default agent, or the name of a flow as `GET /agents` lists them; `kb`
    names knowledge bases (all of them if empty). With `goes_on` a stream that is left does not end
    its run: the answer is kept in the conversation, and `/v1/runs/{id}/cancel` stops it.
    """

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"message": "Who founded Apollo?"}}
    )

    message: str = Field(min_length=1, max_length=LONGEST_QUESTION)
    session_id: str = Field(default="", max_length=100)
    conversation_id: str = Field(default="", max_length=100)
    agent_id: str = Field(default=DEFAULT_AGENT, max_length=100)
    kb: Names = Field(default_factory=list)
    sources: Names = Field(default_factory=list)
    entity_overrides: Overrides = Field(default_factory=list)
    meaning: MeaningId = ""
    budget: BudgetShape | None = None
    stream: bool | None = None
    goes_on: bool = False


class ChatReply(AnswerShape):
    """The answer, and the session and conversation that it belongs to."""

    session_id: str
    conversation_id: str


@router.post(
    "/v1/chat/message",
    summary="Say something in a conversation",
    response_model=ChatReply,
    responses={200: {"content": DESCRIBED}},
)
@leaves_within("ask")
async def message(
    inside: Inside, scope: AskScope, *, said: ChatBody, request: Request, response: Response
) -> ChatReply | StreamingResponse:
    """Answer a message with checked citations; what was said before is taken into account.

    Without a session one is opened: a browser keeps it in a cookie, other clients send its id. A
    question that was made whole from the conversation is shown as `rewritten_question`.
    """
    if not said.message.strip():
        raise BadInput("message: it is empty.")
    await inside.searcher.check_sources(scope, said.kb, said.sources)
    current = await inside.request_sessions.taken(request, scope, named=said.session_id)
    conversation = await inside.request_sessions.conversation(
        scope, current, named=said.conversation_id
    )
    known: dict[str, object] = {
        "session_id": conversation.session_id,
        "conversation_id": conversation.id,
    }
    wanted = Wanted(
        question=said.message.strip(),
        kb=said.kb,
        sources=said.sources,
        flow=named_flow(said.agent_id),
        limits=None if said.budget is None else said.budget.limits(),
        conversation=conversation.id,
        overrides=tuple(one.override() for one in said.entity_overrides),
        meaning=said.meaning,
        known=known,
        goes_on=said.goes_on,
    )
    begun = await inside.teller.begin(scope, wanted)
    if wants_stream(request, said.stream):
        streamed = inside.teller.stream(begun, wanted)
        current.sign(request, streamed)
        return streamed
    current.sign(request, response)
    answer = await inside.teller.whole(begun, request=request, response=response)
    return ChatReply(
        **answer.model_dump(),
        session_id=conversation.session_id,
        conversation_id=conversation.id,
    )
