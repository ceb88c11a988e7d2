"""Documents over HTTP: handed over, listed, opened, changed, taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path as FilePath
from typing import Annotated

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import Inside, ReadScope, WriteScope
from weft.api.edge.idempotency import IdempotencyKey
from weft.api.edge.paging import Cursor, Limit, cursor_of, place_of
from weft.api.edge.trail import leaves, leaves_within
from weft.api.edge.uploads import MAX_BODY, HandedOver, Metadata, Readers, described, handed_over
from weft.api.host import Host, may_fill
from weft.api.routes.kb import BaseName
from weft.api.shapes.originals import OriginalShape
from weft.api.shapes.originals import described as shape_of_original
from weft.domain.document import Document, Value
from weft.domain.errors import BadInput, NotFound
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.ingest.inbox_documents import InboxChange, InboxDocuments
from weft.ingest.jobs.ingestion import IngestRequest
from weft.ingest.originals import Original
from weft.ingest.seen_files import rows_of
from weft.ingest.sources.inbox import inbox_of
from weft.platform.access import require
from weft.platform.audit import counted_ids
from weft.platform.identity import readers
from weft.ports.documents import OpenedDocument
from weft.ports.store import Store

_MEGABYTE = 1024 * 1024
DocId = Annotated[
    str,
    Path(alias="doc", max_length=2000, examples=["file:inbox/apollo.md"], description="Its id."),
]
IfMatch = Annotated[
    str, Header(alias="If-Match", max_length=200, description="The version that is to change.")
]
WithOriginal = Annotated[bool, Query(description="Tell of its file too, where there is one.")]
Search = Annotated[str, Query(max_length=200, description="In id, title or address.")]


class DocumentShape(BaseModel):
    """What is known of a document; `acl` names who may read it, `version` changes with it."""

    id: str
    title: str
    uri: str
    type: str
    source: str
    acl: list[str]
    metadata: dict[str, Value]
    created: datetime | None
    updated: datetime | None
    version: str


class ListedDocument(DocumentShape):
    """A document in a list: how many chunks it has, and how reading its file ended.

    `status` and `reason` are those of the ledger, empty where it has no row of the file.
    """

    chunks: int
    status: str
    reason: str


class DocumentPage(BaseModel):
    """A page of documents, by id; `next` asks for the following one, empty on the last."""

    items: list[ListedDocument]
    next: str


class ChunkShape(BaseModel):
    """A stretch of a document: `text[start:end]`, in code points."""

    chunk_id: str
    chunk_index: int
    start: int
    end: int
    page: int | None
    section: str | None


class ClaimShape(BaseModel):
    """What a document says: subject, predicate, object or value, and where it says so."""

    id: str
    chunk_id: str
    subject: str
    subject_class: str
    predicate: str
    object: str | None
    object_class: str | None
    value: Value
    start: int
    end: int
    method: str
    confidence: float


class OpenedShape(BaseModel):
    """A document with its text, its chunks and its claims; its file, where that was asked for."""

    document: DocumentShape
    text: str
    chunks: list[ChunkShape]
    claims: list[ClaimShape]
    original: OriginalShape | None


class Accepted(BaseModel):
    """What was taken in hand: `run_id` tells at `/v1/runs/{id}` how far it has come."""

    run_id: str
    kb: str
    documents: int


class DocumentChange(BaseModel):
    """What changes of a document; `metadata` replaces the former as a whole."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"acl": ["group:staff"]}}
    )

    acl: Readers | None = None
    metadata: Metadata | None = None
    title: str | None = Field(default=None, min_length=1, max_length=300)


def _listed_ids(page: DocumentPage, _: object) -> Mapping[str, object]:
    return counted_ids(documents=[each.id for each in page.items])


def _opened_ids(opened: OpenedShape, _: object) -> Mapping[str, object]:
    return {"chunks_count": len(opened.chunks), "version": opened.document.version}


router = APIRouter(prefix="/v1/kb/{id}/documents", tags=["documents"])


@router.post(
    "",
    status_code=202,
    summary="Hand documents over",
    responses={202: {"model": Accepted}},
    openapi_extra=described(),
    max_body_size=MAX_BODY,
)
@leaves_within("document.add")
async def hand_over(
    inside: Inside,
    scope: WriteScope,
    *,
    name: BaseName,
    request: Request,
    idempotency_key: IdempotencyKey = "",
) -> JSONResponse:
    """Take in files (multipart), records, or a source, and ingest them as a run.

    Files and records are kept, so that the base can be made anew from them. A file's name may
    hold the path below the folder that it is from. Without `acl` what is there already keeps its
    readers, and what is new is for those whom the base names by default.
    """
    store = await inside.host.store(scope, name, to_fill=True)
    home = inside.host.settings.home
    limit_of_file = inside.host.settings.values.max_file_mb * _MEGABYTE
    async with handed_over(request, scope, home=home, max_file=limit_of_file) as handed:

        async def work() -> Accepted:
            return await _accept(inside.host, scope, store=store, handed=handed)

        asked = f"documents {store.name} {handed.asked}"
        return await inside.idempotency.make(
            scope, idempotency_key, asked=asked, status=202, work=work
        )


@router.get("", summary="List documents")
@leaves("document.list", "kb:{name}", noting=_listed_ids)
async def listed(
    inside: Inside,
    scope: ReadScope,
    *,
    name: BaseName,
    limit: Limit = 50,
    cursor: Cursor = "",
    q: Search = "",
) -> DocumentPage:
    """List the documents that the caller may read, by id, and what became of each."""
    store = await inside.host.store(scope, name)
    after = DocumentId(place_of(cursor)) if cursor else None
    found = await store.documents.page(scope, after=after, limit=limit + 1, text=q)
    more, found = len(found) > limit, found[:limit]
    return DocumentPage(
        items=await _with_states(scope, store, found), next=cursor_of(found[-1].id) if more else ""
    )


@router.get("/{doc:path}", summary="Open a document")
@leaves("document.read", "kb:{name}/{doc}", noting=_opened_ids)
async def opened(
    inside: Inside,
    scope: ReadScope,
    *,
    name: BaseName,
    doc: DocId,
    response: Response,
    original: WithOriginal = False,
) -> OpenedShape:
    """Return a document with its whole text, its chunks and its claims."""
    store = await inside.host.store(scope, name)
    found = await store.documents.opened(scope, DocumentId(doc))
    response.headers["ETag"] = f'"{found.document.version}"'
    file = await _original(inside.host, scope, store, found.document.id) if original else None
    return _opened(found, file)


@router.patch(
    "/{doc:path}",
    summary="Change a document's readers or metadata",
    responses={200: {"model": DocumentShape}},
)
@leaves_within("document.change")
async def change(
    inside: Inside,
    scope: WriteScope,
    *,
    name: BaseName,
    doc: DocId,
    wanted: DocumentChange,
    if_match: IfMatch = "",
) -> JSONResponse:
    """Change who may read a document, its metadata or its title; it holds at once.

    The caller stays among the readers. With `If-Match` a document that has changed since is a
    conflict; the reply's `ETag` is what the next change gives there.
    """
    if wanted.acl is None and wanted.metadata is None and wanted.title is None:
        raise BadInput("body: nothing changes; give acl, metadata or title.")
    store = await inside.host.store(scope, name, to_fill=True)
    change = InboxChange(
        acl=readers(wanted.acl, scope) if wanted.acl else None,
        metadata=wanted.metadata,
        title=wanted.title,
        expected=_expected(if_match),
    )
    documents = _documents(inside.host, scope, store)
    changed = _shape(await documents.change(scope, DocumentId(doc), change))
    told = changed.model_dump(mode="json")
    return JSONResponse(told, headers={"ETag": f'"{changed.version}"'})


@router.delete("/{doc:path}", status_code=204, summary="Take a document back")
@leaves_within("document.delete")
async def remove(inside: Inside, scope: WriteScope, *, name: BaseName, doc: DocId) -> Response:
    """Remove a document that was handed over, and all that was said from it, at once."""
    store = await inside.host.store(scope, name, to_fill=True)
    await _documents(inside.host, scope, store).take_back(scope, DocumentId(doc))
    return Response(status_code=204)


def _expected(if_match: str) -> str | None:
    """Return the version that is to change; None for whichever there is (`*`, or none named)."""
    said = if_match.strip()
    if "," in said:
        raise BadInput("If-Match: name one version.")
    return None if said == "*" else said.strip('"') or None


def _documents(host: Host, scope: Scope, store: Store) -> InboxDocuments:
    return InboxDocuments(
        store=store,
        inbox=inbox_of(host.settings.home, scope, store.name),
        ingest=host.app.ingest,
        audit=host.app.records.audit,
    )


async def _accept(host: Host, scope: Scope, *, store: Store, handed: HandedOver) -> Accepted:
    documents = _documents(host, scope, store)
    if handed.source is None:
        run_id = await documents.hand_over(scope, files=handed.files, records=handed.records)
        count = len(handed.files) + len(handed.records)
    else:
        # The files of this machine are not the tenant's.
        require(scope, "kb.source", f"kb:{store.name}")
        request = IngestRequest(
            path=FilePath(handed.source.path),
            acl=readers(handed.source.acl, scope),
            prune=handed.source.prune,
        )
        run_id, count = await documents.bring_in(scope, request), 0
    host.line.worker.ring()
    return Accepted(run_id=run_id, kb=store.name, documents=count)


def _shape(found: Document) -> DocumentShape:
    return DocumentShape(
        id=found.id,
        title=found.title,
        uri=found.uri,
        type=found.type,
        source=found.source,
        acl=sorted(found.acl),
        metadata=dict(found.metadata),
        created=found.created,
        updated=found.updated,
        version=found.version,
    )


async def _with_states(
    scope: Scope, store: Store, found: Sequence[Document]
) -> list[ListedDocument]:
    counts = await store.documents.chunk_counts(scope, [each.id for each in found])
    rows = await rows_of(scope, store, found)
    listed = []
    for each in found:
        row = rows.get(each.id)
        listed.append(
            ListedDocument(
                **dict(_shape(each)),
                chunks=counts.get(each.id, 0),
                status="" if row is None else str(row.status),
                reason="" if row is None else row.reason,
            )
        )
    return listed


async def _original(
    host: Host, scope: Scope, store: Store, key: DocumentId
) -> OriginalShape | None:
    """Return what is known of a document's file, None where it cannot be opened."""
    try:
        found = await original_of(host, scope, store=store, key=key)
    except NotFound:
        return None
    with found.file:
        return await shape_of_original(found)


async def original_of(host: Host, scope: Scope, *, store: Store, key: DocumentId) -> Original:
    """Return a document's file, open; raises `NotFound` where it is not the caller's to open."""
    of_rows = await may_fill(host, scope, store.name)
    return await host.app.originals.opened(scope, store, key, of_rows=of_rows)


def _opened(found: OpenedDocument, original: OriginalShape | None) -> OpenedShape:
    chunks = [
        ChunkShape(
            chunk_id=chunk.id,
            chunk_index=chunk.chunk_index,
            start=chunk.start,
            end=chunk.end,
            page=chunk.page,
            section=chunk.section,
        )
        for chunk in found.chunks
    ]
    claims = [
        ClaimShape(
            id=claim.id,
            chunk_id=claim.chunk_id,
            subject=claim.subject_name,
            subject_class=claim.subject_class,
            predicate=claim.predicate,
            object=claim.object_name,
            object_class=claim.object_class,
            value=claim.value,
            start=claim.start,
            end=claim.end,
            method=str(claim.method),
            confidence=claim.confidence,
        )
        for claim in found.claims
    ]
    return OpenedShape(
        document=_shape(found.document),
        text=found.text,
        chunks=chunks,
        claims=claims,
        original=original,
    )
