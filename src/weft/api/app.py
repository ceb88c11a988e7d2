"""The HTTP application: its routes, its gate, its errors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from weft import __version__
from weft.api.ask import questions
from weft.api.gate import Gate, check_routes, token_of
from weft.api.health import health
from weft.api.house import House
from weft.api.problems import add_problems
from weft.bootstrap import Settings, load_settings


def create() -> FastAPI:
    """Return the application of the workspace that the environment names."""
    return build(load_settings())


def build(settings: Settings) -> FastAPI:
    """Return the application; raises `ConfigurationError` if a route declares no permission."""
    house = House(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await house.open()
        try:
            yield
        finally:
            await house.close()

    api = FastAPI(
        title="Weft",
        version=__version__,
        summary="Answers with evidence anyone can check.",
        lifespan=lifespan,
    )
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    gate = Gate(token_of(settings.home))
    api.include_router(health(house))
    api.include_router(questions(house, gate))
    add_problems(api)
    check_routes(api)
    return api
