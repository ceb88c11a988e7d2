"""What was used, and what a run will take, over HTTP."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, BaseModel, Field

from weft.api.dependencies import AskScope, Inside, UsageScope
from weft.api.edge.trail import leaves_nothing, leaves_within
from weft.domain.errors import BadInput
from weft.platform.trail.usage_reading import read_usage, sheet_data
from weft.ports.records.usage import UsageBy, UsageFilter, UsualRun

router = APIRouter(tags=["admin"])
By = Annotated[UsageBy, Query(description="What is added up together; a day is one of UTC.")]
Since = Annotated[AwareDatetime | None, Query(description="From this time on, with its zone.")]
Until = Annotated[AwareDatetime | None, Query(description="Before this time, with its zone.")]
FlowName = Annotated[str, Query(max_length=100, description="A flow; by default the first.")]


class UsageSumsShape(BaseModel):
    """What was used under one key; dollars, milliseconds of whole runs, shares from 0 to 1."""

    key: str
    runs: int
    questions: int
    ended: dict[str, int]
    hit_rate: float | None
    citation_rate: float | None
    model_calls: int
    failed_calls: int
    tokens: int
    input_tokens: int
    output_tokens: int
    money: str = Field(description="Dollars; of calls at an unknown price nothing.")
    unpriced: int = Field(description="Replies whose price is not known.")
    p50_ms: float | None
    p95_ms: float | None


class ToolSumsShape(BaseModel):
    """The calls of one tool."""

    tool: str
    calls: int
    failed: int
    timed_out: int
    rejected: int
    p50_ms: float | None
    p95_ms: float | None


class UsageSheetShape(BaseModel):
    """What the tenant used: everything, by what was asked for, and its tools."""

    total: UsageSumsShape
    rows: list[UsageSumsShape]
    tools: list[ToolSumsShape]


class UsualShape(BaseModel):
    """What the last hundred such runs took: the median, and what 95 of 100 stay within."""

    runs: int
    tokens_p50: int
    tokens_p95: int
    money_p50: str | None
    money_p95: str | None


class EstimateShape(BaseModel):
    """What a run will take; the most is null where nothing limits it or no price is known."""

    flow: str
    model: str
    usual: UsualShape | None
    most_tokens: int | None
    most_money: str | None


@router.get("/v1/admin/usage", summary="What was used, by model, user, flow, agent or day")
@leaves_within("usage.read")
async def used(
    inside: Inside,
    scope: UsageScope,
    *,
    by: By = UsageBy.DAY,
    since: Since = None,
    until: Until = None,
) -> UsageSheetShape:
    """Return the sums of the caller's tenant."""
    if since is not None and until is not None and until <= since:
        raise BadInput("`until` is not after `since`.", since=since, until=until)
    records = inside.host.app.records
    wanted = UsageFilter(since=since, until=until)
    sheet = await read_usage(records.usage, records.audit, scope, wanted=wanted, by=by)
    return UsageSheetShape.model_validate(sheet_data(sheet))


@router.get("/v1/estimate", summary="What a run will take, before it begins", tags=["runs"])
@leaves_nothing("tells what runs took in general, of no document and nobody")
async def estimate(inside: Inside, scope: AskScope, flow: FlowName = "") -> EstimateShape:
    """Return what a run of a flow will take with the configured model."""
    found = await inside.host.flows.estimate(scope, flow)
    return EstimateShape(
        flow=found.flow,
        model=found.model,
        usual=_usual(found.usual) if found.usual is not None else None,
        most_tokens=found.most_tokens,
        most_money=_text(found.most_money),
    )


def _usual(usual: UsualRun) -> UsualShape:
    money = usual.money or (None, None)
    return UsualShape(
        runs=usual.runs,
        tokens_p50=usual.tokens[0],
        tokens_p95=usual.tokens[1],
        money_p50=_text(money[0]),
        money_p95=_text(money[1]),
    )


def _text(money: Decimal | None) -> str | None:
    return None if money is None else format(money.normalize(), "f")
