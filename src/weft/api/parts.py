"""The parts of the service, as a route asks for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request

from weft.api.answering import Answerings
from weft.api.gate import Gate, needs
from weft.api.house import House
from weft.api.meters import Meters
from weft.api.once import Once
from weft.api.replying import Teller
from weft.api.searching import Searcher
from weft.api.seats import Seats
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
