"""Is the process alive, can it answer, and with what?"""

from __future__ import annotations

import platform

from fastapi import APIRouter, Response
from pydantic import BaseModel

from weft import __version__
from weft.api.parts import Inside, Watcher
from weft.platform.identity import local_owner

_METERS = "text/plain; version=0.0.4; charset=utf-8"


class Live(BaseModel):
    """The process runs."""

    status: str = "ok"


class Ready(BaseModel):
    """Whether questions can be answered: `ready`, or `degraded` with the reasons."""

    status: str
    reasons: list[str]


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
async def ready(inside: Inside) -> Ready:
    """Say whether questions can be answered, and what is missing for more."""
    await inside.house.app.library.listed(local_owner())
    notes = inside.house.app.notes
    return Ready(status="degraded" if notes else "ready", reasons=list(notes))


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
