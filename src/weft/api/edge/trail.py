"""What each route leaves in the audit log: said at the route, written here, with its outcome."""

from __future__ import annotations

import functools
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, cast

from fastapi import FastAPI
from fastapi.routing import APIRoute

from weft.domain.frozen import dataclass
from weft.platform.audit import audited
from weft.ports.records.audit import Deed

_NOTHING = "-"
_SLOT = re.compile(r"\{([\w.]+)\}")


Endpoint = TypeVar("Endpoint", bound=Callable[..., Awaitable[Any]])
Noting = Callable[[Any, Mapping[str, Any]], Mapping[str, object]]
_TRAIL = "weft_trail"


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteTrail:
    """What a call of a route is called in the log; `within` where what it calls writes the rows.

    A route that tells of nothing but the service itself leaves nothing, and says why.
    """

    action: str
    within: bool = False
    why_nothing: str = ""


def leaves(
    action: str, target: str, *, noting: Noting | None = None
) -> Callable[[Endpoint], Endpoint]:
    """Write an intent before the route and its outcome after it.

    `target` is filled with the route's arguments (`kb:{name}`); `noting` returns what the outcome
    says of the reply and the arguments: ids and numbers, never text.
    """

    def wrapped(endpoint: Endpoint) -> Endpoint:
        @functools.wraps(endpoint)
        async def acted(**given: Any) -> Any:
            audit = given["inside"].host.app.records.audit
            deed = Deed(action=action, target=_filled(target, given))
            async with audited(audit, given["scope"], deed) as act:
                reply = await endpoint(**given)
                if noting is not None:
                    act.note(**noting(reply, given))
            return reply

        setattr(acted, _TRAIL, RouteTrail(action=action))
        return cast(Endpoint, acted)

    return wrapped


def _filled(target: str, given: Mapping[str, Any]) -> str:
    """Return a target with its slots filled: of several names all, of what is not there a dash."""

    def value(slot: re.Match[str]) -> str:
        name, *rest = slot[1].split(".")
        found = given.get(name)
        for attribute in rest:
            found = getattr(found, attribute, None)
        said = ",".join(map(str, found)) if isinstance(found, list | tuple) else str(found or "")
        return said or _NOTHING

    return _SLOT.sub(value, target)


def leaves_within(action: str) -> Callable[[Endpoint], Endpoint]:
    """Say that what the route calls writes the rows of an action."""
    return _said(RouteTrail(action=action, within=True))


def leaves_nothing(why: str) -> Callable[[Endpoint], Endpoint]:
    """Say why a route leaves no row unless it is refused."""
    return _said(RouteTrail(action="", why_nothing=why))


def _said(trail: RouteTrail) -> Callable[[Endpoint], Endpoint]:
    def marked(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _TRAIL, trail)
        return endpoint

    return marked


def trail_of(endpoint: object) -> RouteTrail | None:
    """Return what the function behind a route said of itself, if it did."""
    return getattr(endpoint, _TRAIL, None)


def trails(app: FastAPI) -> dict[tuple[str, str], RouteTrail | None]:
    """Return what each route of the interface said, by method and path."""
    found: dict[tuple[str, str], RouteTrail | None] = {}
    routes = list(app.routes)
    while routes:
        route = routes.pop()
        if (included := getattr(route, "original_router", None)) is not None:
            routes += included.routes
        elif isinstance(route, APIRoute):
            found |= {
                (method, route.path): trail_of(route.endpoint) for method in route.methods or ()
            }
    return found
