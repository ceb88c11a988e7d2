"""Runs over HTTP: answers and ingestions alike, listed, watched, traced, cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from weft.api.dependencies import Inside, RunScope
from weft.api.edge.paging import Cursor, Limit, cursor_of, place_of
from weft.api.edge.streams import DESCRIBED, StreamEvent, streamed
from weft.api.edge.trail import leaves, leaves_within
from weft.api.host import Host, reading_rights
from weft.api.ingestion_events import ingestion_events
from weft.api.run_names import seen_names, veiled
from weft.api.shapes.budget import BudgetShape
from weft.api.shapes.runs import Kind, ProgressShape, RunShape
from weft.api.shapes.trace import Trace, trace_of
from weft.bootstrap.flows import build_steering
from weft.domain.errors import BadInput, NotFound
from weft.domain.event import TERMINAL, RunEvent
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.steering import RunSteering
from weft.ingest.jobs.ingestion import KIND, progress_of
from weft.platform.audit import audited
from weft.ports.records.audit import Deed
from weft.ports.records.jobs import Job, JobFilter
from weft.ports.records.runs import ENDED, Run, RunFilter

RunName = Annotated[str, Path(alias="id", max_length=100, description="The run.")]
LastEvent = Annotated[
    str, Header(alias="Last-Event-ID", max_length=20, description="The last event that came.")
]
_LOOK_SECONDS = 1.0
_UNTOLD = "It failed; why is told to those who see its knowledge base."


class RunPageShape(BaseModel):
    """A page of runs, the newest first; `next` asks for the following one."""

    items: list[RunShape]
    next: str


class EventShape(BaseModel):
    """One event of a run; documents are in `data` by their ids alone."""

    seq: int
    run_id: str
    ts: datetime
    type: str
    node: str
    parent: str
    sources: list[str]
    data: dict[str, object]


class RunStanding(BaseModel):
    """How a run or an ingestion stands after an order."""

    run_id: str
    status: str


class RunsWanted(BaseModel):
    """Which runs: of a kind, of a status, about a knowledge base."""

    kind: Kind = "answer"
    status: str = Field(default="", max_length=20)
    kb: str = Field(default="", max_length=100)


router = APIRouter(prefix="/v1/runs", tags=["runs"])


@router.get("", summary="List runs")
@leaves("run.list", "run:*")
async def listed(
    inside: Inside,
    scope: RunScope,
    *,
    wanted: Annotated[RunsWanted, Depends()],
    limit: Limit = 50,
    cursor: Cursor = "",
) -> RunPageShape:
    """List the caller's runs, the newest first; `kind=ingest` lists ingestions.

    The next page is asked for with the same filter; `next` is empty on the last.
    """
    shown = RunPresenter(inside.host)
    list_them = shown.jobs if wanted.kind == "ingest" else shown.answers
    return await list_them(scope, wanted, limit=limit, cursor=cursor)


@router.get("/{id}", summary="Show a run")
@leaves("run.read", "run:{run_id}")
async def show(inside: Inside, scope: RunScope, *, run_id: RunName) -> RunShape:
    """Show how a run stands; of an ingestion, how far it has come."""
    return await RunPresenter(inside.host).run(scope, run_id)


@router.get(
    "/{id}/events",
    summary="Watch a run",
    response_class=StreamingResponse,
    responses={200: {"content": DESCRIBED}},
)
@leaves("run.read", "run:{run_id}")
async def events(
    inside: Inside, scope: RunScope, *, run_id: RunName, last_event_id: LastEvent = ""
) -> StreamingResponse:
    """Stream a run's events from the first, or from after `Last-Event-ID`, to its end.

    An ingestion gives `progress` events, each with all that is known, and a last event.
    """
    if last_event_id and not (last_event_id.isascii() and last_event_id.isdigit()):
        raise BadInput("Last-Event-ID: it is not the id of an event.")
    shown, after = RunPresenter(inside.host), int(last_event_id or 0)
    found = await shown.run(scope, run_id)
    if found.kind == "ingest":
        clock = inside.host.app.clock
        told = ingestion_events(lambda: shown.run(scope, run_id), clock, after=after)
        return streamed(told, inside.host.meters)
    return streamed(shown.run_events(scope, RunId(run_id), after), inside.host.meters)


@router.get("/{id}/trace", summary="Show a run's steps")
@leaves("run.read", "run:{run_id}")
async def trace(inside: Inside, scope: RunScope, *, run_id: RunName) -> Trace:
    """Return a run's steps with their times, and the edges between them."""
    found = await inside.host.runs.get(scope, RunId(run_id))
    return trace_of(found, await RunPresenter(inside.host).seen(scope, found))


@router.post("/{id}/cancel", summary="Cancel a run")
@leaves_within("run.cancel")
async def cancel(
    inside: Inside, scope: RunScope, *, run_id: RunName, response: Response
) -> RunStanding:
    """Stop a run: its model call ends within two seconds. One that has ended stays as it is."""
    if inside.answerings.holds(scope, RunId(run_id)):
        deed = Deed(action="run.cancel", target=f"run:{run_id}", run_id=run_id)
        async with audited(inside.host.app.records.audit, scope, deed):
            await inside.answerings.cancel(scope, RunId(run_id))
    else:
        await _steering(inside).cancel(scope, run_id)
    return await _steered(inside, scope, run_id, response)


@router.post("/{id}/pause", summary="Pause a run")
@leaves_within("run.pause")
async def pause(
    inside: Inside, scope: RunScope, *, run_id: RunName, response: Response
) -> RunStanding:
    """Let a run stand still before its next step, or an ingestion within seconds."""
    await _steering(inside).pause(scope, run_id)
    return await _steered(inside, scope, run_id, response)


@router.post("/{id}/resume", status_code=202, summary="Go on with a run")
@leaves_within("run.resume")
async def resume(
    inside: Inside, scope: RunScope, *, run_id: RunName, response: Response
) -> RunStanding:
    """Put a run that stands still in line again; its rights are looked up anew."""
    if await _steering(inside).resumable(scope, run_id):
        await inside.host.line.flows.go_on(scope, RunId(run_id))
    inside.host.line.worker.ring()
    return await _steered(inside, scope, run_id, response)


@router.post("/{id}/budget", summary="Give a run more to spend")
@leaves_within("run.budget")
async def budget(
    inside: Inside, scope: RunScope, *, run_id: RunName, more: BudgetShape, response: Response
) -> RunStanding:
    """Raise what a run may spend: at once, or as soon as it goes on."""
    await _steering(inside).grant(scope, run_id, more.model_dump())
    return await _steered(inside, scope, run_id, response)


def _steering(inside: Inside) -> RunSteering:
    return build_steering(inside.host.app, runs=inside.host.runs)


async def _steered(inside: Inside, scope: Scope, run_id: str, response: Response) -> RunStanding:
    response.headers["X-Run-ID"] = run_id
    found = await RunPresenter(inside.host).run(scope, run_id)
    return RunStanding(run_id=run_id, status=found.status)


class RunPresenter:
    """Runs as they leave."""

    def __init__(self, host: Host) -> None:
        """Take the host of the service."""
        self._host = host

    async def run(self, scope: Scope, run_id: str) -> RunShape:
        """Return an answer's run or an ingestion, or raise `NotFound`."""
        bases = await seen_names(self._host.app.library, scope)
        try:
            return _of_run(await self._host.runs.get(scope, RunId(run_id)), bases)
        except NotFound as error:
            try:
                job = await self._host.app.records.jobs.get(scope, run_id)
                return self._of_job(job, scope, bases)
            except NotFound:
                raise error from None

    async def answers(
        self, scope: Scope, wanted: RunsWanted, *, limit: int, cursor: str
    ) -> RunPageShape:
        """Return a page of the answers' runs that match."""
        place, bases = place_of(cursor), await seen_names(self._host.app.library, scope)
        if wanted.kb and wanted.kb not in bases:
            return RunPageShape(items=[], next="")
        page = await self._host.runs.newest(
            scope,
            limit=limit,
            cursor=place,
            wanted=RunFilter(status=wanted.status, knowledge_base=wanted.kb),
        )
        items = [_of_run(run, bases) for run in page.runs]
        return RunPageShape(items=items, next=cursor_of(page.cursor))

    async def jobs(
        self, scope: Scope, wanted: RunsWanted, *, limit: int, cursor: str
    ) -> RunPageShape:
        """Return a page of the ingestions that match."""
        place, bases = place_of(cursor), await seen_names(self._host.app.library, scope)
        if wanted.kb and wanted.kb not in bases:
            return RunPageShape(items=[], next="")
        page = await self._host.app.records.jobs.page(
            scope,
            limit=limit,
            cursor=place,
            wanted=JobFilter(kind=f"{KIND}{wanted.kb}", status=wanted.status),
        )
        items = [self._of_job(job, scope, bases) for job in page.jobs]
        return RunPageShape(items=items, next=cursor_of(page.cursor))

    async def run_events(
        self, scope: Scope, run_id: RunId, after: int
    ) -> AsyncIterator[StreamEvent]:
        """Yield the stored events past `after`, then those to come, to the last."""
        runs = self._host.runs
        with runs.watching(run_id) as feed:
            while True:
                found = await runs.get(scope, run_id)
                has_ended = found.status in ENDED
                fresh = await self.seen(scope, found, after=after)
                for event in fresh:
                    after = event.seq
                    yield StreamEvent(event=str(event.type), data=_event(event), id=event.seq)
                if has_ended or _is_over(fresh):
                    return
                await _next_of(feed, _LOOK_SECONDS)

    async def seen(self, scope: Scope, run: Run, *, after: int = 0) -> list[RunEvent]:
        """Return a run's events; without data where what it read may not be read any more.

        Where a knowledge base that it was given is not seen any more, its name is not told either.
        """
        run_id = run.header.run_id
        found = await self._host.runs.events(scope, run_id, after_seq=after)
        if not found:
            return []
        if not await reading_rights(self._host).hold(scope, run_id):
            found = [replace(event, data={}) for event in found]
        bases = await seen_names(self._host.app.library, scope)
        return veiled(found, named=run.header.kb_refs, seen=bases)

    def _of_job(self, job: Job, scope: Scope, bases: frozenset[str]) -> RunShape:
        """Return an ingestion; which file is being read is told to whoever began it alone.

        Why one failed is not told where its knowledge base is not seen: the words may name it.
        """
        base = job.kind.removeprefix(KIND)
        is_seen = base in bases
        latest = self._host.line.ingestions.latest.get(job.id)
        report = job.result or job.progress
        progress = asdict(latest if latest is not None else progress_of(report))
        if job.owner.actor != scope.actor or not is_seen:
            progress["current"] = ""
        return RunShape(
            run_id=job.id,
            kind="ingest",
            status=str(job.status),
            flow="ingest",
            agent="ingest",
            question="",
            kb=[base] if is_seen else [],
            started=job.created,
            finished=job.finished,
            summary=dict(job.result),
            source_deleted=False,
            progress=ProgressShape(files_total=progress.pop("files"), **progress),
            error=job.error if is_seen or not job.error else _UNTOLD,
        )


async def _next_of(feed: asyncio.Queue[RunEvent], seconds: float) -> None:
    """Wait until something has happened, at most some seconds; take all that has."""
    try:
        await asyncio.wait_for(feed.get(), seconds)
    except TimeoutError:
        return
    while not feed.empty():
        feed.get_nowait()


def _is_over(events: Sequence[RunEvent]) -> bool:
    return bool(events) and events[-1].type in TERMINAL


def _of_run(run: Run, bases: frozenset[str]) -> RunShape:
    header = run.header
    return RunShape(
        run_id=header.run_id,
        kind="answer",
        status=str(run.status),
        flow=header.flow,
        agent=header.agent,
        question=header.preview,
        kb=[name for name in header.kb_refs if name in bases],
        started=header.started,
        finished=run.finished,
        summary=dict(run.summary),
        source_deleted=run.source_deleted,
    )


def _event(event: RunEvent) -> dict[str, object]:
    shape = EventShape(
        seq=event.seq,
        run_id=event.run_id,
        ts=event.ts,
        type=str(event.type),
        node=event.node,
        parent=event.parent,
        sources=list(event.sources),
        data=dict(event.data),
    )
    return shape.model_dump(mode="json")
