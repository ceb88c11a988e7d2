"""Runs as they are written: begun, told of, saved, ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.adapters.sql.answering.own_run import of_run, require_own
from weft.adapters.sql.answering.usage_entries import note_calls, note_end
from weft.adapters.sql.database.columns import as_json, clean, microseconds
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.plain import Plain
from weft.domain.errors import BadInput
from weft.domain.event import RunEvent
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.runs import ENDED, KEEP_DATA, SOURCE_DELETED, RunHeader, RunStatus


class RunWriter:
    """The part of the port `Runs` that a run itself writes."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        """Take the database and the time."""
        self._database = database
        self._clock = clock

    async def create(self, scope: Scope, header: RunHeader) -> None:
        """Begin a run of the caller; again with the same id changes nothing."""
        await self._database.plain(lambda plain: _create(plain, scope, header), writes=True)

    async def append(self, scope: Scope, events: Sequence[RunEvent]) -> None:
        """Add events of one run in one transaction; a `seq` that is there stays as it is."""
        if len({event.run_id for event in events}) > 1:
            raise BadInput("Events of several runs cannot be appended at once.")
        if events:
            await self._database.plain(lambda plain: _append(plain, scope, events), writes=True)

    async def finish(
        self, scope: Scope, run_id: RunId, *, status: RunStatus, summary: Mapping[str, object]
    ) -> None:
        """End a run and drop its frontier; a run that has ended stays as it ended."""
        if status not in ENDED:
            raise BadInput(f"A run does not end as {status}.")

        def work(plain: Plain) -> None:
            run = require_own(plain, scope, run_id)
            if run.has_ended:
                return
            now = self._clock.now()
            values = {
                "status": status.value,
                "finished": microseconds(now),
                "summary": as_json(SOURCE_DELETED if run.source_deleted else dict(summary)),
                "frontier": as_json(None),
            }
            plain.run("end_run", {**of_run(scope, run_id), **values})
            note_end(plain, scope, run_id, ended=(status, now), summary=summary)

        await self._database.plain(work, writes=True)

    async def save_frontier(
        self,
        scope: Scope,
        run_id: RunId,
        *,
        frontier: Mapping[str, object],
        status: RunStatus = RunStatus.RUNNING,
    ) -> None:
        """Keep where a run stands, in place of what was kept before; an ended run keeps nothing."""
        if status in ENDED:
            raise BadInput("A run that has ended has no frontier.")

        def work(plain: Plain) -> None:
            run = require_own(plain, scope, run_id)
            if not run.has_ended:
                kept = as_json(None if run.source_deleted else dict(frontier))
                values = {"status": status.value, "frontier": kept}
                plain.run("save_frontier", {**of_run(scope, run_id), **values})

        await self._database.plain(work, writes=True)


def _create(plain: Plain, scope: Scope, header: RunHeader) -> None:
    plain.lock(f"run:{scope.tenant}:{header.run_id}")
    key = of_run(scope, header.run_id)
    for taken in plain.rows("actor_of_run", key):
        if taken["actor"] != scope.actor:
            raise BadInput("This run id cannot be used.")
        return
    row = {
        **key,
        "actor": scope.actor,
        "agent": header.agent,
        "flow": header.flow,
        "question_hash": header.question_hash,
        "preview": clean(header.preview),
        "kb_refs": as_json(list(header.kb_refs)),
        "status": RunStatus.RUNNING.value,
        "started": microseconds(header.started),
        "summary": as_json({}),
        "frontier": as_json(None),
        "source_deleted": False,
    }
    plain.run("add_run", row)


def _append(plain: Plain, scope: Scope, events: Sequence[RunEvent]) -> None:
    run = require_own(plain, scope, events[0].run_id)
    rows = [_row(scope, event, is_emptied=run.source_deleted) for event in events]
    plain.run_each("add_event", rows)
    note_calls(plain, scope, events)


def _row(scope: Scope, event: RunEvent, *, is_emptied: bool) -> dict[str, object]:
    emptied = is_emptied and event.type not in KEEP_DATA
    return {
        **of_run(scope, event.run_id),
        "seq": event.seq,
        "ts": microseconds(event.ts),
        "type": event.type.value,
        "node": event.node,
        "parent": event.parent,
        "sources": as_json(list(event.sources)),
        "data": as_json(SOURCE_DELETED if emptied else dict(event.data)),
    }
