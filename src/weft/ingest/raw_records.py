"""Raw records of one request: handed over together, and what became of each."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.ledger import FileEntry, FileStatus
from weft.domain.scope import Scope
from weft.ingest.inbox_documents import HandedFile, InboxDocuments
from weft.ingest.sources.document_ids import by_file
from weft.ingest.sources.inbox import RECORDS, HandedRecord, record_file
from weft.ports.records.jobs import Job, Jobs, JobStatus
from weft.ports.store import Store

_LOOK_SECONDS = 0.05
_OVER = frozenset({JobStatus.FINISHED, JobStatus.FAILED, JobStatus.CANCELLED, JobStatus.PAUSED})


@dataclass(frozen=True, slots=True, kw_only=True)
class RawOutcome:
    """What became of a record: an empty reason where it was taken in.

    `is_bare` tells that no claim was found in it: it can be searched, and its graph is its names.
    """

    id: str
    status: str
    reason: str = ""
    is_bare: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RawBatch:
    """The records of a request, as files or as records, by their ids in the request's order."""

    files: Mapping[str, HandedFile]
    records: Mapping[str, HandedRecord]

    def paths(self) -> dict[str, str]:
        """Return where each record lies in the inbox, by its id."""
        kept = {key: f"{RECORDS}/{record_file(one.id)}" for key, one in self.records.items()}
        return {**{key: one.name for key, one in self.files.items()}, **kept}


async def ended(jobs: Jobs, scope: Scope, job_id: str, *, within_s: float) -> Job:
    """Return a job once it is over, or as it stands when that takes too long."""
    job = await jobs.get(scope, job_id)
    for _ in range(round(within_s / _LOOK_SECONDS)):
        if job.status in _OVER:
            break
        await asyncio.sleep(_LOOK_SECONDS)
        job = await jobs.get(scope, job_id)
    return job


async def outcomes(
    documents: InboxDocuments, scope: Scope, batch: RawBatch
) -> Sequence[RawOutcome]:
    """Return what the ledger says of each record of a batch."""
    store, here = documents.store, await asyncio.to_thread(documents.inbox.path.resolve)
    sources = [one for one in await store.ledger.sources(scope) if one.root == str(here)]
    if not sources:
        return [_missing(key) for key in batch.paths()]
    source = sources[0].name
    rows = {entry.path: entry for entry in await store.ledger.standing(scope, source)}
    made = by_file(await store.holdings.versions(scope, source), source)
    return [
        await _outcome(store, scope, key, rows.get(path), made.get(path, ()))
        for key, path in batch.paths().items()
    ]


async def _outcome(
    store: Store, scope: Scope, key: str, row: FileEntry | None, made: Sequence[DocumentId]
) -> RawOutcome:
    if row is None:
        return _missing(key)
    if row.status is not FileStatus.READ or row.reason:
        return RawOutcome(id=key, status=str(row.status), reason=row.reason or str(row.status))
    opened = [await store.documents.opened(scope, one) for one in made[:1]]
    return RawOutcome(id=key, status=str(row.status), is_bare=not any(one.claims for one in opened))


def _missing(key: str) -> RawOutcome:
    return RawOutcome(id=key, status="missing", reason="Nothing was read of it.")
