"""Knowledge bases: made, listed, named, looked into, removed."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import AdminScope, Inside, ReadScope
from weft.api.edge.idempotency import IdempotencyKey
from weft.api.edge.paging import Cursor, Limit, cursor_of, place_of
from weft.api.edge.trail import leaves, leaves_within
from weft.api.edge.uploads import Acl
from weft.api.host import Host
from weft.domain.errors import BadInput, WeftError
from weft.domain.scope import Scope
from weft.ingest.removal import drop_base, droppable
from weft.ingest.sources.inbox import inbox_of
from weft.platform.access import authorize
from weft.platform.audit import audited
from weft.ports.records.audit import Deed
from weft.ports.records.bases import RegisteredBase, Sharing

BaseName = Annotated[
    str, Path(alias="id", max_length=100, description="The knowledge base.", examples=["Main"])
]


class NewBaseBody(BaseModel):
    """A knowledge base to be made: letters and digits, a letter first."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"name": "Handbook", "title": "The staff handbook"}},
    )

    name: str = Field(max_length=100, pattern="^[A-Za-z][A-Za-z0-9]*$")
    title: str = Field(default="", max_length=300)
    ontology: str = Field(
        default="",
        max_length=64,
        description="By which ontology its documents are read; the configured one without.",
    )


class BaseChange(BaseModel):
    """What changes of a knowledge base."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"title": "The staff handbook", "readers": ["group:staff"]}},
    )

    title: str | None = Field(default=None, min_length=1, max_length=300)
    readers: Acl | None = None
    writers: Acl | None = None
    admins: Annotated[Acl, Field(min_length=1)] | None = None
    default_acl: Acl | None = None


class BaseShape(BaseModel):
    """A knowledge base; `readiness` is ready, degraded or blocked, with the reason.

    To whom it is open and which folder of this machine it is of is told to those who may change
    that; to others the lists and `folder` are empty.
    """

    id: str
    name: str
    title: str
    folder: str
    created: datetime
    documents: int
    chunks: int
    readiness: str
    reason: str
    readers: list[str]
    writers: list[str]
    admins: list[str]
    default_acl: list[str]


class BasePage(BaseModel):
    """A page of knowledge bases; `next` asks for the following one, empty on the last."""

    items: list[BaseShape]
    next: str


class StatsShape(BaseModel):
    """How much of a knowledge base the caller may read."""

    kb: str
    documents: int
    chunks: int
    mentions: int
    claims: int
    references: int
    made_with: dict[str, str]


router = APIRouter(prefix="/v1/kb", tags=["knowledge bases"])


@router.get("", summary="List knowledge bases")
@leaves("kb.list", "kb:*")
async def listed(
    inside: Inside, scope: ReadScope, *, limit: Limit = 50, cursor: Cursor = ""
) -> BasePage:
    """List knowledge bases by name, with how much of each the caller may read."""
    after = place_of(cursor)
    bases = [base for base in await inside.host.app.library.listed(scope) if base.name > after]
    bases.sort(key=lambda base: base.name)
    items = [await _shape(inside.host, scope, base) for base in bases[:limit]]
    return BasePage(items=items, next=cursor_of(items[-1].id) if len(bases) > limit else "")


@router.post(
    "", status_code=201, summary="Make a knowledge base", responses={201: {"model": BaseShape}}
)
@leaves_within("kb.create")
async def create(
    inside: Inside, scope: AdminScope, *, wanted: NewBaseBody, idempotency_key: IdempotencyKey = ""
) -> JSONResponse:
    """Make an empty knowledge base; a name that is taken is a conflict."""

    async def work() -> BaseShape:
        app = inside.host.app
        recipe = app.recipe_with(wanted.ontology) if wanted.ontology else None
        store = await app.library.create(scope, wanted.name, title=wanted.title, recipe=recipe)
        return await _shape(
            inside.host, scope, await inside.host.app.records.bases.named(scope, store.name)
        )

    asked = f"kb {wanted.model_dump_json()}"
    return await inside.idempotency.make(scope, idempotency_key, asked=asked, status=201, work=work)


@router.get("/{id}", summary="Show a knowledge base")
@leaves("kb.read", "kb:{name}")
async def show(inside: Inside, scope: ReadScope, *, name: BaseName) -> BaseShape:
    """Show a knowledge base and whether it can answer."""
    return await _shape(inside.host, scope, await inside.host.app.records.bases.named(scope, name))


@router.patch("/{id}", summary="Rename or share a knowledge base")
@leaves_within("kb.change")
async def change(
    inside: Inside, scope: AdminScope, *, name: BaseName, wanted: BaseChange
) -> BaseShape:
    """Give a knowledge base another title, or say who may read, fill and manage it.

    Its name is its address and stays. `default_acl` is who may read documents of which nothing
    else is said.
    """
    lists = wanted.model_dump(exclude={"title"}, exclude_none=True)
    if wanted.title is None and not lists:
        raise BadInput("body: nothing changes; give title, readers, writers, admins, default_acl.")
    bases = inside.host.app.records.bases
    known = await bases.named(scope, name)
    deed = Deed(action="kb.change", target=f"kb:{known.name}")
    async with audited(inside.host.app.records.audit, scope, deed) as act:
        act.note(title=wanted.title is not None, **lists)
        if lists:
            sharing = Sharing(**{key: frozenset(value) for key, value in lists.items()})
            known = await bases.share(scope, name, sharing)
        if wanted.title is not None:
            known = await bases.retitle(scope, name, wanted.title)
    return await _shape(inside.host, scope, known)


@router.delete("/{id}", status_code=204, summary="Remove a knowledge base")
@leaves("kb.drop", "kb:{name}")
async def drop(inside: Inside, scope: AdminScope, *, name: BaseName) -> Response:
    """Remove a knowledge base, what was handed over to it, and all that was said from it."""
    store = await droppable(inside.host.app.library, scope, name)
    inbox = inbox_of(inside.host.settings.home, scope, name)
    await drop_base(inside.host.app.holders, scope, store=store, inbox=inbox)
    return Response(status_code=204)


@router.get("/{id}/stats", summary="Count what a knowledge base holds")
@leaves("kb.read", "kb:{name}")
async def stats(inside: Inside, scope: ReadScope, *, name: BaseName) -> StatsShape:
    """Count what the caller may read, and tell what the index was made with."""
    store = await inside.host.store(scope, name)
    counts = await store.holdings.counts(scope)
    return StatsShape(
        kb=store.name,
        documents=counts.documents,
        chunks=counts.chunks,
        mentions=counts.mentions,
        claims=counts.claims,
        references=counts.references,
        made_with=dict(store.made_with),
    )


async def _shape(host: Host, scope: Scope, base: RegisteredBase) -> BaseShape:
    documents = chunks = 0
    readiness, reason = "ready", ""
    try:
        store = await host.store(scope, base.name)
        counts = await store.holdings.counts(scope)
        documents, chunks = counts.documents, counts.chunks
        host.app.library.check(store, writing=False)
        if host.app.notes:
            readiness, reason = "degraded", " ".join(host.app.notes)
    except WeftError as error:
        readiness, reason = "blocked", error.message
    return BaseShape(
        id=base.name,
        name=base.name,
        title=base.title,
        created=base.created,
        documents=documents,
        chunks=chunks,
        readiness=readiness,
        reason=reason,
        **_told(scope, base),
    )


def _told(scope: Scope, base: RegisteredBase) -> dict[str, Any]:
    """Return where a knowledge base is from and to whom it is open, for those who manage it."""
    told = authorize(scope, "kb.admin", base.guard).allowed
    return {
        "folder": base.folder if told else "",
        "readers": sorted(base.guard.readers) if told else [],
        "writers": sorted(base.guard.writers) if told else [],
        "admins": sorted(base.guard.admins) if told else [],
        "default_acl": sorted(base.default_acl) if told else [],
    }
