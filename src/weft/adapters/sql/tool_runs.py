"""Tool calls in a table."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, select, update

from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.schema import as_json, tool_runs
from weft.adapters.sql.ownership import OwnRun, require_own, require_readable
from weft.adapters.sql.usage.entries import note_tool
from weft.domain.errors import InvalidToolCall, NotFound
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.tool_runs import ToolCall, ToolOutcome, ToolRun, ToolStatus

_BEGUN = "begun"


class SqlToolRuns:
    """The port `ToolRuns` on a `SqlDatabase`."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        """Take the database and the time."""
        self._database = database
        self._clock = clock

    async def begin(self, scope: Scope, call: ToolCall) -> ToolRun:
        """Write that a call begins, or return what there is of it from before.

        Raises `NotFound` for a run that is not the caller's, `InvalidToolCall` when the action's id
        was used for another tool or other arguments.
        """

        def work(connection: Connection) -> ToolRun:
            run = require_own(connection, scope, call.run_id)
            query = select(tool_runs).where(_action(scope, call.run_id, call.action_id))
            found = connection.execute(query).one_or_none()
            if found is not None:
                return _begun_before(found, call, run=run)
            connection.execute(tool_runs.insert(), self._row(scope, call, run))
            return ToolRun(
                call=call,
                outcome=None,
                begun_before=False,
                source_deleted=run.source_deleted,
            )

        return await self._database.write(work)

    async def finish(
        self, scope: Scope, run_id: RunId, action_id: str, *, outcome: ToolOutcome
    ) -> bool:
        """Write the outcome of a call; False if it had one already, which stays.

        Raises `NotFound` for an action that did not begin.
        """

        def work(connection: Connection) -> bool:
            run = require_own(connection, scope, run_id)
            action = _action(scope, run_id, action_id)
            query = select(tool_runs.c.status, tool_runs.c.tool, tool_runs.c.started).where(action)
            found = connection.execute(query).one_or_none()
            if found is None:
                raise NotFound("There is no such action in this run.")
            if found.status != _BEGUN:
                return False
            values = {
                "status": outcome.status.value,
                "output": None if run.source_deleted else outcome.output,
                "latency_ms": outcome.latency_ms,
            }
            connection.execute(update(tool_runs).where(action).values(**values))
            call = (action_id, found.tool, found.started)
            note_tool(connection, scope, run_id, call=call, outcome=outcome)
            return True

        return await self._database.write(work)

    async def of_run(self, scope: Scope, run_id: RunId) -> list[ToolRun]:
        """Return the calls of a run in the order in which they began."""

        def work(connection: Connection) -> list[ToolRun]:
            emptied = require_readable(connection, scope, run_id)
            query = (
                select(tool_runs)
                .where(tool_runs.c.tenant == scope.tenant, tool_runs.c.run_id == run_id)
                .order_by(tool_runs.c.started, tool_runs.c.action_id)
            )
            return [_tool_run(row, is_emptied=emptied) for row in connection.execute(query)]

        return await self._database.read(work)

    def _row(self, scope: Scope, call: ToolCall, run: OwnRun) -> dict[str, object]:
        return {
            "tenant": scope.tenant,
            "run_id": call.run_id,
            "action_id": call.action_id,
            "tool": call.tool,
            "args": {} if run.source_deleted else dict(call.args),
            "status": _BEGUN,
            "output": None,
            "latency_ms": 0.0,
            "started": self._clock.now(),
        }


def _begun_before(row: Row[Any], call: ToolCall, *, run: OwnRun) -> ToolRun:
    before = _tool_run(row, is_emptied=run.source_deleted)
    # The arguments of an emptied run are gone: there is nothing to compare with.
    same_args = run.source_deleted or as_json(before.call.args) == as_json(dict(call.args))
    if before.call.tool != call.tool or not same_args:
        raise InvalidToolCall(
            "The action's id was used for another call.", action_id=call.action_id
        )
    return before


def _action(scope: Scope, run_id: RunId, action_id: str) -> ColumnElement[bool]:
    return and_(
        tool_runs.c.tenant == scope.tenant,
        tool_runs.c.run_id == run_id,
        tool_runs.c.action_id == action_id,
    )


def _tool_run(row: Row[Any], *, is_emptied: bool) -> ToolRun:
    outcome = None
    if row.status != _BEGUN:
        outcome = ToolOutcome(
            status=ToolStatus(row.status), output=row.output, latency_ms=row.latency_ms
        )
    call = ToolCall(run_id=RunId(row.run_id), action_id=row.action_id, tool=row.tool, args=row.args)
    return ToolRun(call=call, outcome=outcome, begun_before=True, source_deleted=is_emptied)
