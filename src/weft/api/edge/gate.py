"""The gate: every route says what it needs, and nobody comes in without it."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from weft.domain.errors import ConfigurationError, Forbidden, Unauthenticated
from weft.domain.scope import Scope
from weft.platform.access import require
from weft.platform.identity import local_owner
from weft.platform.people.api_keys import id_of
from weft.platform.people.browser_sessions import LIFE_SECONDS, BrowserSession, BrowserSessions
from weft.platform.people.principals import Caller, Principals
from weft.platform.workspace import unusable
from weft.ports.tokens import BearerTokens

PUBLIC = frozenset(
    {"/", "/openapi.json", "/docs", "/v1/sign-in"}
    | {"/health/live", "/health/ready", "/health/runtime", "/health/batch"}
)
# Below these lies what the page consists of.
PUBLIC_FOLDERS = ("/assets/", "/page/")
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_NEEDS = "weft_permission"
# What a route asks for that is open to everybody who is known.
KNOWN = "known"


def token_of(home: Path) -> str:
    """Return the token that API clients send, made at first start and readable by its owner.

    Raises `StoreUnavailable` where the workspace cannot be used for that.
    """
    path = home / "token"
    try:
        if not path.exists():
            draft = path.with_name(f"token.{secrets.token_hex(4)}")
            draft.touch(mode=0o600)
            draft.write_text(secrets.token_urlsafe(32), encoding="utf-8")
            draft.rename(path)
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise unusable(home, error) from error


class Gate:
    """Tells who is asking: by the workspace's token, a key, a signed token, or a cookie."""

    def __init__(
        self,
        token: str,
        browsers: BrowserSessions,
        *,
        principals: Callable[[], Principals],
        tokens: Callable[[], BearerTokens | None] = lambda: None,
    ) -> None:
        """Keep what callers are known by; `principals` are there once the service is open."""
        self._token = token
        self._browsers = browsers
        self._principals = principals
        self._tokens = tokens

    async def caller(self, request: Request) -> Caller:
        """Return who sends a request.

        Raises `Unauthenticated`, and `Forbidden` where a page of another origin makes a browser
        send a change.
        """
        if given := [one for one in request.headers.getlist("authorization") if one]:
            # Of two, another program on the way here may have looked at the other one.
            kind, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
            found = await self._bearer(token.strip()) if kind.lower() == "bearer" else None
            if found is None:
                raise Unauthenticated
            return found
        session = self._session(request)
        if session is None:
            raise Unauthenticated
        scope = await self._principals().of_user(session.tenant, session.user)
        if scope is None:
            raise Unauthenticated
        if request.method not in _SAFE and not is_own_page(request):
            raise Forbidden("A change must come from this service's own page.")
        return Caller(scope=scope)

    async def still(self, caller: Caller) -> bool:
        """Tell whether a caller who was let in has all the rights it came with."""
        return await self._principals().still(caller)

    async def _bearer(self, token: str) -> Caller | None:
        if _equal(token, self._token):
            return Caller(scope=local_owner())
        if id_of(token):
            return await self._principals().of_key(token)
        tokens = self._tokens()
        if tokens is None or token.count(".") != 2:
            return None
        claims = await tokens.claims(token)
        scope = await self._principals().of_token(
            claims.tenant, claims.subject, groups=claims.groups
        )
        if scope is None:
            return None
        return Caller(scope=scope, groups=claims.groups, until=claims.expires)

    def cookie_name(self, scope: Mapping[str, Any]) -> str:
        """Return the name of the cookie of the service that a request came to."""
        return self._browsers.name(_port(scope))

    def let_in(
        self, scope: Mapping[str, Any], response: Response, *, tenant: str, user: str
    ) -> None:
        """Give the browser that a response goes to a session of somebody."""
        self._keep(scope, response, self._browsers.begin(_port(scope), tenant=tenant, user=user))

    def is_in_use(self, scope: Mapping[str, Any]) -> bool:
        """Tell whether the browser that sends a request has a session already."""
        return self._session(Request(dict(scope))) is not None

    def renewal(self, scope: Mapping[str, Any]) -> str:
        """Return the header that lets a browser's session go on; empty where none is due."""
        request = Request(dict(scope))
        session = self._session(request)
        value = session and self._browsers.renewed(session, _port(scope))
        if not value:
            return ""
        response = Response()
        self._keep(scope, response, value)
        return response.headers["set-cookie"]

    def sign_out(self, request: Request, *, everywhere: bool) -> None:
        """End the session of the browser that asks, or all of that person's."""
        session = self._session(request)
        if session is None:
            return
        if everywhere:
            self._browsers.end_all_of(session.tenant, session.user)
        else:
            self._browsers.end(session)

    def end_all_of(self, tenant: str, user: str) -> None:
        """End every session of somebody."""
        self._browsers.end_all_of(tenant, user)

    def _session(self, request: Request) -> BrowserSession | None:
        given = request.cookies.get(self.cookie_name(request.scope), "")
        return self._browsers.read(given, _port(request.scope)) if given else None

    def _keep(self, scope: Mapping[str, Any], response: Response, value: str) -> None:
        response.set_cookie(
            self.cookie_name(scope),
            value,
            max_age=LIFE_SECONDS,
            httponly=True,
            samesite="lax",
            secure=scope.get("scheme") == "https",
        )


def needs(permission: str) -> Callable[..., Awaitable[Scope]]:
    """Return a dependency that lets through whoever has a permission, as a scope.

    The gate is that of the application which the request came to.
    """

    async def scope(request: Request) -> Scope:
        gate: Gate = request.app.state.gate
        caller = await gate.caller(request)
        await request.app.state.rates.check(caller)
        if permission != KNOWN:
            require(caller.scope, permission, "api")
        request.state.caller = caller
        return caller.scope

    setattr(scope, _NEEDS, permission)
    return scope


async def perhaps_known(request: Request) -> Scope | None:
    """Return who sends a request that needs nobody to be known; None where that is not known."""
    gate: Gate = request.app.state.gate
    try:
        return (await gate.caller(request)).scope
    except (Unauthenticated, Forbidden):
        return None


def _port(scope: Mapping[str, Any]) -> int:
    """Return the port that a request came to, 0 where the server has none."""
    _, port = scope.get("server") or ("", 0)
    return int(port or 0)


def _equal(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode(), known.encode())


def is_own_page(request: Request) -> bool:
    """Tell whether a browser says that the request comes from a page of this very address."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc == request.headers.get("host")


def check_routes(app: FastAPI) -> None:
    """Raise `ConfigurationError` naming a route that is not public and asks for nothing."""
    for route in _all(app.routes):
        path = getattr(route, "path", "")
        if path in PUBLIC or path.startswith(PUBLIC_FOLDERS):
            continue
        of_route = route.dependant.dependencies if isinstance(route, APIRoute) else []
        calls = [dependency.call for dependency in of_route]
        if not any(getattr(call, _NEEDS, "") for call in calls):
            raise ConfigurationError(f"The route {path} declares no permission.")


def _all(routes: Sequence[BaseRoute]) -> list[BaseRoute]:
    """Return routes, in place of each included router its own."""
    found: list[BaseRoute] = []
    for route in routes:
        included = getattr(route, "original_router", None)
        found += [route] if included is None else _all(included.routes)
    return found
