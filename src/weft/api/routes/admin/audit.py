"""The audit log over HTTP: searched, verified, exported; each reading is a row of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime, BaseModel, Field

from weft.api.dependencies import AuditScope, Inside
from weft.api.edge.paging import Paging, cursor_of, place_of
from weft.api.edge.trail import leaves_within
from weft.domain.errors import BadInput
from weft.domain.scope import Scope
from weft.platform.audit import AuditedAct
from weft.platform.trail.audit_export import AuditExport, ExportFormat
from weft.platform.trail.audit_reading import asked_for, reading, row_data, verified
from weft.platform.trail.kept_head import kept_head, short_head
from weft.ports.records.audit import AuditDecision, AuditFilter

router = APIRouter(prefix="/v1/admin/audit", tags=["admin"])
Word = Annotated[str, Field(max_length=1000)]
Since = Annotated[AwareDatetime | None, Query(description="From this time on, with its zone.")]
Form = Annotated[
    ExportFormat, Query(alias="format", description="Rows as stored, or events of OCSF.")
]
Head = Annotated[
    str,
    Query(
        pattern=r"^(\d{1,18}:[0-9a-f]{64})?$",
        description="SEQ:MAC of a head that was kept elsewhere.",
    ),
]
_MOST_DIGITS = 18
_LINES_AT_ONCE = 200
_MEDIA_TYPE = "application/x-ndjson"


class RowsWanted(BaseModel):
    """Which rows; `*` at the end of an action or a target stands for whatever follows."""

    who: Word = ""
    action: Word = ""
    target: Word = ""
    decision: AuditDecision | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    run: Word = ""
    request: Word = ""
    oldest_first: bool = False

    def filter(self) -> AuditFilter:
        """Return the filter that this makes."""
        return AuditFilter(
            actor=self.who,
            action=self.action,
            target=self.target,
            decision=self.decision,
            since=self.since,
            until=self.until,
            run_id=self.run,
            request_id=self.request,
        )


class AuditRowShape(BaseModel):
    """A row of the log: who did what to what, when, and what came of it."""

    seq: int
    ts: datetime
    phase: str
    intent_id: str
    actor: str
    action: str
    target: str
    decision: str
    reason: str
    run_id: str
    request_id: str
    meta: dict[str, object]
    mac: str


class AuditPageShape(BaseModel):
    """A page of rows, the newest first; `next` asks for the following one, empty on the last."""

    items: list[AuditRowShape]
    next: str


class VerifiedShape(BaseModel):
    """Whether the chain is as it was written; `unfinished` counts intents without an outcome."""

    intact: bool
    rows: int
    broken_at: int | None
    reason: str
    unfinished: int


class KeptHead(BaseModel):
    """The end of the chain, sealed: kept elsewhere, it proves that nothing was cut off."""

    tenant: str
    seq: int
    mac: str
    seal: str


@router.get("", summary="Search the audit log")
@leaves_within("audit.list")
async def listed(
    inside: Inside,
    scope: AuditScope,
    *,
    wanted: Annotated[RowsWanted, Depends()],
    page: Annotated[Paging, Depends()],
) -> AuditPageShape:
    """Return the rows that fit, the newest first."""
    audit, sought = inside.host.app.records.audit, wanted.filter()
    async with reading(audit, scope, "audit.list", meta=asked_for(sought)) as act:
        found = await audit.page(
            scope,
            sought,
            limit=page.limit,
            cursor=_seq_of(page.cursor),
            oldest_first=wanted.oldest_first,
        )
        if act is not None:
            act.note(rows=len(found.rows))
    return AuditPageShape(
        items=[AuditRowShape.model_validate(row_data(row)) for row in found.rows],
        next=cursor_of(str(found.cursor)) if found.cursor else "",
    )


@router.get("/verify", summary="Verify the audit log")
@leaves_within("audit.verify")
async def verify(inside: Inside, scope: AuditScope, *, head: Head = "") -> VerifiedShape:
    """Check every row, their order, and that a head that was kept is still in the chain."""
    report = await verified(inside.host.app.records.audit, scope, short_head(head))
    return VerifiedShape(
        intact=report.is_intact,
        rows=report.rows,
        broken_at=report.broken_at,
        reason=report.reason,
        unfinished=report.unfinished,
    )


@router.get("/head", summary="Take out the head of the audit log")
@leaves_within("audit.head")
async def head(inside: Inside, scope: AuditScope) -> KeptHead:
    """Return the end of the chain, to be kept where nobody who can write here can write."""
    audit = inside.host.app.records.audit
    async with reading(audit, scope, "audit.head"):
        return KeptHead.model_validate(await kept_head(audit, scope))


@router.get(
    "/export",
    summary="Export the audit log",
    response_class=StreamingResponse,
    responses={200: {"content": {_MEDIA_TYPE: {"schema": {"type": "string"}}}}},
)
@leaves_within("audit.export")
async def export(
    inside: Inside, scope: AuditScope, *, since: Since = None, form: Form = ExportFormat.JSONL
) -> StreamingResponse:
    """Stream the rows as JSON lines; the last line seals where they begin and end."""
    audit = inside.host.app.records.audit
    made = AuditExport(audit=audit, form=form, since=since)
    stack = AsyncExitStack()
    meta = {"format": form.value}
    # Before the first byte: what cannot be written down is not sent either.
    act = await stack.enter_async_context(reading(audit, scope, "audit.export", meta=meta))
    return StreamingResponse(_sent(made, scope, stack, act), media_type=_MEDIA_TYPE)


async def _sent(
    made: AuditExport, scope: Scope, stack: AsyncExitStack, act: AuditedAct | None
) -> AsyncIterator[str]:
    """Yield lines, some at a time; the row's outcome is written when the last has gone."""
    async with stack:
        held: list[str] = []
        count = 0
        async for line in made.lines(scope):
            held.append(f"{line}\n")
            count += 1
            if len(held) == _LINES_AT_ONCE:
                yield "".join(held)
                held.clear()
        if act is not None:
            act.note(lines=count)
        yield "".join(held)


def _seq_of(cursor: str) -> int:
    place = place_of(cursor) if cursor else "0"
    if not (place.isascii() and place.isdigit() and len(place) <= _MOST_DIGITS):
        raise BadInput("cursor: it was not given out here.")
    return int(place)
