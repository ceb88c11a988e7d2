"""The parts of the service, as a route asks for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request

from weft.api.edge.gate import Gate, needs
from weft.api.edge.idempotency import Once
from weft.api.edge.metrics import Meters
from weft.api.edge.request_sessions import Seats
from weft.api.host import House
from weft.api.replies import Teller
from weft.api.runs_underway import Answerings
from weft.api.searches import Searcher
from weft.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """All that routes work with; one of each a service."""

    house: House
    gate: Gate
    answerings: Answerings
    teller: Teller
    searcher: Searcher
    seats: Seats
    once: Once
    meters: Meters


def parts_of(request: Request) -> Parts:
    """Return the parts of the service that a request came to."""
    return cast(Parts, request.app.state.parts)


Inside = Annotated[Parts, Depends(parts_of)]
# Who asks, once it is known that this may be asked at all.
Asker = Annotated[Scope, Depends(needs("ask"))]
Reader = Annotated[Scope, Depends(needs("kb.read"))]
Writer = Annotated[Scope, Depends(needs("kb.write"))]
Keeper = Annotated[Scope, Depends(needs("kb.admin"))]
Watcher = Annotated[Scope, Depends(needs("run.read"))]
