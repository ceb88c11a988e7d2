"""The gate: every route says what it needs, and nobody comes in without it."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from weft.domain.errors import ConfigurationError, Forbidden, Unauthenticated
from weft.domain.scope import Scope
from weft.platform.access import require
from weft.platform.identity import local_owner

PUBLIC = frozenset(
    {"/", "/openapi.json", "/docs"}
    | {"/health/live", "/health/ready", "/health/runtime", "/health/batch"}
)
# Below these lies what the page consists of.
PUBLIC_FOLDERS = ("/assets/", "/page/")
COOKIE = "weft_key"
COOKIE_SECONDS = 30 * 24 * 3600
_DIGITS = 12
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_NEEDS = "weft_permission"


def token_of(home: Path) -> str:
    """Return the token that API clients send, made at first start and readable by its owner."""
    path = home / "token"
    if not path.exists():
        draft = path.with_name(f"token.{secrets.token_hex(4)}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(32), encoding="utf-8")
        draft.rename(path)
    return path.read_text(encoding="utf-8").strip()


class Gate:
    """Tells who is asking, by the bearer token or by the cookie that an invitation set."""

    def __init__(self, token: str) -> None:
        """Keep the one token of this workspace; cookies are signed with it."""
        self._token = token

    def caller(self, request: Request) -> Scope:
        """Return who sends a request.

        Raises `Unauthenticated`, and `Forbidden` where a page of another origin makes a browser
        send a change.
        """
        if given := request.headers.get("authorization"):
            kind, _, token = given.partition(" ")
            if kind.lower() == "bearer" and _equal(token.strip(), self._token):
                return local_owner()
            raise Unauthenticated
        if not self._is_signed(request.cookies.get(COOKIE, "")):
            raise Unauthenticated
        if request.method not in _SAFE and not _is_own_page(request):
            raise Forbidden("A change must come from this service's own page.")
        return local_owner()

    def cookie(self) -> str:
        """Return the value of a cookie that is good for thirty days."""
        until = str(int(time.time()) + COOKIE_SECONDS)
        nonce = secrets.token_hex(8)
        return f"{until}.{nonce}.{self._sign(f'{until}.{nonce}')}"

    def _is_signed(self, cookie: str) -> bool:
        said, _, mac = cookie.rpartition(".")
        until = said.partition(".")[0]
        is_time = len(until) <= _DIGITS and until.isascii() and until.isdigit()
        in_time = is_time and int(until) > time.time()
        return in_time and _equal(mac, self._sign(said))

    def _sign(self, said: str) -> str:
        return hmac.new(self._token.encode(), f"cookie:{said}".encode(), sha256).hexdigest()


def needs(permission: str) -> Callable[..., Scope]:
    """Return a dependency that lets through whoever has a permission, as a scope.

    The gate is that of the application which the request came to.
    """

    def scope(request: Request) -> Scope:
        gate: Gate = request.app.state.gate
        caller = gate.caller(request)
        require(caller, permission, "api")
        return caller

    setattr(scope, _NEEDS, permission)
    return scope


def _equal(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode(), known.encode())


def _is_own_page(request: Request) -> bool:
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
