"""The gate: every route says what it needs, and nobody comes in without it."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from fastapi import FastAPI, Header
from fastapi.routing import APIRoute

from weft.domain.errors import ConfigurationError, Unauthenticated
from weft.domain.scope import Scope
from weft.platform.access import require
from weft.platform.identity import local_owner

PUBLIC = frozenset({"/health/live", "/health/ready", "/openapi.json", "/docs"})
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
    """Tells who is asking by the bearer token."""

    def __init__(self, token: str) -> None:
        """Keep the one token of this workspace."""
        self._token = token

    def needs(self, permission: str) -> Callable[..., Scope]:
        """Return a dependency that lets through whoever has a permission, as a scope."""

        def scope(authorization: Annotated[str, Header()] = "") -> Scope:
            kind, _, given = authorization.partition(" ")
            known = hmac.compare_digest(given.encode(), self._token.encode())
            if kind.lower() != "bearer" or not known:
                raise Unauthenticated
            caller = local_owner()
            require(caller, permission, "api")
            return caller

        setattr(scope, _NEEDS, permission)
        return scope


def check_routes(app: FastAPI) -> None:
    """Raise `ConfigurationError` naming a route that is not public and asks for nothing."""
    for route in app.routes:
        if not isinstance(route, APIRoute) or route.path in PUBLIC:
            continue
        calls = [dependency.call for dependency in route.dependant.dependencies]
        if not any(getattr(call, _NEEDS, "") for call in calls):
            raise ConfigurationError(f"The route {route.path} declares no permission.")
