"""The id of a run as it is typed: whole, or its beginning where no other begins so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.domain.errors import BadInput
from weft.domain.ids import RunId
from weft.platform.identity import local_owner

if TYPE_CHECKING:
    from weft.bootstrap.app import App

LENGTH = 16
SHORT = 8
_PAGE = 500
_SHOWN = 5


async def whole_id(opened: App, given: str, *, with_jobs: bool = False) -> RunId:
    """Return the id of the one run that begins so, or of the one ingestion `with_jobs`.

    What begins no id is given back, for whoever looks it up to say so. Raises `BadInput` naming
    the runs where several begin so.
    """
    if len(given) >= LENGTH:
        return RunId(given)
    found = await _beginning(opened, given)
    if with_jobs:
        jobs = await opened.records.jobs.newest(local_owner(), limit=_PAGE)
        found |= {job.id: job.kind for job in jobs if job.id.startswith(given)}
    if len(found) > 1:
        named = [f"{each} ({what})" for each, what in list(found.items())[:_SHOWN]]
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise BadInput(
            f"Several runs begin with '{given}': {', '.join(named)}{more}.",
            candidates=list(found),
        )
    return RunId(next(iter(found), given))


async def _beginning(opened: App, given: str) -> dict[str, str]:
    """Return the runs whose ids begin so, the newest first, each with its question."""
    found: dict[str, str] = {}
    cursor = ""
    while True:
        page = await opened.records.runs.newest(local_owner(), limit=_PAGE, cursor=cursor)
        for run in page.runs:
            if run.header.run_id.startswith(given):
                found[run.header.run_id] = run.header.preview
        cursor = page.cursor
        if not cursor:
            return found
