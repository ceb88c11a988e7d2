"""Keys over HTTP: made, listed and revoked, each within the caller's own tenant."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import Inside, KeysScope
from weft.api.edge.idempotency import IdempotencyKey, ShownOnce
from weft.api.edge.trail import leaves, leaves_within
from weft.api.routes.admin.people import Name
from weft.domain.errors import BadInput
from weft.ports.records.people import ApiKey

KeyInPath = Annotated[str, Path(alias="id", max_length=40, description="The public id of a key.")]
OfUser = Annotated[str, Query(alias="user", max_length=100, description="The keys of one user.")]


class KeyBody(BaseModel):
    """A key to be made; without scopes it may do what its user may."""

    model_config = ConfigDict(extra="forbid")

    user: Name
    scopes: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=100)] = []
    expires: datetime | None = Field(default=None, description="With its offset from UTC.")


class KeyShape(BaseModel):
    """A key, without its text."""

    id: str
    user: str
    scopes: list[str]
    created: datetime
    expires: datetime | None
    revoked: datetime | None


class MadeKey(KeyShape, ShownOnce):
    """A key that was made: `key` is shown this once."""

    key: str


class KeyList(BaseModel):
    """Keys, the newest first."""

    items: list[KeyShape]


router = APIRouter(prefix="/v1/admin", tags=["administration"])


@router.get("/keys", summary="List keys")
@leaves("admin.read", "key:*")
async def keys(inside: Inside, scope: KeysScope, *, user: OfUser = "") -> KeyList:
    """List keys, of a user or of all; their texts are kept nowhere."""
    return KeyList(
        items=[
            _key(each)
            for each in await inside.host.app.administration.keys.listed(scope, user=user)
        ]
    )


@router.post("/keys", status_code=201, summary="Make a key", responses={201: {"model": MadeKey}})
@leaves_within("admin.key.add")
async def add_key(
    inside: Inside, scope: KeysScope, *, wanted: KeyBody, idempotency_key: IdempotencyKey = ""
) -> JSONResponse:
    """Make a key of a user, within its rights and those of who makes it.

    Its text is kept nowhere: a second request with one `Idempotency-Key` is a conflict.
    """
    if wanted.expires is not None and wanted.expires.tzinfo is None:
        raise BadInput("expires: give it with its offset from UTC, as 2027-01-31T12:00:00Z.")

    async def work() -> MadeKey:
        made = await inside.host.app.administration.keys.add(
            scope, wanted.user, scopes=wanted.scopes, expires=wanted.expires
        )
        return MadeKey(**_key(made.kept).model_dump(), key=made.text)

    asked = f"key {wanted.model_dump_json()}"
    return await inside.idempotency.make(scope, idempotency_key, asked=asked, status=201, work=work)


@router.delete("/keys/{id}", status_code=204, summary="Revoke a key")
@leaves_within("admin.key.revoke")
async def revoke_key(inside: Inside, scope: KeysScope, *, key_id: KeyInPath) -> Response:
    """Revoke a key; it opens nothing from then on."""
    await inside.host.app.administration.keys.revoke(scope, key_id)
    return Response(status_code=204)


def _key(found: ApiKey) -> KeyShape:
    return KeyShape(
        id=found.id,
        user=found.user,
        scopes=sorted(found.scopes),
        created=found.created,
        expires=found.expires,
        revoked=found.revoked,
    )
