"""The ledger over HTTP: what became of every file and every chunk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from weft.api.dependencies import Inside, ReadScope
from weft.api.edge.paging import Paging, cursor_of, place_of
from weft.api.edge.trail import leaves
from weft.api.routes.kb import BaseName
from weft.domain.ledger import FileEntry, FileStatus
from weft.ingest.seen_files import seen_files
from weft.ingest.sources.plan import is_left_out


class LedgerFilter(Paging):
    """Which rows of the ledger, and which page of them."""

    unread: Annotated[bool, Field(description="Only the files that gave no text.")] = False
    status: list[FileStatus] = Field(
        default_factory=list, max_length=8, description="Only files that ended so."
    )
    q: Annotated[str, Field(max_length=200, description="In path or reason, case apart.")] = ""


class FileShape(BaseModel):
    """What became of one file, why, and what to do about it.

    `skipped` counts its records that were left out; `left_out` says that it was not to be read.
    """

    source: str
    path: str
    status: str
    reason: str
    advice: str
    documents: int
    chunks: int
    characters: int
    skipped: int
    left_out: bool


class LedgerTotals(BaseModel):
    """The sums over all rows that the caller may read, whatever is filtered."""

    files: int
    documents: int
    chunks: int
    characters: int


class LedgerShape(BaseModel):
    """What became of every file and every chunk.

    `chunks` counts the outcomes, and their sum is that of the rows. `found` counts the rows that
    fit the filter. `totals` comes with the first page.
    """

    files: list[FileShape]
    chunks: dict[str, int]
    statuses: dict[str, int]
    found: int
    totals: LedgerTotals | None
    next: str


router = APIRouter(prefix="/v1/kb", tags=["knowledge bases"])


@router.get("/{id}/ledger", summary="Show what became of every file")
@leaves("kb.ledger", "kb:{name}")
async def ledger(
    inside: Inside, scope: ReadScope, *, name: BaseName, wanted: Annotated[LedgerFilter, Query()]
) -> LedgerShape:
    """Show the readable rows of the ledger, by source and path, and the outcomes of chunks."""
    store, after = await inside.host.store(scope, name), place_of(wanted.cursor)
    # Every figure is one of rows as the caller sees them, so all are looked at.
    known = await seen_files(scope, store, await store.ledger.files(scope, None))
    fitting = [entry for entry in known if _fits(entry, wanted)]
    rest = [entry for entry in fitting if _place(entry) > after]
    page = rest[: wanted.limit]
    return LedgerShape(
        files=[_shape(entry) for entry in page],
        chunks=await store.ledger.outcomes(scope),
        statuses=dict(sorted(Counter(str(entry.status) for entry in known).items())),
        found=len(fitting),
        totals=None if after else _totals(known),
        next=cursor_of(_place(page[-1]) if len(rest) > wanted.limit else ""),
    )


def _fits(entry: FileEntry, wanted: LedgerFilter) -> bool:
    if wanted.unread and entry.status is FileStatus.READ:
        return False
    if wanted.status and entry.status not in wanted.status:
        return False
    said = wanted.q.casefold()
    return said in entry.path.casefold() or said in entry.reason.casefold()


def _place(entry: FileEntry) -> str:
    return f"{entry.source}\0{entry.path}"


def _totals(entries: Sequence[FileEntry]) -> LedgerTotals:
    return LedgerTotals(
        files=len(entries),
        documents=sum(entry.documents for entry in entries),
        chunks=sum(entry.chunks for entry in entries),
        characters=sum(entry.characters for entry in entries),
    )


def _shape(entry: FileEntry) -> FileShape:
    left_out = is_left_out(entry)
    return FileShape(
        source=entry.source,
        path=entry.path,
        status=str(entry.status),
        reason=entry.reason,
        advice="" if left_out else entry.advice,
        documents=entry.documents,
        chunks=entry.chunks,
        characters=entry.characters,
        skipped=entry.skipped,
        left_out=left_out,
    )
