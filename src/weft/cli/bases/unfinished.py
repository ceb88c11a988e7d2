"""What is still being read, or was left half read by a process that died: told with its remedy."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from weft.domain.frozen import dataclass
from weft.platform.identity import local_owner
from weft.ports.records.jobs import INGESTION, Job, JobFilter, JobStatus

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.ports.records.bases import RegisteredBase

# A job that failed or was cancelled has ended, and somebody was told of it.
_UNFINISHED = (JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.PAUSED)
_AT_MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """An ingestion that has not ended: the knowledge base's name and title, and what goes on."""

    base: str
    title: str
    call: str


async def unfinished(app: App, base: str = "") -> list[Unfinished]:
    """Return the ingestions that have not ended, of one knowledge base by name or of all.

    Who works at one of them now cannot be told from who died at it until a lease ends; the call
    that is named goes on in either case, or waits for whoever is at it.
    """
    scope = local_owner()
    kind = f"{INGESTION}{base}"
    wanted = [JobFilter(kind=kind, status=str(status)) for status in _UNFINISHED]
    pages = await asyncio.gather(
        *(app.records.jobs.page(scope, limit=_AT_MOST, wanted=one) for one in wanted)
    )
    jobs = [job for page in pages for job in page.jobs]
    if not jobs:
        return []
    bases = {one.name: one for one in await app.library.listed(scope)}
    names = [(job, job.kind.removeprefix(INGESTION)) for job in jobs]
    found = [
        Unfinished(base=name, title=bases[name].title, call=_call(app, job, bases[name]))
        for job, name in names
        if name in bases
    ]
    return list(dict.fromkeys(found))


def _call(app: App, job: Job, base: RegisteredBase) -> str:
    """Return the call that goes on with a job."""
    from weft.bases.naming import as_argument

    if job.status is JobStatus.PAUSED:
        return f"weft runs resume {job.id}"
    root = str(job.args["root"])
    if Path(root).is_relative_to(app.settings.home.resolve()):
        return "weft worker"  # what was handed over is no folder that somebody can name
    call = f"weft ingest {as_argument(root)}"
    return call if base.folder == root else f"{call} --kb {as_argument(base.title)}"
