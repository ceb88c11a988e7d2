"""Tool calls in a table."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, select

from weft.adapters.sql.answering.tool_writer import BEGUN, ToolWriter
from weft.adapters.sql.database.schema import tool_runs
from weft.adapters.sql.ownership import require_readable
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.records.tool_runs import ToolCall, ToolOutcome, ToolRun, ToolStatus


class SqlToolRuns(ToolWriter):
    """The port `ToolRuns` on a `SqlDatabase`: what a run writes, and what is asked afterwards."""

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


def _tool_run(row: Row[Any], *, is_emptied: bool) -> ToolRun:
    outcome = None
    if row.status != BEGUN:
        outcome = ToolOutcome(
            status=ToolStatus(row.status), output=row.output, latency_ms=row.latency_ms
        )
    call = ToolCall(run_id=RunId(row.run_id), action_id=row.action_id, tool=row.tool, args=row.args)
    return ToolRun(call=call, outcome=outcome, begun_before=True, source_deleted=is_emptied)
