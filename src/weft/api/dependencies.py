"""The parts of the service, as a route asks for them."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Request

from weft.api.edge.gate import KNOWN, Gate, needs, perhaps_known
from weft.api.edge.idempotency import Idempotency
from weft.api.edge.metrics import Meters
from weft.api.edge.rates import RequestRates
from weft.api.edge.request_sessions import RequestSessions
from weft.api.host import Host
from weft.api.replies import Teller
from weft.api.runs_underway import Answerings
from weft.api.searches import Searcher
from weft.api.suggesting import Suggester
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """All that routes work with; one of each a service."""

    host: Host
    gate: Gate
    rates: RequestRates
    answerings: Answerings
    teller: Teller
    searcher: Searcher
    suggester: Suggester
    request_sessions: RequestSessions
    idempotency: Idempotency
    meters: Meters


def dependencies_of(request: Request) -> Dependencies:
    """Return the parts of the service that a request came to."""
    return cast(Dependencies, request.app.state.dependencies)


Inside = Annotated[Dependencies, Depends(dependencies_of)]
# Who asks, once it is known that this may be asked at all.
AskScope = Annotated[Scope, Depends(needs("ask"))]
ReadScope = Annotated[Scope, Depends(needs("kb.read"))]
WriteScope = Annotated[Scope, Depends(needs("kb.write"))]
AdminScope = Annotated[Scope, Depends(needs("kb.admin"))]
SourceScope = Annotated[Scope, Depends(needs("kb.source"))]
RunScope = Annotated[Scope, Depends(needs("run.read"))]
AuditScope = Annotated[Scope, Depends(needs("audit.read"))]
UsageScope = Annotated[Scope, Depends(needs("usage.read"))]
MeScope = Annotated[Scope, Depends(needs(KNOWN))]
UsersScope = Annotated[Scope, Depends(needs("admin.users"))]
GroupsScope = Annotated[Scope, Depends(needs("admin.groups"))]
RolesScope = Annotated[Scope, Depends(needs("admin.roles"))]
KeysScope = Annotated[Scope, Depends(needs("admin.keys"))]
# Who asks what anybody may ask; None where that is not known.
Anybody = Annotated[Scope | None, Depends(perhaps_known)]
TenantsScope = Annotated[Scope, Depends(needs("platform.tenants"))]
