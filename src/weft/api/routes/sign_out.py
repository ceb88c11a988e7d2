"""`POST /v1/sign-out`: a browser's session ends, or all of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from weft.api.dependencies import Inside, MeScope
from weft.api.edge.request_sessions import SESSION
from weft.api.edge.trail import leaves

router = APIRouter(tags=["access"])
Everywhere = Annotated[bool, Query(alias="all", description="Of every browser, not this one only.")]


@router.post("/v1/sign-out", status_code=204, summary="Sign out")
@leaves("session.sign_out", "{scope.actor}")
async def sign_out(
    inside: Inside, scope: MeScope, *, request: Request, everywhere: Everywhere = False
) -> Response:
    """End the session of the browser that asks, or of all browsers.

    Whatever copy of it there is lets nobody in any more. The token that programs send stays.
    """
    del scope
    inside.gate.sign_out(request, everywhere=everywhere)
    response = Response(status_code=204)
    for name in (inside.gate.cookie_name(request.scope), SESSION):
        response.delete_cookie(name, httponly=True, samesite="lax")
    return response
