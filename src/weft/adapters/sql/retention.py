"""How messages, run events and tapes are kept: in the records, or in this process for a while."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, cast

from weft.adapters.sql.answering.run_writer import RunWriter
from weft.adapters.sql.answering.tape_writer import TapeWriter
from weft.adapters.sql.answering.tool_writer import ToolWriter
from weft.adapters.sql.database.connection import MEMORY, SqlDatabase
from weft.adapters.sql.database.late import Late
from weft.domain.frozen import dataclass
from weft.ports.clock import Clock
from weft.ports.records.conversations import HISTORY_LIMIT

if TYPE_CHECKING:
    from weft.adapters.sql.conversations import SqlConversations
    from weft.adapters.sql.runs import SqlRuns
    from weft.adapters.sql.sessions import SqlSessions
    from weft.adapters.sql.tape import SqlTape
    from weft.adapters.sql.tool_runs import SqlToolRuns
    from weft.adapters.sql.usage.sums import SqlUsage


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
        database, its_runs, tape = records, _runs_of(records, clock), _tape_of(records)
    else:
        from weft.adapters.sql.database.migration import prepare
        from weft.adapters.sql.expiring import ExpiringRuns, ForgettingTape

        database = SqlDatabase(MEMORY)
        prepare(database)
        life = timedelta(hours=retention.hours)
        its_runs = ExpiringRuns(database, clock, life=life, most=retention.most_runs)
        tape = ForgettingTape(database, records)
    return AnsweringRecords(
        runs=its_runs,
        tape=tape,
        tool_runs=_tool_runs_of(database, clock),
        sessions=_sessions_of(database, clock),
        conversations=_conversations_of(database, clock, limit=retention.limit),
        usage=_usage_of(database),
        database=database,
    )


# Each of these is loaded when more is asked of it than an answer needs.


def _runs_of(database: SqlDatabase, clock: Clock) -> SqlRuns:
    def whole() -> SqlRuns:
        from weft.adapters.sql.runs import SqlRuns

        return SqlRuns(database, clock)

    return cast("SqlRuns", Late(whole, quick=RunWriter(database, clock)))


def _tape_of(database: SqlDatabase) -> SqlTape:
    def whole() -> SqlTape:
        from weft.adapters.sql.tape import SqlTape

        return SqlTape(database)

    return cast("SqlTape", Late(whole, quick=TapeWriter(database)))


def _tool_runs_of(database: SqlDatabase, clock: Clock) -> SqlToolRuns:
    def whole() -> SqlToolRuns:
        from weft.adapters.sql.tool_runs import SqlToolRuns

        return SqlToolRuns(database, clock)

    return cast("SqlToolRuns", Late(whole, quick=ToolWriter(database, clock)))


def _sessions_of(database: SqlDatabase, clock: Clock) -> SqlSessions:
    def whole() -> SqlSessions:
        from weft.adapters.sql.sessions import SqlSessions

        return SqlSessions(database, clock)

    return cast("SqlSessions", Late(whole))


def _conversations_of(database: SqlDatabase, clock: Clock, *, limit: int) -> SqlConversations:
    def whole() -> SqlConversations:
        from weft.adapters.sql.conversations import SqlConversations

        return SqlConversations(database, clock, limit=limit)

    return cast("SqlConversations", Late(whole))


def _usage_of(database: SqlDatabase) -> SqlUsage:
    def whole() -> SqlUsage:
        from weft.adapters.sql.usage.sums import SqlUsage

        return SqlUsage(database)

    return cast("SqlUsage", Late(whole))
