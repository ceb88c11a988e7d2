"""Research over HTTP: begun as a job, watched as any run, its report read when it is there."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from weft.agents.researching import ResearchMode
from weft.api.dependencies import AskScope, Dependencies, Inside, RunScope
from weft.api.edge.idempotency import IdempotencyKey
from weft.api.edge.trail import leaves, leaves_within
from weft.api.host import reading_rights
from weft.api.shapes.budget import BudgetShape
from weft.domain.answer import Outcome
from weft.domain.errors import NotFound
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.asking import Asking, checked_question
from weft.flows.kept import KeptReport, KeptReports
from weft.platform.audit import audited
from weft.ports.records.audit import Deed

FLOW = "research"
RunName = Annotated[str, Path(alias="id", max_length=100, description="The run.")]
Form = Annotated[
    Literal["json", "markdown", "html"],
    Query(alias="format", description="JSON, or the report alone as Markdown or as a page."),
]
_NO_SCRIPTS = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
router = APIRouter(prefix="/v1/research", tags=["answers"])


class ResearchBody(BaseModel):
    """A question to be looked into; without a mode it is as the question has it."""

    model_config = ConfigDict(extra="forbid")

    query: str = Field(min_length=1, max_length=2000)
    kb: list[str] = Field(default_factory=list, max_length=100)
    mode: ResearchMode | None = None
    budget: BudgetShape | None = None


class ResearchBegun(BaseModel):
    """The run that looks into it: watched, paused, cancelled and given more as any run."""

    run_id: str
    status: str = "queued"


class ResearchShape(BaseModel):
    """A report, its Markdown and its HTML, and the turns that it took.

    Without a report `why_not` says why: running, ended, source_deleted or not_readable. With one
    `outcome` is `answered`, `nearest` or `nothing`, as of every answer.
    """

    run_id: str
    status: str
    why_not: str = ""
    outcome: Outcome | None = None
    report: dict[str, Any] | None = None
    iterations: list[dict[str, Any]] = Field(default_factory=list)
    markdown: str = ""
    html: str = ""


@router.post(
    "",
    status_code=202,
    summary="Have a question looked into; a report is written",
    responses={202: {"model": ResearchBegun}},
)
@leaves_within("ask.queue")
async def begin(
    inside: Inside, scope: AskScope, *, asked: ResearchBody, idempotency_key: IdempotencyKey = ""
) -> JSONResponse:
    """Put the question in line. `GET /v1/runs/{id}/events` tells how far it is."""

    async def work() -> ResearchBegun:
        return await _begun(inside, scope, asked)

    words = f"research {asked.model_dump_json()}"
    return await inside.idempotency.make(scope, idempotency_key, asked=words, status=202, work=work)


@router.get("/{id}", summary="Read a report", response_model=ResearchShape)
@leaves("run.read", "run:{run_id}")
async def read(
    inside: Inside, scope: RunScope, *, run_id: RunName, form: Form = "json"
) -> ResearchShape | Response:
    """Return the report of a run, as long as whoever asks may read all that it read."""
    host = inside.host
    kept = KeptReports(host.runs, host.app.records.tape, rights=reading_rights(host))
    found = await kept.read(scope, RunId(run_id))
    if form == "json":
        return _shape(run_id, found)
    if found.payload is None:
        raise NotFound(f"There is no report to be read: {found.why_not}.", why_not=found.why_not)
    kind = "text/markdown" if form == "markdown" else "text/html"
    headers = {"Content-Security-Policy": _NO_SCRIPTS}
    return Response(str(found.payload[form]), media_type=f"{kind}; charset=utf-8", headers=headers)


def _shape(run_id: str, found: KeptReport) -> ResearchShape:
    held = dict(found.payload or {})
    return ResearchShape.model_validate(
        {"run_id": run_id, "status": found.status, "why_not": found.why_not, **held}
    )


async def _begun(inside: Dependencies, scope: Scope, asked: ResearchBody) -> ResearchBegun:
    question = checked_question(asked.query)
    reached = await inside.host.reach(scope, asked.kb)
    asking = Asking(
        question=question,
        knowledge_bases=reached.names,
        flow=FLOW,
        limits=None if asked.budget is None else asked.budget.limits(),
        mode="" if asked.mode is None else asked.mode.value,
        names_none=not asked.kb,
    )
    deed = Deed(action="ask.queue", target=f"kb:{','.join(reached.names) or '-'}")
    async with audited(inside.host.app.records.audit, scope, deed):
        return ResearchBegun(run_id=await inside.host.line.flows.submit(scope, asking))
