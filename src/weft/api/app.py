"""The HTTP application: its routes, its gate, its errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from weft import __version__
from weft.api.dependencies import Dependencies
from weft.api.edge.gate import Gate, check_routes, token_of
from weft.api.edge.idempotency import Idempotency
from weft.api.edge.metrics import Meters
from weft.api.edge.middleware import MAX_BODY, RequestMiddleware
from weft.api.edge.problems import add_problems
from weft.api.edge.rates import RateSettings, RequestRates
from weft.api.edge.refusals import Refusals
from weft.api.edge.request_sessions import RequestSessions
from weft.api.edge.uploads import remove_old_uploads
from weft.api.host import Host
from weft.api.replies import Teller
from weft.api.routes import (
    agents,
    ask,
    chat,
    documents,
    graph,
    health,
    kb,
    ledger,
    originals,
    page,
    reference,
    replay,
    research,
    runs,
    schedules,
    search,
    sessions,
    sign_in,
    sign_out,
)
from weft.api.routes.admin import audit, keys, people, usage
from weft.api.routes.openai import asked, completions, embeddings, responses
from weft.api.routes.platform import chat as platform_chat
from weft.api.routes.platform import debate, indexes, run_agent
from weft.api.routes.platform import ingest as platform_ingest
from weft.api.runs_underway import Answerings
from weft.api.searches import Searcher
from weft.api.shapes.openapi import add_reference
from weft.api.suggesting import Suggester
from weft.bootstrap.app import Settings, SystemClock, load_settings
from weft.bootstrap.logs import logs_of
from weft.bootstrap.people import MemoryRates
from weft.platform.people.browser_sessions import BrowserSessions
from weft.platform.workspace import open_workspace

_DESCRIPTION = (
    "Every error is a problem document (RFC 9457) with a stable `code` and the `request_id` that "
    "is in `X-Request-ID` too. Send the token that lies in the workspace as a bearer token."
)

# Those whose bodies are no larger than `MAX_BODY`, in the order in which the reference shows them.
_ROOMS = (
    originals,
    ledger,
    health,
    agents,
    ask,
    chat,
    asked,
    completions,
    responses,
    embeddings,
    search,
    documents,
    schedules,
    kb,
    graph,
    runs,
    replay,
    sessions,
    run_agent,
    debate,
    research,
    platform_chat,
    indexes,
    platform_ingest,
    sign_out,
    sign_in,
    people,
    keys,
    audit,
    usage,
)


def create() -> FastAPI:
    """Return the application of the workspace that the environment names."""
    return build(load_settings())


def build(settings: Settings) -> FastAPI:
    """Return the application; raises `ConfigurationError` if a route declares no permission."""
    open_workspace(settings.home)
    logs = logs_of(settings)
    meters, token = Meters(logs), token_of(settings.home)
    host = Host(settings, meters, logs=logs)
    browsers = BrowserSessions(settings.home, token)
    gate = Gate(
        token,
        browsers,
        principals=lambda: host.app.principals,
        tokens=lambda: host.app.tokens,
    )
    answerings = Answerings(host)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await host.open()
        await asyncio.to_thread(remove_old_uploads, settings.home)
        try:
            yield
        finally:
            await answerings.close()
            await host.close()

    api = FastAPI(
        title="Weft",
        version=__version__,
        summary="Answers with evidence anyone can check.",
        description=_DESCRIPTION,
        lifespan=lifespan,
        # What FastAPI would serve there loads scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
    )
    inside = _dependencies(host, gate, answerings=answerings)
    api.state.gate, api.state.rates, api.state.dependencies = gate, inside.rates, inside
    api.state.refusals = Refusals(lambda: host.app.records.audit, SystemClock())
    for room in _ROOMS:
        api.include_router(room.router, max_body_size=MAX_BODY)
    for shown in (page, reference):
        api.include_router(shown.router)
    add_problems(api)
    add_reference(api)
    api.add_middleware(RequestMiddleware, gate=gate, home=settings.home, meters=meters)
    check_routes(api)
    return api


def _dependencies(host: Host, gate: Gate, *, answerings: Answerings) -> Dependencies:
    values = host.settings.values
    rates = RateSettings(tenant=values.rate_tenant, user=values.rate_user, key=values.rate_key)
    return Dependencies(
        host=host,
        gate=gate,
        rates=RequestRates(MemoryRates(), rates),
        answerings=answerings,
        teller=Teller(host, answerings, conversations=lambda: host.app.records.conversations),
        searcher=Searcher(host),
        suggester=Suggester(host),
        request_sessions=RequestSessions(
            lambda: host.app.records.sessions, lambda: host.app.records.conversations
        ),
        idempotency=Idempotency(lambda: host.app.records.replies),
        meters=host.meters,
    )
