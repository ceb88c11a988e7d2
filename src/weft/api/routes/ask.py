"""`POST /ask` and `/v1/rag/query`: a question in, a checked answer out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import AskScope, Inside
from weft.api.edge.streams import DESCRIBED
from weft.api.edge.trail import leaves_within
from weft.api.replies import Wanted, wants_stream
from weft.api.searches import Filters, SearchWanted
from weft.api.shapes.answers import AnswerShape, EvidenceShape, MeaningId
from weft.api.shapes.budget import BudgetShape
from weft.flows.asking import LONGEST_QUESTION, checked_question

Question = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
Names = Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=64)]


class AskBody(BaseModel):
    """What is asked; `kb` names knowledge bases (all of them if empty), `sources` narrows.

    With a session, named here or by the cookie, the question may follow up on what was said in it.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"question": "Who founded Apollo?", "kb": ["Main"]}},
    )

    question: Question
    kb: Names = Field(default_factory=list)
    sources: Names = Field(default_factory=list)
    session_id: str = Field(default="", max_length=100)
    meaning: MeaningId = ""
    budget: BudgetShape | None = None
    stream: bool | None = None


class RagBody(BaseModel):
    """A question for some knowledge bases, with what narrows the documents."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"kb": ["Main"], "query": "Who founded Apollo?", "top_k": 5}},
    )

    kb: Names = Field(default_factory=list)
    query: Question
    top_k: int = Field(default=8, ge=1, le=50)
    filters: Filters | None = None
    rerank: bool = True
    stream: bool | None = None


class RagReply(AnswerShape):
    """The answer with the passages that a search for the question gives."""

    evidence: list[EvidenceShape]


router = APIRouter(tags=["answers"])


@router.post(
    "/ask",
    summary="Answer a question with checked citations",
    response_model=AnswerShape,
    responses={200: {"content": DESCRIBED}},
)
@leaves_within("ask")
async def ask(
    inside: Inside, scope: AskScope, *, asked: AskBody, request: Request, response: Response
) -> AnswerShape | StreamingResponse:
    """Answer a question with citations that were checked against the stored text.

    In a session the question and its answer are kept, and it may follow up on the one before.
    `sources` narrows to the names or types of sources; an unknown one is refused with the
    allowed ones named.
    """
    await inside.searcher.check_sources(scope, asked.kb, asked.sources)
    current = await inside.request_sessions.found(request, scope, named=asked.session_id)
    conversation = None
    if current is not None:
        conversation = (await inside.request_sessions.conversation(scope, current)).id
    wanted = Wanted(
        question=checked_question(asked.question),
        kb=asked.kb,
        sources=asked.sources,
        conversation=conversation,
        meaning=asked.meaning,
        limits=None if asked.budget is None else asked.budget.limits(),
    )
    begun = await inside.teller.begin(scope, wanted)
    if wants_stream(request, asked.stream):
        return inside.teller.stream(begun, wanted)
    return await inside.teller.whole(begun, request=request, response=response)


@router.post(
    "/v1/rag/query",
    summary="Search, then answer",
    response_model=RagReply,
    responses={200: {"content": DESCRIBED}},
)
@leaves_within("ask")
async def rag(
    inside: Inside, scope: AskScope, *, asked: RagBody, request: Request, response: Response
) -> RagReply | StreamingResponse:
    """Return the passages for a question and the answer that is written from them.

    Both come from the documents that match the filters, and from no other. `rerank` is taken and
    changes nothing as long as no second ranker is built in.
    """
    query, filters = checked_question(asked.query), asked.filters or Filters()
    wanted = Wanted(question=query, kb=asked.kb, within=filters.filter())
    if wants_stream(request, asked.stream):
        return inside.teller.stream(await inside.teller.begin(scope, wanted), wanted)
    narrowed = SearchWanted(query=query, kb=asked.kb, top_k=asked.top_k, filters=filters)
    found = await inside.searcher.search(scope, narrowed)
    begun = await inside.teller.begin(scope, wanted)
    answer = await inside.teller.whole(begun, request=request, response=response)
    return RagReply(**answer.model_dump(), evidence=found.evidence)
