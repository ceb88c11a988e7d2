"""`POST /platform/ingest/raw`: records taken in at once, with what became of each."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from weft.api.dependencies import Dependencies, Inside, WriteScope
from weft.api.edge.idempotency import IdempotencyKey
from weft.api.edge.trail import leaves_within
from weft.api.edge.uploads import MAX_BODY, Metadata, upload_drafts
from weft.api.replies import RUN_HEADER
from weft.domain.errors import BadInput, UnknownKnowledgeBase
from weft.domain.ids import digest
from weft.domain.scope import Scope
from weft.ingest.inbox_documents import HandedFile, InboxDocuments
from weft.ingest.raw_records import RawBatch, RawOutcome, ended, outcomes
from weft.ingest.sources.inbox import HandedRecord, inbox_of
from weft.ingest.sources.labels import Label
from weft.platform.access import require
from weft.ports.holdings import BaseCounts
from weft.ports.records.jobs import JobStatus
from weft.ports.store import Store

# A record's bytes, and as many letters as they take in base64.
_MAX_BYTES = 2 * 1024 * 1024
_MAX_CONTENT = (_MAX_BYTES + 2) // 3 * 4
_PATIENCE_SECONDS = 600.0
Status = Literal["success", "partial_success", "success_with_fallback", "failed"]


class RawRecord(BaseModel):
    """A record as it comes; PDF is given in base64, one without an id gets that of its content."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(default="", max_length=200, pattern=r"^[^\x00-\x1f]*$")
    content: str = Field(min_length=1, max_length=_MAX_CONTENT)
    category: str = Field(default="", max_length=200)
    source_type: Literal["text", "pdf", "csv"] = "text"
    content_encoding: Literal["plain", "base64"] = "plain"
    metadata: Metadata = Field(default_factory=dict)


class RawBody(BaseModel):
    """Records for one knowledge base, which is made where it is not there and that is wanted."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "target_database": "Main",
                "records": [{"id": "apollo", "content": "Apollo was founded by Li Wei in Seoul."}],
            }
        },
    )

    target_database: str = Field(max_length=100, pattern="^[A-Za-z][A-Za-z0-9]*$")
    records: Annotated[list[RawRecord], Field(min_length=1, max_length=100)]
    enable_rule_constraints: bool = False
    create_database_if_missing: bool = False


class RawError(BaseModel):
    """Why a record was not taken in."""

    record_id: str
    error_type: str
    message: str


class RawReply(BaseModel):
    """What became of the records; nodes and relationships are those that the request added.

    `fallback_records` are records in which no claim was found: they can be searched and cited, and
    only names of them are in the graph.
    """

    ok: bool
    status: Status
    target_database: str
    records_received: int
    records_processed: int
    records_failed: int
    total_nodes: int
    total_relationships: int
    fallback_records: int
    rule_profile: None = None
    warnings: list[str]
    errors: list[RawError]
    run_id: str


router = APIRouter(tags=["platform"])


@router.post(
    "/platform/ingest/raw",
    summary="Take records in and tell at once",
    responses={200: {"model": RawReply}},
    max_body_size=MAX_BODY,
)
@leaves_within("document.add")
async def raw(
    inside: Inside, scope: WriteScope, *, given: RawBody, idempotency_key: IdempotencyKey = ""
) -> JSONResponse:
    """Take records into a knowledge base and tell what became of each.

    A record that cannot be read keeps none of the others out. One of the same id is replaced.
    """

    async def work() -> RawReply:
        return await _told(inside, scope, given)

    asked = f"raw {given.model_dump_json()}"
    reply = await inside.idempotency.make(
        scope, idempotency_key, asked=asked, status=200, work=work
    )
    if run_id := json.loads(bytes(reply.body))["run_id"]:
        reply.headers[RUN_HEADER] = run_id
    return reply


async def _told(inside: Dependencies, scope: Scope, given: RawBody) -> RawReply:
    if given.enable_rule_constraints:
        raise BadInput(
            "enable_rule_constraints: there are no rule profiles here yet; leave it out."
        )
    _check_ids(given.records)
    store = await _store(inside, scope, given)
    before = await store.holdings.counts(scope)
    async with _prepared(inside.host.settings.home, given.records) as (batch, errors):
        run_id, done = await _taken_in(inside, scope, store, batch)
    after = await store.holdings.counts(scope)
    return _reply(given, (before, after), done=done, errors=errors, run_id=run_id)


def _check_ids(records: Sequence[RawRecord]) -> None:
    given = [one.id for one in records if one.id]
    twice = next((one for one in given if given.count(one) > 1), "")
    if twice:
        raise BadInput(f"records: the id '{twice}' is there twice.")


async def _store(inside: Dependencies, scope: Scope, given: RawBody) -> Store:
    try:
        return await inside.host.store(scope, given.target_database, to_fill=True)
    except UnknownKnowledgeBase:
        if not given.create_database_if_missing:
            raise
    require(scope, "kb.admin", f"kb:{given.target_database}")
    return await inside.host.app.library.create(scope, given.target_database)


@asynccontextmanager
async def _prepared(
    home: Path, records: Sequence[RawRecord]
) -> AsyncIterator[tuple[RawBatch, list[RawError]]]:
    """Give records as they are handed over, and those that cannot be; drafts go at the end."""
    async with upload_drafts(home) as drafts:
        yield await asyncio.to_thread(_sorted_out, drafts, records)


def _sorted_out(drafts: Path, records: Sequence[RawRecord]) -> tuple[RawBatch, list[RawError]]:
    files: dict[str, HandedFile] = {}
    texts: dict[str, HandedRecord] = {}
    errors: list[RawError] = []
    for record in records:
        key = record.id or digest(record.source_type, record.content)[:16]
        try:
            content = _decoded(record)
            if record.source_type == "text":
                texts[key] = _text(record, key, content)
            else:
                files[key] = _file(drafts, record, key, content)
        except BadInput as error:
            errors.append(
                RawError(record_id=key, error_type="invalid_record", message=error.message)
            )
    return RawBatch(files=files, records=texts), errors


def _decoded(record: RawRecord) -> bytes:
    if record.content_encoding == "plain":
        if record.source_type == "pdf":
            raise BadInput("content_encoding: a PDF is given in base64.")
        found = record.content.encode("utf-8", "replace")
    else:
        try:
            found = base64.b64decode(record.content, validate=True)
        except (binascii.Error, ValueError):
            raise BadInput("content: it is no base64.") from None
    if len(found) > _MAX_BYTES:
        raise BadInput(f"content: a record has at most {_MAX_BYTES} bytes.")
    return found


def _text(record: RawRecord, key: str, content: bytes) -> HandedRecord:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput("content: it is no text in UTF-8.") from None
    if not text.strip():
        raise BadInput("content: it is empty.")
    return HandedRecord(
        id=key, content=text, metadata=dict(record.metadata), category=record.category
    )


def _file(drafts: Path, record: RawRecord, key: str, content: bytes) -> HandedFile:
    # Named after its id, which may be anything.
    name = f"raw/{digest(key)[:16]}.{record.source_type}"
    draft = drafts / digest(key)[:16]
    draft.write_bytes(content)
    said = {"category": record.category} if record.category else {}
    label = Label(title=record.id, metadata={**record.metadata, **said})
    return HandedFile(name=name, draft=draft, label=label)


async def _taken_in(
    inside: Dependencies, scope: Scope, store: Store, batch: RawBatch
) -> tuple[str, Sequence[RawOutcome]]:
    """Hand a batch over, wait until it was worked on, and return its run and what became of it."""
    if not batch.files and not batch.records:
        return "", ()
    app = inside.host.app
    documents = InboxDocuments(
        store=store,
        inbox=inbox_of(inside.host.settings.home, scope, store.name),
        ingest=app.ingest,
        audit=app.records.audit,
    )
    run_id = await documents.hand_over(
        scope, files=list(batch.files.values()), records=list(batch.records.values())
    )
    inside.host.line.worker.ring()
    job = await ended(app.records.jobs, scope, run_id, within_s=_PATIENCE_SECONDS)
    if job.status is not JobStatus.FINISHED:
        reason = job.error or f"The ingestion is {job.status.value}; /v1/runs/{run_id} tells more."
        failed = [
            RawOutcome(id=key, status=job.status.value, reason=reason) for key in batch.paths()
        ]
        return run_id, failed
    return run_id, await outcomes(documents, scope, batch)


def _reply(
    given: RawBody,
    counts: tuple[BaseCounts, BaseCounts],
    *,
    done: Sequence[RawOutcome],
    errors: Sequence[RawError],
    run_id: str,
) -> RawReply:
    before, after = counts
    failed = [
        *errors,
        *(
            RawError(record_id=one.id, error_type=one.status, message=one.reason)
            for one in done
            if one.reason
        ),
    ]
    processed = sum(not one.reason for one in done)
    bare = sum(one.is_bare and not one.reason for one in done)
    return RawReply(
        ok=processed > 0,
        status=_status(processed, len(failed), bare),
        target_database=given.target_database,
        records_received=len(given.records),
        records_processed=processed,
        records_failed=len(failed),
        total_nodes=max(0, _nodes(after) - _nodes(before)),
        total_relationships=max(0, _relationships(after) - _relationships(before)),
        fallback_records=bare,
        warnings=[f"No claim was found in {bare} of the records."] if bare else [],
        errors=failed,
        run_id=run_id,
    )


def _status(processed: int, failed: int, bare: int) -> Status:
    if not processed:
        return "failed"
    if failed:
        return "partial_success"
    return "success_with_fallback" if bare else "success"


def _nodes(counts: BaseCounts) -> int:
    return counts.documents + counts.chunks + counts.mentions


def _relationships(counts: BaseCounts) -> int:
    return counts.claims + counts.references
