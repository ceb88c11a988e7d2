"""The line of jobs, looked at: mostly there is nothing in it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from weft.adapters.sql.database.connection import SqlDatabase

if TYPE_CHECKING:
    from weft.ports.records.jobs import Job
    from weft.ports.records.worklist import Worklist


class JobLine:
    """The part of the port `Worklist` that sees whether anything is to be done."""

    def __init__(self, database: SqlDatabase, worklist: Callable[[], Worklist]) -> None:
        """Take the database, and what makes the port that takes jobs out of the line."""
        self._database = database
        self._worklist = worklist

    async def claim(
        self,
        worker: str,
        *,
        kinds: Collection[str],
        lease_seconds: float,
        each_at_once: int | None = None,
    ) -> Job | None:
        """Take the next job, as `Worklist` says; None where there is nothing to do."""
        if not await self._database.plain(lambda plain: plain.rows("any_job", {}), writes=False):
            return None
        return await self._worklist().claim(
            worker, kinds=kinds, lease_seconds=lease_seconds, each_at_once=each_at_once
        )
