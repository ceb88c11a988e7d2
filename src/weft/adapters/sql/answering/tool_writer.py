"""Tool calls as a run writes them: begun, ended."""

from __future__ import annotations

import json
from typing import Any

from weft.adapters.sql.answering.own_run import OwnRun, of_run, require_own
from weft.adapters.sql.answering.usage_entries import note_tool
from weft.adapters.sql.database.columns import as_json, microseconds
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.plain import Plain
from weft.domain.errors import InvalidToolCall, NotFound
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.tool_runs import ToolCall, ToolOutcome, ToolRun, ToolStatus

BEGUN = "begun"


class ToolWriter:
    """The part of the port `ToolRuns` that a run itself writes."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        """Take the database and the time."""
        self._database = database
        self._clock = clock

    async def begin(self, scope: Scope, call: ToolCall) -> ToolRun:
        """Write that a call begins, or return what there is of it from before.

        Raises `NotFound` for a run that is not the caller's, `InvalidToolCall` when the action's id
        was used for another tool or other arguments.
        """

        def work(plain: Plain) -> ToolRun:
            run = require_own(plain, scope, call.run_id)
            for found in plain.rows("action", _action(scope, call.run_id, call.action_id)):
                return _begun_before(found, call, run=run)
            plain.run("begin_action", self._row(scope, call, run))
            return ToolRun(
                call=call,
                outcome=None,
                begun_before=False,
                source_deleted=run.source_deleted,
            )

        return await self._database.plain(work, writes=True)

    async def finish(
        self, scope: Scope, run_id: RunId, action_id: str, *, outcome: ToolOutcome
    ) -> bool:
        """Write the outcome of a call; False if it had one already, which stays.

        Raises `NotFound` for an action that did not begin.
        """

        def work(plain: Plain) -> bool:
            run = require_own(plain, scope, run_id)
            action = _action(scope, run_id, action_id)
            found = plain.rows("action", action)
            if not found:
                raise NotFound("There is no such action in this run.")
            (row,) = found
            if row["status"] != BEGUN:
                return False
            values = {
                "status": outcome.status.value,
                "output": as_json(None if run.source_deleted else outcome.output),
                "latency_ms": outcome.latency_ms,
            }
            plain.run("end_action", {**action, **values})
            call = (action_id, row["tool"], row["started"])
            note_tool(plain, scope, run_id, call=call, outcome=outcome)
            return True

        return await self._database.plain(work, writes=True)

    def _row(self, scope: Scope, call: ToolCall, run: OwnRun) -> dict[str, object]:
        return {
            **_action(scope, call.run_id, call.action_id),
            "tool": call.tool,
            "args": as_json({} if run.source_deleted else dict(call.args)),
            "status": BEGUN,
            "output": as_json(None),
            "latency_ms": 0.0,
            "started": microseconds(self._clock.now()),
        }


def _action(scope: Scope, run_id: RunId, action_id: str) -> dict[str, object]:
    return {**of_run(scope, run_id), "action_id": action_id}


def _begun_before(row: dict[str, Any], call: ToolCall, *, run: OwnRun) -> ToolRun:
    # The arguments of an emptied run are gone: there is nothing to compare with.
    same_args = run.source_deleted or row["args"] == as_json(dict(call.args))
    if row["tool"] != call.tool or not same_args:
        raise InvalidToolCall(
            "The action's id was used for another call.", action_id=call.action_id
        )
    outcome = None
    if row["status"] != BEGUN:
        outcome = ToolOutcome(
            status=ToolStatus(row["status"]),
            output=json.loads(row["output"]),
            latency_ms=row["latency_ms"],
        )
    before = ToolCall(
        run_id=call.run_id,
        action_id=call.action_id,
        tool=row["tool"],
        args=json.loads(row["args"]),
    )
    return ToolRun(
        call=before, outcome=outcome, begun_before=True, source_deleted=run.source_deleted
    )
