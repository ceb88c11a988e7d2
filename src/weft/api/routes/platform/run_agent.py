"""`POST /run_agent` and `/run_agent_semantic`: one specialist, or the graph with names resolved."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from weft.api.dependencies import AskScope, Dependencies, Inside
from weft.api.edge.streams import DESCRIBED
from weft.api.edge.trail import leaves_within
from weft.api.replies import Wanted, wants_stream
from weft.api.routes.platform.chat_reply import steps_of
from weft.api.shapes.answers import AnswerShape
from weft.api.shapes.budget import BudgetShape
from weft.api.shapes.debate import TraceStepShape
from weft.api.shapes.platform import AgentQuestion, Overrides, PinnedEntity
from weft.api.shapes.trace import trace_of
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.asking import checked_question


class AgentBody(AgentQuestion):
    """A question to agents, with what its names mean and the most that may be spent."""

    entity_overrides: Overrides = Field(default_factory=list)
    budget: BudgetShape | None = None

    def wanted(self, flow: str) -> Wanted:
        """Return what is asked of a flow."""
        return Wanted(
            question=checked_question(self.query),
            kb=self.bases(),
            flow=flow,
            overrides=tuple(one.override() for one in self.entity_overrides),
            limits=None if self.budget is None else self.budget.limits(),
        )


class CandidateShape(BaseModel):
    """A thing that a name may mean."""

    database: str
    node_id: str
    display_name: str
    labels: list[str]
    aliases: list[str]
    documents: list[str]
    titles: list[str]
    score_kind: str
    source: str


class EntityMatchShape(BaseModel):
    """A name of the question with what it may mean, what was taken first."""

    question_entity: str
    candidates: list[CandidateShape]


class SemanticContext(BaseModel):
    """The names of a question: what each may mean, which mean nothing, what was pinned."""

    entities: list[str]
    matches: list[EntityMatchShape]
    unresolved_entities: list[str]
    overrides_applied: list[PinnedEntity]


class RoutedReply(AnswerShape):
    """The answer, in `response` too, and which of the specialists at hand gave it (`route`).

    Of the graph also what the names may mean, as `/run_agent_semantic` says it.
    """

    response: str
    trace_steps: list[TraceStepShape]
    route: str
    specialists: list[str]
    semantic_context: SemanticContext | None = None


class SemanticReply(AnswerShape):
    """The answer, the side that gave it (`route`: lpg, rdf or hybrid), and what each side found."""

    response: str
    trace_steps: list[TraceStepShape]
    route: str
    semantic_context: SemanticContext
    lpg_result: dict[str, Any] | None
    rdf_result: dict[str, Any] | None
    evidence: list[dict[str, Any]]


router = APIRouter(tags=["answers"])


@router.post(
    "/run_agent",
    summary="Hand a question to one specialist",
    response_model=RoutedReply,
    responses={200: {"content": DESCRIBED}},
)
@leaves_within("ask")
async def run_agent(
    inside: Inside, scope: AskScope, *, asked: AgentBody, request: Request, response: Response
) -> RoutedReply | StreamingResponse:
    """Answer by exactly one of graph, vector, web and table; the web only where one is configured.

    `entity_overrides` are heeded where the graph answers.
    """
    exchange = _Exchange(asked=asked, request=request, response=response)
    told = await _told(inside, scope, exchange, flow="router")
    return RoutedReply.model_validate(told) if isinstance(told, dict) else told


@router.post(
    "/run_agent_semantic",
    summary="Ask the graph, names resolved or pinned",
    response_model=SemanticReply,
    responses={200: {"content": DESCRIBED}},
)
@leaves_within("ask")
async def run_agent_semantic(
    inside: Inside, scope: AskScope, *, asked: AgentBody, request: Request, response: Response
) -> SemanticReply | StreamingResponse:
    """Answer from the graph or the ontology; say what each name of the question may mean.

    A candidate that is sent back under `entity_overrides` is the one that is meant.
    """
    exchange = _Exchange(asked=asked, request=request, response=response)
    told = await _told(inside, scope, exchange, flow="semantic")
    return SemanticReply.model_validate(told) if isinstance(told, dict) else told


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exchange:
    """A request with its body, and the reply whose headers are set."""

    asked: AgentBody
    request: Request
    response: Response


async def _told(
    inside: Dependencies, scope: Scope, exchange: _Exchange, *, flow: str
) -> dict[str, object] | StreamingResponse:
    """Return what a flow answered, with what it says besides; a stream where one is wanted."""
    request, wanted = exchange.request, exchange.asked.wanted(flow)
    begun = await inside.teller.begin(scope, wanted)
    if wants_stream(request, exchange.asked.stream):
        return inside.teller.stream(begun, wanted)
    answer = await inside.teller.whole(begun, request=request, response=exchange.response)
    steps = await _steps(inside, scope, answer)
    told = {"response": answer.answer, "trace_steps": steps, **answer.payload}
    return {**answer.model_dump(), **told}


async def _steps(inside: Dependencies, scope: Scope, answer: AnswerShape) -> list[TraceStepShape]:
    """Return the steps that were taken for an answer."""
    runs, run_id = inside.host.app.records.runs, RunId(answer.run_id)
    return steps_of(
        answer, trace_of(await runs.get(scope, run_id), await runs.events(scope, run_id))
    )
