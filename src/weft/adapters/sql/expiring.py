"""Runs and tapes that are kept in this process for a while, and not stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import Connection, and_, delete, func, select

from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.schema import conversations, runs, usage
from weft.adapters.sql.erasure import erase_conversations, erase_runs
from weft.adapters.sql.runs import SqlRuns
from weft.adapters.sql.tape import SqlTape
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.runs import RunHeader


class ExpiringRuns(SqlRuns):
    """Runs in memory: those that ended go when their time is over, or when there are too many."""

    def __init__(self, database: SqlDatabase, clock: Clock, *, life: timedelta, most: int) -> None:
        """Take the tables in memory, the time, and how long and how much is kept."""
        super().__init__(database, clock)
        self._life = life
        self._most = most

    async def create(self, scope: Scope, header: RunHeader) -> None:
        """Begin a run of the caller, and let go of what is too old."""
        await super().create(scope, header)
        await self._database.write(self._expire)

    def _expire(self, connection: Connection) -> None:
        before = self._clock.now() - self._life
        erase_conversations(connection, conversations.c.updated <= before)
        ended = runs.c.finished.is_not(None)
        erase_runs(connection, and_(ended, runs.c.started <= before))
        connection.execute(delete(usage).where(usage.c.ts <= before))
        total = connection.execute(select(func.count()).select_from(runs)).scalar_one()
        if total > self._most:
            by_age = select(runs.c.run_id).where(ended).order_by(runs.c.started)
            oldest = by_age.limit(total - self._most)
            ids = list(connection.execute(oldest).scalars())
            erase_runs(connection, and_(ended, runs.c.run_id.in_(ids)))


class ForgettingTape(SqlTape):
    """A tape in memory that forgets deleted documents in the records too.

    Runs may be stored there from a time when history was.
    """

    def __init__(self, database: SqlDatabase, records: SqlDatabase) -> None:
        """Take the tables in memory and the records."""
        super().__init__(database)
        self._records = SqlTape(records)

    async def forget(
        self, scope: Scope, knowledge_base: str, *, documents: Sequence[DocumentId] | None
    ) -> int:
        """Empty every run, in memory and stored, that read one of these documents."""
        stored = await self._records.forget(scope, knowledge_base, documents=documents)
        return stored + await super().forget(scope, knowledge_base, documents=documents)
