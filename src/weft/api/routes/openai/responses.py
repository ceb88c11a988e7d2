"""Answers as responses: the text carries `[n]` marks, each with an annotation of what it cites."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from itertools import accumulate
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import AskScope, Inside
from weft.api.edge.problems import body_of
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
from weft.api.shapes.answers import AnswerShape, CitationShape, plain
from weft.domain.display import in_markdown
from weft.domain.document import file_name
from weft.domain.errors import BadInput, WeftError


class ResponseText(BaseModel):
    """How the text of a response is to be written."""

    model_config = ConfigDict(extra="ignore")

    format: AnswerFormat | None = None


class ResponseBody(BaseModel):
    """A request of the Responses API; settings of sampling and tools are passed over.

    What would make another reply than an answer in text at once is refused: a `text.format` of
    JSON, a `tool_choice` that demands a tool, `background`.

    `input` is the question, or messages of which the last user's is answered; `model` is `weft` or
    the name of a flow, with `:NAME` behind it to ask one knowledge base. Responses are not kept:
    what came before is sent again as messages.
    """

    model_config = ConfigDict(
        extra="ignore",
        json_schema_extra={"example": {"model": "weft", "input": "Who founded Apollo?"}},
    )

    model: str = Field(default=MODEL, max_length=200)
    input: (
        Annotated[str, Field(max_length=200_000)]
        | Annotated[list[MessageBody], Field(min_length=1, max_length=500)]
    )
    instructions: str | None = Field(default=None, max_length=200_000)
    previous_response_id: str | None = Field(default=None, max_length=200)
    text: ResponseText | None = None
    tool_choice: str | dict[str, object] | None = None
    background: bool | None = False
    stream: bool | None = False


class FileCitation(BaseModel):
    """A mark that cites a document: `index` is where the mark begins in the text."""

    type: Literal["file_citation"] = "file_citation"
    file_id: str
    filename: str
    index: int


class UrlCitation(BaseModel):
    """A mark that cites a page of the web: the mark is `text[start_index:end_index]`."""

    type: Literal["url_citation"] = "url_citation"
    url: str
    title: str
    start_index: int
    end_index: int


class OutputText(BaseModel):
    """The text of an answer and what its marks cite, in order."""

    type: Literal["output_text"] = "output_text"
    text: str
    annotations: list[FileCitation | UrlCitation]
    logprobs: list[Any] = Field(default_factory=list)


class OutputMessage(BaseModel):
    """The answer as a message."""

    type: Literal["message"] = "message"
    id: str
    role: Literal["assistant"] = "assistant"
    status: Literal["in_progress", "completed"] = "completed"
    content: list[OutputText]


class InputDetails(BaseModel):
    """What OpenAI's clients ask of the input: nothing is cached here."""

    cached_tokens: int = 0
    cache_write_tokens: int = 0


class OutputDetails(BaseModel):
    """What OpenAI's clients ask of the output: nothing is written but the answer."""

    reasoning_tokens: int = 0


class ResponseUsage(BaseModel):
    """Words of the question and the answer: what the face itself took in and gave out."""

    input_tokens: int
    input_tokens_details: InputDetails = Field(default_factory=InputDetails)
    output_tokens: int
    output_tokens_details: OutputDetails = Field(default_factory=OutputDetails)
    total_tokens: int


class ResponseFault(BaseModel):
    """What a response ended with."""

    code: str
    message: str


class ResponseShape(BaseModel):
    """A response; `weft` has the whole answer with its citations once it is completed."""

    id: str
    object: Literal["response"] = "response"
    created_at: int
    status: Literal["in_progress", "completed", "failed"]
    model: str
    output: list[OutputMessage] = Field(default_factory=list)
    instructions: str | None = None
    error: ResponseFault | None = None
    incomplete_details: None = None
    metadata: dict[str, str] = Field(default_factory=dict)
    parallel_tool_calls: bool = False
    previous_response_id: None = None
    temperature: float | None = None
    tool_choice: Literal["none"] = "none"
    tools: list[Any] = Field(default_factory=list)
    top_p: float | None = None
    usage: ResponseUsage | None = None
    weft: AnswerShape | None = None


router = APIRouter(prefix="/v1", tags=["openai"])


@router.post(
    "/responses",
    summary="Respond",
    response_model=ResponseShape,
    responses={200: {"content": DESCRIBED}},
)
@leaves_within("ask")
async def respond(
    inside: Inside, scope: AskScope, *, body: ResponseBody, request: Request, response: Response
) -> ResponseShape | StreamingResponse:
    """Answer a question, or the last user message, with an annotation for each citation.

    A citation of a page of the web is a `url_citation`, of any other document a `file_citation`.
    Where nothing answers, the text says so, and below it what was found instead and that it is no
    answer; `weft.outcome` tells.
    """
    if body.previous_response_id:
        said = "previous_response_id: responses are not kept; send the messages again."
        raise BadInput(said, field="previous_response_id")
    if body.background:
        raise BadInput("background: responses are not kept; wait for it.", field="background")
    refuse_other_than_text("text.format", body.text.format if body.text else None)
    refuse_demanded_tools(body.tool_choice)
    asked = body.input
    messages = [MessageBody(role="user", content=asked)] if isinstance(asked, str) else asked
    question = question_of(messages, field="input")
    begun = await begun_of(inside, scope, question=question, model=body.model)
    head = ResponseShape(
        id=f"resp_{begun.running.run_id}",
        created_at=int(time.time()),
        status="in_progress",
        model=body.model,
        instructions=body.instructions,
    )
    if body.stream:
        events = ResponseEvents(inside.teller, begun, question=question, head=head)
        headers = {RUN_HEADER: begun.running.run_id}
        return streamed(events.events(), inside.teller.host.meters, headers=headers)
    answer = await inside.teller.whole(begun, request=request, response=response)
    return _completed(head, question, answer)


class ResponseEvents:
    """An answer as the events of a streamed response."""

    def __init__(self, teller: Teller, begun: Begun, *, question: str, head: ResponseShape) -> None:
        """Take a run that has begun, and what its response begins with."""
        self._teller = teller
        self._begun = begun
        self._question = question
        self._head = head
        self._number = -1

    async def events(self) -> AsyncIterator[StreamEvent]:
        """Yield the response as it begins, its text once it was checked, and the whole."""
        running = self._begun.running
        try:
            for name in ("response.created", "response.in_progress"):
                yield self._event(name, response=plain(self._head))
            try:
                shape = await self._teller.ended(self._begun)
            except WeftError as error:
                told = body_of(error)
                fault = ResponseFault(code=str(told["code"]), message=str(told["detail"]))
                failed = self._head.model_copy(update={"status": "failed", "error": fault})
                yield self._event("response.failed", response=plain(failed))
                return
            for event in self._told(_completed(self._head, self._question, shape)):
                yield event
        finally:
            await self._teller.answerings.let_go(running)

    def _told(self, whole: ResponseShape) -> Iterator[StreamEvent]:
        """Yield the events of an answer that is there: its item, its part, its lines, its marks."""
        [message] = whole.output
        [text] = message.content
        part = {"item_id": message.id, "output_index": 0, "content_index": 0}
        empty = message.model_copy(update={"status": "in_progress", "content": []})
        yield self._event("response.output_item.added", output_index=0, item=plain(empty))
        bare = OutputText(text="", annotations=[])
        yield self._event("response.content_part.added", **part, part=plain(bare))
        for line in text.text.splitlines(keepends=True):
            yield self._event("response.output_text.delta", **part, delta=line, logprobs=[])
        for at, one in enumerate(text.annotations):
            yield self._event(
                "response.output_text.annotation.added",
                **part,
                annotation_index=at,
                annotation=plain(one),
            )
        yield self._event("response.output_text.done", **part, text=text.text, logprobs=[])
        yield self._event("response.content_part.done", **part, part=plain(text))
        yield self._event("response.output_item.done", output_index=0, item=plain(message))
        yield self._event("response.completed", response=plain(whole))

    def _event(self, name: str, **data: object) -> StreamEvent:
        self._number += 1
        body = {"type": name, "sequence_number": self._number, **data}
        return StreamEvent(event=name, data=body)


def _completed(head: ResponseShape, question: str, answer: AnswerShape) -> ResponseShape:
    text = in_markdown(answer.answer)
    asked, said = counted(question, text)
    usage = ResponseUsage(input_tokens=asked, output_tokens=said, total_tokens=asked + said)
    message = OutputMessage(
        id=f"msg_{answer.run_id}",
        content=[OutputText(text=text, annotations=list(marks_of(text, answer)))],
    )
    return head.model_copy(
        update={"status": "completed", "output": [message], "usage": usage, "weft": answer}
    )


def marks_of(text: str, answer: AnswerShape) -> Iterator[FileCitation | UrlCitation]:
    """Yield what each mark at the end of a line cites, in order.

    Each sentence has a line at the end of the text, or each of the nearest. What a document writes
    in brackets before its marks is no mark, however it looks.
    """
    told = [one.citations for one in answer.sentences] or [[one] for one in answer.nearest]
    ends = list(accumulate(len(line) + 1 for line in text.split("\n")))
    for end, cited in zip(ends[len(ends) - len(told) :], told, strict=True):
        marks = [f" [{one.n}]" for one in cited]
        start = end - 1 - sum(map(len, marks))
        for one, mark in zip(cited, marks, strict=True):
            yield _annotation(one, start + 1, start + len(mark))
            start += len(mark)


def _annotation(one: CitationShape, start: int, end: int) -> FileCitation | UrlCitation:
    if one.uri.startswith(("http://", "https://")):
        return UrlCitation(url=one.uri, title=one.title, start_index=start, end_index=end)
    name = file_name(one.uri) or one.title
    return FileCitation(file_id=one.doc_id, filename=name, index=start)
