"""`POST /v1/sign-in`: a person with a password gets a session in the browser; `GET /v1/me`."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import Inside, MeScope
from weft.api.edge.gate import is_own_page
from weft.api.edge.trail import leaves_nothing, leaves_within
from weft.domain.errors import Forbidden, Unauthenticated
from weft.platform.identity import LOCAL_TENANT, OWNER_NAME

router = APIRouter(tags=["access"])


class SignInBody(BaseModel):
    """Who signs in; without a tenant in the one that was here first."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"name": "ann", "password": "a long one, please"}},
    )

    name: str = Field(min_length=1, max_length=100)
    password: str = Field(min_length=1, max_length=1000)
    tenant: str = Field(default=LOCAL_TENANT, min_length=1, max_length=100)


class Me(BaseModel):
    """Who asks: by name, and what it may do; `key_id` is empty without a key."""

    tenant: str
    actor: str
    name: str
    kind: str
    groups: list[str]
    roles: list[str]
    permissions: list[str]
    key_id: str


@router.post("/v1/sign-in", status_code=204, summary="Sign in with a password")
@leaves_within("session.sign_in")
async def sign_in(inside: Inside, *, request: Request, wanted: SignInBody) -> Response:
    """Give the browser a session of its own.

    A wrong name, a wrong password and somebody who was disabled are told apart by nobody.
    """
    if not is_own_page(request):
        raise Forbidden("Sign in on this service's own page.")
    await inside.rates.sign_in(wanted.tenant, wanted.name)
    tenant, name = wanted.tenant, wanted.name
    if not await inside.host.app.signing_in.is_let_in(tenant, name, password=wanted.password):
        raise Unauthenticated("The name or the password is not right.")
    response = Response(status_code=204)
    inside.gate.let_in(request.scope, response, tenant=tenant, user=name)
    return response


@router.get("/v1/me", summary="Tell who asks")
@leaves_nothing("tells callers who they are themselves")
async def me(inside: Inside, scope: MeScope) -> Me:
    """Tell who asks, as the service knows it, and what it may do."""
    name = scope.actor.removeprefix("user:")
    standing = await inside.host.app.principals.standing(scope.tenant, name)
    is_owner = (scope.tenant, name) == (LOCAL_TENANT, OWNER_NAME)
    return Me(
        tenant=scope.tenant,
        actor=scope.actor,
        name=name,
        kind="person" if standing is None else str(standing.kind),
        groups=sorted(
            one.removeprefix("group:") for one in scope.principals if one.startswith("group:")
        ),
        roles=["owner"] if is_owner else sorted(standing.roles if standing else ()),
        permissions=sorted(scope.permissions),
        key_id=scope.key_id,
    )
