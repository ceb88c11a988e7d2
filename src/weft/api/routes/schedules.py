"""Schedules over HTTP: folders that the service reads again and again, and when."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from pathlib import Path as FilePath
from typing import Annotated

from fastapi import APIRouter, Path, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import Inside, ReadScope, SourceScope, WriteScope
from weft.api.edge.idempotency import IdempotencyKey
from weft.api.edge.trail import leaves
from weft.api.host import Host
from weft.api.routes.kb import BaseName
from weft.domain.errors import NotFound
from weft.domain.scope import Scope
from weft.ingest.jobs.ingestion import IngestRequest
from weft.ports.records.jobs import INGESTION
from weft.ports.records.schedules import MOST_SCHEDULES, NewSchedule, Schedule

ScheduleId = Annotated[
    str,
    Path(
        alias="schedule",
        max_length=100,
        description="The schedule, as the list names it.",
        examples=["0f3a9c5d7e1b2486"],
    ),
]


class NewScheduleBody(BaseModel):
    """A file or folder of the machine that the service runs on, and when it is read again.

    `cron` is minute, hour, day, month and weekday, by the clock of `zone`.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"path": "/srv/contracts", "cron": "0 3 * * *", "zone": "Europe/Berlin"}
        },
    )

    path: str = Field(min_length=1, max_length=4000, pattern=r"^[^\x00]+$")
    cron: str = Field(min_length=1, max_length=200)
    zone: str = Field(default="UTC", min_length=1, max_length=100)
    prune: bool = Field(default=False, description="Remove documents whose files are gone.")


class ScheduleShape(BaseModel):
    """A schedule as it stands.

    `last_run` is the run that it last began, `missed` how often the run before still went on.
    """

    id: str
    kb: str
    path: str
    cron: str
    zone: str
    prune: bool
    owner: str
    paused: bool
    created: datetime
    next: datetime
    last: datetime | None
    last_run: str
    last_status: str
    missed: int
    missed_last: datetime | None


class ScheduleList(BaseModel):
    """The schedules that the caller may see, what is due first at the front."""

    items: list[ScheduleShape] = Field(max_length=MOST_SCHEDULES)


def _made(reply: JSONResponse, _: object) -> Mapping[str, object]:
    return {"schedule": json.loads(bytes(reply.body))["id"]}


router = APIRouter(prefix="/v1/kb/{id}/sources/schedules", tags=["knowledge bases"])


@router.get("", summary="List schedules")
@leaves("schedule.list", "kb:{name}")
async def listed(inside: Inside, scope: ReadScope, *, name: BaseName) -> ScheduleList:
    """List one's own schedules of a knowledge base; with `job.manage`, those of everyone."""
    store = await inside.host.store(scope, name)
    found = await _listed(inside.host, scope, store.name)
    return ScheduleList(items=[_shape(each) for each in found])


@router.post(
    "",
    status_code=201,
    summary="Read a folder again and again",
    responses={201: {"model": ScheduleShape}},
)
@leaves("schedule.add", "kb:{name}", noting=_made)
async def add(
    inside: Inside,
    scope: SourceScope,
    *,
    name: BaseName,
    wanted: NewScheduleBody,
    idempotency_key: IdempotencyKey = "",
) -> JSONResponse:
    """Read a file or folder of the service's machine at set times, with what the caller may then.

    A time at which the run before still goes on is left out and counted; of times that passed
    while no service ran, one is made up for.
    """
    store = await inside.host.store(scope, name, to_fill=True)

    async def work() -> ScheduleShape:
        app = inside.host.app
        request = IngestRequest(path=FilePath(wanted.path), prune=wanted.prune)
        job = await app.ingest.again_and_again(scope, store, request=request)
        new = NewSchedule(cron=wanted.cron, zone=wanted.zone, job=job)
        return _shape(await app.records.schedules.add(scope, new))

    asked = f"schedule {store.name} {wanted.model_dump_json()}"
    return await inside.idempotency.make(scope, idempotency_key, asked=asked, status=201, work=work)


@router.post("/{schedule}/pause", summary="Pause a schedule")
@leaves("schedule.change", "schedule:{schedule}")
async def pause(
    inside: Inside, scope: WriteScope, *, name: BaseName, schedule: ScheduleId
) -> ScheduleShape:
    """Begin nothing at its times until it is resumed; a run that goes on ends as it would."""
    change = inside.host.app.records.schedules.pause
    return await _changed(inside.host, scope, change, base=name, schedule=schedule)


@router.post("/{schedule}/resume", summary="Resume a schedule")
@leaves("schedule.change", "schedule:{schedule}")
async def resume(
    inside: Inside, scope: WriteScope, *, name: BaseName, schedule: ScheduleId
) -> ScheduleShape:
    """Go on from its next time; what came while it was paused is left out."""
    change = inside.host.app.records.schedules.resume
    return await _changed(inside.host, scope, change, base=name, schedule=schedule)


@router.delete("/{schedule}", status_code=204, summary="Remove a schedule")
@leaves("schedule.remove", "schedule:{schedule}")
async def remove(
    inside: Inside, scope: WriteScope, *, name: BaseName, schedule: ScheduleId
) -> Response:
    """Forget a schedule; a run that it has begun goes on, and what was read stays."""
    await _named(inside.host, scope, name, schedule)
    await inside.host.app.records.schedules.remove(scope, schedule)
    return Response(status_code=204)


async def _changed(
    host: Host,
    scope: Scope,
    change: Callable[[Scope, str], Awaitable[None]],
    *,
    base: str,
    schedule: str,
) -> ScheduleShape:
    """Change a schedule of a knowledge base and return it as it stands then."""
    await _named(host, scope, base, schedule)
    await change(scope, schedule)
    return _shape(await _named(host, scope, base, schedule))


async def _listed(host: Host, scope: Scope, base: str) -> list[Schedule]:
    found = await host.app.records.schedules.listed(scope)
    return [each for each in found if each.kind == f"{INGESTION}{base}"]


async def _named(host: Host, scope: Scope, base: str, schedule: str) -> Schedule:
    """Return a schedule of a knowledge base, or raise `NotFound`, whichever is not there."""
    store = await host.store(scope, base)
    for each in await _listed(host, scope, store.name):
        if each.id == schedule:
            return each
    raise NotFound("There is no such schedule here that you may see.")


def _shape(each: Schedule) -> ScheduleShape:
    return ScheduleShape(
        id=each.id,
        kb=each.kind.removeprefix(INGESTION),
        path=str(each.args.get("root", "")),
        cron=each.cron,
        zone=each.zone,
        prune=bool(each.args.get("prune")),
        owner=each.owner.actor,
        paused=each.is_paused,
        created=each.created,
        next=each.next_at,
        last=each.last_at,
        last_run=each.last_job,
        last_status="" if each.last_status is None else str(each.last_status),
        missed=each.missed,
        missed_last=each.missed_at,
    )
