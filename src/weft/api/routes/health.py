"""Is the process alive, can it answer, and with what?"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence

from fastapi import APIRouter, Response
from pydantic import BaseModel

from weft import __version__
from weft.api.dependencies import Inside, TenantsScope
from weft.api.edge.trail import leaves_nothing
from weft.api.host import Host
from weft.bases.readiness import readiness
from weft.domain.readiness import Readiness, State
from weft.flows.jobs import KIND as FLOW_JOBS
from weft.ingest.jobs.ingestion import KIND
from weft.platform.identity import local_owner
from weft.ports.records.jobs import JobStatus
from weft.ports.telemetry.tracing import TraceStanding

RETRY_SECONDS = "5"
# A file may be parsed for so long, and a document for as long again.
STILL_SECONDS = 180.0
LONG_SECONDS = 60.0  # in line while nothing runs: the worker looks every two seconds
_METERS = "text/plain; version=0.0.4; charset=utf-8"


class Live(BaseModel):
    """The process runs."""

    status: str = "ok"


class Ready(BaseModel):
    """Whether questions can be answered: `ready`, `degraded` or `blocked` with the reasons.

    Everyone may ask, so knowledge bases are counted by state and not named.
    """

    status: str
    reasons: list[str]
    knowledge_bases: dict[str, int]


class Component(BaseModel):
    """One part of the service: `ready`, `degraded`, `blocked` or `off`, and why."""

    name: str
    status: str
    reason: str = ""


class Running(BaseModel):
    """What this service is made of; nothing of what it holds."""

    status: str
    version: str
    python: str
    engine: str
    offline: bool
    embedder: bool
    components: list[Component]


class Batch(BaseModel):
    """Whether what is handed over is being read, and how much waits: numbers alone.

    `degraded` where something has waited for long or a job comes no further, `blocked` where nobody
    reads.
    """

    status: str
    reasons: list[str]
    queued: int
    running: int
    failed: int
    waited_s: float


router = APIRouter(tags=["health"])


@router.get("/health/live", summary="Is the process alive")
async def live() -> Live:
    """Say that the process runs."""
    return Live()


@router.get("/health/ready", summary="Can it answer")
async def ready(inside: Inside, response: Response) -> Ready:
    """Say whether questions can be answered, and what is missing for more."""
    app = inside.host.app
    found = await readiness(app.library, local_owner())
    counts = Counter(each.state for each in found)
    reasons = [*app.notes, *_reasons(found), *_stuck(inside.host)]
    state = State.DEGRADED if reasons else State.READY
    if found and counts[State.BLOCKED] == len(found):
        state = State.BLOCKED
        response.status_code = 503
        response.headers["Retry-After"] = RETRY_SECONDS
    return Ready(
        status=state.value,
        reasons=reasons,
        knowledge_bases={each.value: counts[each] for each in State},
    )


@router.get("/health/runtime", summary="What it runs on")
async def runtime(inside: Inside) -> Running:
    """Say what this service is made of."""
    app, parts = inside.host.app, await _components(inside.host)
    is_whole = all(one.status in {"ready", "off"} for one in parts)
    return Running(
        status="ready" if is_whole else "degraded",
        version=__version__,
        python=platform.python_version(),
        engine=app.settings.values.engine,
        offline=app.settings.values.model == "offline",
        embedder=app.embedder is not None,
        components=parts,
    )


@router.get("/health/batch", summary="Is the worker at work")
async def batch(inside: Inside, response: Response) -> Batch:
    """Say how many ingestions wait, run and have failed, and whether anybody works on them."""
    app = inside.host.app
    counts = await app.records.jobs.counts(local_owner(), kind=KIND)
    since = counts.waiting_since
    waited = 0.0 if since is None else (app.clock.now() - since).total_seconds()
    running = counts.statuses.get(JobStatus.RUNNING, 0)
    state, reasons = State.READY, list[str]()
    if not inside.host.line.worker.is_on:
        state, reasons = State.BLOCKED, ["the worker of this service has stopped"]
        response.status_code = 503
        response.headers["Retry-After"] = RETRY_SECONDS
    else:
        reasons = _stuck(inside.host)
        if waited > LONG_SECONDS and not running:
            reasons.append("what waits is not being read")
        state = State.DEGRADED if reasons else State.READY
    return Batch(
        status=state.value,
        reasons=reasons,
        queued=counts.statuses.get(JobStatus.QUEUED, 0),
        running=running,
        failed=counts.statuses.get(JobStatus.FAILED, 0),
        waited_s=round(max(waited, 0.0), 3),
    )


@router.get(
    "/metrics",
    summary="Meters for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
@leaves_nothing("counts what the service does, of no document and nobody")
async def metrics(inside: Inside, scope: TenantsScope) -> Response:
    """Show the meters of this service as Prometheus text, to the owner of the machine.

    They count what all tenants do.
    """
    del scope
    app = inside.host.app
    jobs = {
        (kind, status.value): count
        for kind, counts in (
            ("ingest", await app.records.jobs.counts(local_owner(), kind=KIND)),
            ("flow", await app.records.jobs.counts(local_owner(), kind=FLOW_JOBS)),
        )
        for status, count in counts.statuses.items()
    }
    found = Counter(each.state.value for each in await readiness(app.library, local_owner()))
    sent = [(one.standing.sent, one.standing.lost, one.standing.waiting) for one in app.traces]
    inside.meters.runs.stand(jobs, found, traces=sent[0] if sent else (0, 0, 0))
    return Response(inside.meters.shown(), media_type=_METERS)


async def _components(host: Host) -> list[Component]:
    """Return how each part of the service stands; of knowledge bases, how many are not ready."""
    app = host.app
    found = await readiness(app.library, local_owner())
    lame = _reasons(found)
    stuck = _stuck(host) if host.line.worker.is_on else ["the worker of this service has stopped"]
    by_choice = app.settings.values.embedder == "none"
    no_embedder = "off" if by_choice else State.DEGRADED.value
    model = app.settings.values.model
    records = app.settings.values.database_url.partition(":")[0] or "sqlite"
    return [
        Component(name="records", status=State.READY.value, reason=records),
        Component(
            name="knowledge_bases",
            status=_state_of(lame),
            reason="; ".join(lame) or f"{len(found)} ready",
        ),
        Component(
            name="embedder",
            status=no_embedder if app.embedder is None else State.READY.value,
            reason=" ".join(app.notes) if app.embedder is None else app.embedder.fingerprint,
        ),
        Component(
            name="model",
            status="off" if model == "offline" else State.READY.value,
            reason="rules fill every role" if model == "offline" else model,
        ),
        Component(name="engine", status=State.READY.value, reason=app.settings.values.engine),
        Component(name="worker", status=_state_of(stuck), reason="; ".join(stuck)),
        *(_traces(one.standing) for one in app.traces or ()),
    ] + ([] if app.traces else [Component(name="traces", status="off")])


def _traces(standing: TraceStanding) -> Component:
    counts = f"{standing.sent} runs sent, {standing.lost} lost"
    said = f"{standing.reason}; {counts}" if standing.reason else counts
    return Component(
        name="traces", status=_state_of([standing.reason][: bool(standing.reason)]), reason=said
    )


def _state_of(reasons: Sequence[str]) -> str:
    return (State.DEGRADED if reasons else State.READY).value


def _stuck(host: Host) -> list[str]:
    """Return in words how many ingestions of this service come no further, and for how long."""
    still = [seconds for seconds in host.line.ingestions.still_for if seconds > STILL_SECONDS]
    if not still:
        return []
    return [f"{len(still)} ingestions have come no further for {max(still):.0f} s"]


def _reasons(found: Sequence[Readiness]) -> list[str]:
    """Return in words how many knowledge bases are not ready, by the names of the errors."""
    kinds = Counter(
        (each.state, ", ".join(each.codes)) for each in found if each.state is not State.READY
    )
    return [f"{count} {state}: {codes}" for (state, codes), count in sorted(kinds.items())]
