"""Is the process alive, can it answer, and with what?

Anybody may ask, so what is held is counted for those who are known alone, and as far as they may
read it: whoever counts what is hidden knows that it is there.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence

from fastapi import APIRouter, Response
from pydantic import BaseModel

from weft import __version__
from weft.api.dependencies import Anybody, Inside, TenantsScope
from weft.api.edge.trail import leaves_nothing
from weft.api.host import Host
from weft.bases.readiness import readiness
from weft.domain.frozen import dataclass
from weft.domain.readiness import Readiness, State
from weft.domain.scope import Scope
from weft.flows.jobs import KIND as FLOW_JOBS
from weft.ingest.jobs.ingestion import KIND
from weft.platform.access import authorize
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

    Knowledge bases that the caller may read are counted by state and not named; null where it is
    not known who asks, who is told of them only that none can be asked.
    """

    status: str
    reasons: list[str]
    knowledge_bases: dict[str, int] | None


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
    reads. The numbers are null for all but the owner of the machine: they count what everyone hands
    over.
    """

    status: str
    reasons: list[str]
    queued: int | None
    running: int | None
    failed: int | None
    waited_s: float | None


router = APIRouter(tags=["health"])


@router.get("/health/live", summary="Is the process alive")
async def live() -> Live:
    """Say that the process runs."""
    return Live()


@router.get("/health/ready", summary="Can it answer")
async def ready(inside: Inside, caller: Anybody, *, response: Response) -> Ready:
    """Say whether questions can be answered, and what is missing for more.

    503 where no knowledge base can be asked. With a token those that the caller may read are
    counted.
    """
    standing = await _bases(inside.host, caller)
    reasons = [*inside.host.app.notes, *standing.reasons, *_stuck(inside.host)]
    state = State.DEGRADED if reasons else State.READY
    if standing.is_blocked:
        state = State.BLOCKED
        response.status_code = 503
        response.headers["Retry-After"] = RETRY_SECONDS
    return Ready(
        status=state.value,
        reasons=reasons,
        knowledge_bases=standing.counts,
    )


@router.get("/health/runtime", summary="What it runs on")
async def runtime(inside: Inside, caller: Anybody) -> Running:
    """Say what this service is made of."""
    app, parts = inside.host.app, await _components(inside.host, caller)
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
async def batch(inside: Inside, caller: Anybody, *, response: Response) -> Batch:
    """Say whether anybody works on ingestions, and to the owner how many wait, run and failed."""
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
    told = _sees_all(caller)
    return Batch(
        status=state.value,
        reasons=reasons,
        queued=counts.statuses.get(JobStatus.QUEUED, 0) if told else None,
        running=running if told else None,
        failed=counts.statuses.get(JobStatus.FAILED, 0) if told else None,
        waited_s=round(max(waited, 0.0), 3) if told else None,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bases:
    """How knowledge bases stand, as far as a caller is told: None counts are not told at all."""

    counts: dict[str, int] | None
    reasons: list[str]
    is_blocked: bool


async def _bases(host: Host, caller: Scope | None) -> _Bases:
    """Return how those stand that a caller may read; to a stranger, whether any can be asked."""
    found = await readiness(host.app.library, caller or local_owner())
    counts = Counter(each.state for each in found)
    is_blocked = bool(found) and counts[State.BLOCKED] == len(found)
    if caller is None:
        reasons = ["no knowledge base can be asked"] if is_blocked else []
        return _Bases(counts=None, reasons=reasons, is_blocked=is_blocked)
    told = {each.value: counts[each] for each in State}
    return _Bases(counts=told, reasons=_reasons(found), is_blocked=is_blocked)


def _sees_all(caller: Scope | None) -> bool:
    """Tell whether a caller may know what everyone does here, as `/metrics` tells it."""
    return caller is not None and authorize(caller, "platform.tenants", "api").allowed


async def _components(host: Host, caller: Scope | None) -> list[Component]:
    """Return how each part of the service stands; of knowledge bases, how many are not ready."""
    app = host.app
    bases = await _bases(host, caller)
    count = "" if bases.counts is None else f"{sum(bases.counts.values())} ready"
    stuck = _stuck(host) if host.line.worker.is_on else ["the worker of this service has stopped"]
    by_choice = app.settings.values.embedder == "none"
    no_embedder = "off" if by_choice else State.DEGRADED.value
    model = app.settings.values.model
    records = app.settings.values.database_url.partition(":")[0] or "sqlite"
    return [
        Component(name="records", status=State.READY.value, reason=records),
        Component(
            name="knowledge_bases",
            status=_state_of(bases.reasons),
            reason="; ".join(bases.reasons) or count,
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
        *(_traces(one.standing, is_counted=_sees_all(caller)) for one in app.traces or ()),
    ] + ([] if app.traces else [Component(name="traces", status="off")])


def _traces(standing: TraceStanding, *, is_counted: bool) -> Component:
    counts = [f"{standing.sent} runs sent, {standing.lost} lost"] if is_counted else []
    faults = [standing.reason] if standing.reason else []
    return Component(name="traces", status=_state_of(faults), reason="; ".join([*faults, *counts]))


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
