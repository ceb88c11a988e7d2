"""`POST /indexes/fulltext/ensure`, and `GET /databases`: where names are looked up, and in what."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import Dependencies, Inside, ReadScope, WriteScope
from weft.api.edge.trail import leaves
from weft.api.shapes.platform import Name, Names
from weft.bases.readiness import readiness
from weft.domain.errors import Forbidden, StoreUnavailable
from weft.domain.scope import Scope
from weft.ports.browsing import NameIndex

INDEX = "entity_fulltext"
_ALWAYS = "Part of the knowledge base: an embedded one always has it, whatever it is called."
_EMBEDDED = NameIndex(name=INDEX, state="ONLINE", labels=("Entity",), properties=("name",))
_NONE = NameIndex(name=INDEX, state="", labels=(), properties=())
_OTHERWISE = "It covers what `labels` and `properties` say, not what was asked for."
IndexName = Annotated[str, Field(min_length=1, max_length=63, pattern="^[A-Za-z][A-Za-z0-9_]*$")]


class EnsureBody(BaseModel):
    """Which full-text index is wanted, of which knowledge bases (all one may fill if empty)."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {}})

    databases: Names = Field(default_factory=list)
    index_name: IndexName = INDEX
    labels: Annotated[list[Name], Field(max_length=64)] = Field(default_factory=list)
    properties: Annotated[list[Name], Field(max_length=64)] = Field(default_factory=list)
    create_if_missing: bool = True


class EnsuredIndex(BaseModel):
    """How the index of one knowledge base stands; `created` says that this call made it."""

    database: str
    index_name: str
    exists: bool
    created: bool
    state: str
    labels: list[str]
    properties: list[str]
    message: str


class EnsureReply(BaseModel):
    """The index of each knowledge base, by its name."""

    results: list[EnsuredIndex]


class DatabaseShape(BaseModel):
    """A knowledge base that the caller may see, and whether it can be asked now."""

    name: str
    title: str
    status: str
    reason: str


class DatabaseList(BaseModel):
    """The knowledge bases that the caller may read."""

    databases: list[DatabaseShape]


router = APIRouter(tags=["platform"])


@router.get("/databases", summary="List knowledge bases with their readiness")
@leaves("kb.list", "kb:*")
async def databases(inside: Inside, scope: ReadScope) -> DatabaseList:
    """List the knowledge bases that the caller may read, and why one cannot be asked."""
    found = await readiness(inside.host.app.library, scope)
    return DatabaseList(
        databases=[
            DatabaseShape(
                name=one.name,
                title=one.title,
                status=str(one.state),
                reason=" ".join(one.reasons),
            )
            for one in found
        ]
    )


@router.post("/indexes/fulltext/ensure", summary="Ensure the full-text index of names")
@leaves("kb.change", "kb:{wanted.databases}")
async def ensure(inside: Inside, scope: WriteScope, *, wanted: EnsureBody) -> EnsureReply:
    """Make the full-text index of entities' names where it is missing; again changes nothing.

    Weft's own search needs none: on a server the index is for other tools that read its graph.
    """
    names = wanted.databases or await _fillable(inside, scope)
    return EnsureReply(
        results=[
            await _ensured(inside, scope, name, wanted) for name in sorted(dict.fromkeys(names))
        ]
    )


async def _fillable(inside: Dependencies, scope: Scope) -> list[str]:
    """Return the knowledge bases that the caller may fill."""
    found: list[str] = []
    for one in await readiness(inside.host.app.library, scope):
        try:
            await inside.host.store(scope, one.name, to_fill=True)
        except Forbidden:
            continue
        except StoreUnavailable:
            pass  # it is told of below, with the reason
        found.append(one.name)
    return found


async def _ensured(
    inside: Dependencies, scope: Scope, name: str, wanted: EnsureBody
) -> EnsuredIndex:
    try:
        store = await inside.host.store(scope, name, to_fill=True)
        if store.browsing is None:
            return _shape(name, wanted, _EMBEDDED, message=_ALWAYS)
        index = await store.browsing.ensure_names(
            scope, wanted.index_name, make=wanted.create_if_missing
        )
    except StoreUnavailable as error:
        return _shape(name, wanted, _NONE, message=error.message)
    called = "" if index.name == wanted.index_name else f"It is called {index.name} there."
    return _shape(name, wanted, index, message=called)


def _shape(base: str, wanted: EnsureBody, index: NameIndex, *, message: str) -> EnsuredIndex:
    covers = set(index.labels), set(index.properties)
    asked = set(wanted.labels) or covers[0], set(wanted.properties) or covers[1]
    return EnsuredIndex(
        database=base,
        index_name=wanted.index_name,
        exists=bool(index.state),
        created=index.created,
        state=index.state or "MISSING",
        labels=list(index.labels),
        properties=list(index.properties),
        message=message
        if not index.state or asked == covers
        else f"{message} {_OTHERWISE}".strip(),
    )
