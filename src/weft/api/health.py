"""Is the process alive, can it answer, and with what?"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence

from fastapi import APIRouter, Response
from pydantic import BaseModel

from weft import __version__
from weft.api.parts import Inside, Watcher
from weft.domain.readiness import Readiness, State
from weft.ingest.readiness import readiness
from weft.platform.identity import local_owner

RETRY_SECONDS = "5"
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


class Running(BaseModel):
    """What this service is made of; nothing of what it holds."""

    status: str
    version: str
    python: str
    engine: str
    offline: bool
    embedder: bool


router = APIRouter(tags=["health"])


@router.get("/health/live", summary="Is the process alive")
async def live() -> Live:
    """Say that the process runs."""
    return Live()


@router.get("/health/ready", summary="Can it answer")
async def ready(inside: Inside, response: Response) -> Ready:
    """Say whether questions can be answered, and what is missing for more."""
    app = inside.house.app
    found = await readiness(app.library, local_owner())
    counts = Counter(each.state for each in found)
    reasons = [*app.notes, *_reasons(found)]
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
    app = inside.house.app
    return Running(
        status="degraded" if app.notes else "ready",
        version=__version__,
        python=platform.python_version(),
        engine=app.settings.values.engine,
        offline=app.settings.values.model == "offline",
        embedder=app.embedder is not None,
    )


@router.get(
    "/metrics",
    summary="Meters for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(inside: Inside, scope: Watcher) -> Response:
    """Show the meters of this service as Prometheus text."""
    return Response(inside.meters.shown(), media_type=_METERS)


def _reasons(found: Sequence[Readiness]) -> list[str]:
    """Return in words how many knowledge bases are not ready, by the names of the errors."""
    kinds = Counter(
        (each.state, ", ".join(each.codes)) for each in found if each.state is not State.READY
    )
    return [f"{count} {state}: {codes}" for (state, codes), count in sorted(kinds.items())]
