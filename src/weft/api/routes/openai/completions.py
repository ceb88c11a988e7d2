"""Answers as chat completions: the content carries `[n]` marks of its citations."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import AskScope, Inside
from weft.api.edge.problems import body_of, openai_body
from weft.api.edge.streams import DESCRIBED, StreamEvent, streamed
from weft.api.edge.trail import leaves_within
from weft.api.replies import RUN_HEADER, Begun, Teller
from weft.api.routes.openai.asked import (
    MODEL,
    AnswerFormat,
    MessageBody,
    begun_of,
    counted,
    question_of,
    refuse_demanded_tools,
    refuse_other_than_text,
)
from weft.api.shapes.answers import AnswerShape, plain
from weft.domain.display import in_markdown
from weft.domain.errors import BadInput, WeftError


class StreamOptions(BaseModel):
    """What a stream says beside the answer."""

    model_config = ConfigDict(extra="ignore")

    include_usage: bool = False


class CompletionBody(BaseModel):
    """A chat completion request; settings of sampling have no effect and are passed over.

    What would make another reply than one answer in text is refused: `n` other than one, a
    `response_format` of JSON, a `tool_choice` that demands a tool. `model` is `weft` or the name of
    a flow, with `:NAME` behind it to ask one knowledge base. The last user message is answered.
    """

    model_config = ConfigDict(
        extra="ignore",
        json_schema_extra={
            "example": {
                "model": "weft",
                "messages": [{"role": "user", "content": "Who founded Apollo?"}],
            }
        },
    )

    model: str = Field(default=MODEL, max_length=200)
    messages: list[MessageBody] = Field(min_length=1, max_length=500)
    n: int | None = None
    response_format: AnswerFormat | None = None
    tool_choice: str | dict[str, object] | None = None
    stream: bool | None = False
    stream_options: StreamOptions | None = None


class CompletionUsage(BaseModel):
    """Words of the question and the answer: what the face itself took in and gave out."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ReplyMessage(BaseModel):
    """The answer as a message."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: str | None = None


class Choice(BaseModel):
    """The one choice there is."""

    index: int = 0
    message: ReplyMessage
    finish_reason: Literal["stop"] = "stop"
    logprobs: None = None


class Completion(BaseModel):
    """A chat completion; `weft` has the whole answer with its citations."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: CompletionUsage
    weft: AnswerShape


router = APIRouter(prefix="/v1", tags=["openai"])


@router.post(
    "/chat/completions",
    summary="Complete a chat",
    response_model=Completion,
    responses={200: {"content": DESCRIBED}},
)
@leaves_within("ask")
async def complete(
    inside: Inside, scope: AskScope, *, body: CompletionBody, request: Request, response: Response
) -> Completion | StreamingResponse:
    """Answer the last user message; the content carries `[n]` marks of its citations.

    Where nothing answers, the content says so, and below it what was found instead and that it is
    no answer; `weft.outcome` tells, in a stream on the chunk that ends it.
    """
    if body.n not in (None, 1):
        raise BadInput("n: there is one answer.", field="n")
    refuse_other_than_text("response_format", body.response_format)
    refuse_demanded_tools(body.tool_choice)
    question = question_of(body.messages, field="messages")
    begun = await begun_of(inside, scope, question=question, model=body.model)
    if body.stream:
        usage = body.stream_options is not None and body.stream_options.include_usage
        chunks = Chunks(inside.teller, begun, question=question, model=body.model, usage=usage)
        headers = {RUN_HEADER: begun.running.run_id}
        return streamed(chunks.events(), inside.teller.host.meters, headers=headers)
    answer = await inside.teller.whole(begun, request=request, response=response)
    return Completion(
        id=f"chatcmpl-{answer.run_id}",
        created=int(time.time()),
        model=body.model,
        choices=[Choice(message=ReplyMessage(content=in_markdown(answer.answer)))],
        usage=_usage(question, in_markdown(answer.answer)),
        weft=answer,
    )


class Chunks:
    """An answer as the chunks of a streamed completion."""

    def __init__(
        self, teller: Teller, begun: Begun, *, question: str, model: str, usage: bool
    ) -> None:
        """Take a run that has begun."""
        self._teller = teller
        self._begun = begun
        self._question = question
        self._usage = usage
        self._head: dict[str, object] = {
            "id": f"chatcmpl-{begun.running.run_id}",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": model,
        }

    async def events(self) -> AsyncIterator[StreamEvent]:
        """Yield the role at once, each sentence once it was checked, the usage, and the end."""
        running = self._begun.running
        try:
            yield self._chunk({"role": "assistant", "content": ""})
            try:
                shape = await self._teller.ended(self._begun)
            except WeftError as error:
                yield StreamEvent(data=openai_body(body_of(error)))
                return
            content = in_markdown(shape.answer)
            for line in content.splitlines(keepends=True):
                yield self._chunk({"content": line})
            yield self._chunk({}, finish="stop", weft=plain(shape))
            if self._usage:
                usage = _usage(self._question, content).model_dump()
                yield StreamEvent(data={**self._head, "choices": [], "usage": usage})
            yield StreamEvent(data="[DONE]")
        finally:
            await self._teller.answerings.let_go(running)

    def _chunk(
        self, delta: dict[str, str], finish: str | None = None, **besides: object
    ) -> StreamEvent:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        usage = {"usage": None} if self._usage else {}
        return StreamEvent(data={**self._head, "choices": [choice], **usage, **besides})


def _usage(question: str, answer: str) -> CompletionUsage:
    asked, said = counted(question, answer)
    return CompletionUsage(prompt_tokens=asked, completion_tokens=said, total_tokens=asked + said)
