"""How messages, run events and tapes are kept: in the records, or in this process for a while."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import Connection, and_, delete, func, select

from weft.adapters.sql.conversations import SqlConversations
from weft.adapters.sql.database.connection import MEMORY, SqlDatabase
from weft.adapters.sql.database.migration import prepare
from weft.adapters.sql.database.schema import conversations, runs, usage
from weft.adapters.sql.erasure import erase_conversations, erase_runs
from weft.adapters.sql.runs import SqlRuns
from weft.adapters.sql.sessions import SqlSessions
from weft.adapters.sql.tape import SqlTape
from weft.adapters.sql.tool_runs import SqlToolRuns
from weft.adapters.sql.usage.sums import SqlUsage
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.conversations import HISTORY_LIMIT
from weft.ports.records.runs import RunHeader


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """What is kept where: in the records if `stored`, else in memory for so many hours.

    `limit` is how many messages of a conversation are kept, and `most_runs` how many runs are held
    in memory: the oldest that have ended go first.
    """

    stored: bool = True
    limit: int = HISTORY_LIMIT
    hours: float = 24.0
    most_runs: int = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweringRecords:
    """The ports of what is kept of answering, on one database."""

    runs: SqlRuns
    tape: SqlTape
    tool_runs: SqlToolRuns
    sessions: SqlSessions
    conversations: SqlConversations
    usage: SqlUsage
    database: SqlDatabase


def open_answering_records(
    records: SqlDatabase, clock: Clock, *, retention: Retention
) -> AnsweringRecords:
    """Return where answering is kept: the records themselves, or tables in memory."""
    if retention.stored:
        database, its_runs, tape = records, SqlRuns(records, clock), SqlTape(records)
    else:
        database = SqlDatabase(MEMORY)
        prepare(database)
        its_runs = ExpiringRuns(database, clock, retention=retention)
        tape = ForgettingTape(database, records)
    return AnsweringRecords(
        runs=its_runs,
        tape=tape,
        tool_runs=SqlToolRuns(database, clock),
        sessions=SqlSessions(database, clock),
        conversations=SqlConversations(database, clock, limit=retention.limit),
        usage=SqlUsage(database),
        database=database,
    )


class ExpiringRuns(SqlRuns):
    """Runs in memory: those that ended go when their time is over, or when there are too many."""

    def __init__(self, database: SqlDatabase, clock: Clock, *, retention: Retention) -> None:
        """Take the tables in memory, the time, and how long and how much is kept."""
        super().__init__(database, clock)
        self._life = timedelta(hours=retention.hours)
        self._most = retention.most_runs

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
