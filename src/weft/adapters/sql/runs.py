"""Runs and their events in tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Text, and_, select, type_coerce, update

from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.dialect import insert_new, lock
from weft.adapters.sql.database.paging import before, cursor_of
from weft.adapters.sql.database.schema import as_json, clean, run_events, runs
from weft.adapters.sql.erasure import erase_runs
from weft.adapters.sql.ownership import (
    readable,
    require_own,
    require_readable,
    run_not_found,
)
from weft.adapters.sql.usage.entries import note_calls, note_end
from weft.domain.errors import BadInput
from weft.domain.event import EventType, RunEvent
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.runs import (
    ENDED,
    KEEP_DATA,
    SOURCE_DELETED,
    Run,
    RunFilter,
    RunHeader,
    RunPage,
    RunStatus,
)


class SqlRuns:
    """The port `Runs` on a `SqlDatabase`."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        """Take the database and the time."""
        self._database = database
        self._clock = clock

    async def create(self, scope: Scope, header: RunHeader) -> None:
        """Begin a run of the caller; again with the same id changes nothing."""
        await self._database.write(lambda connection: _create(connection, scope, header))

    async def append(self, scope: Scope, events: Sequence[RunEvent]) -> None:
        """Add events of one run in one transaction; a `seq` that is there stays as it is."""
        if len({event.run_id for event in events}) > 1:
            raise BadInput("Events of several runs cannot be appended at once.")
        if events:
            await self._database.write(lambda connection: _append(connection, scope, events))

    async def finish(
        self, scope: Scope, run_id: RunId, *, status: RunStatus, summary: Mapping[str, object]
    ) -> None:
        """End a run and drop its frontier; a run that has ended stays as it ended."""
        if status not in ENDED:
            raise BadInput(f"A run does not end as {status}.")

        def work(connection: Connection) -> None:
            run = require_own(connection, scope, run_id)
            if run.has_ended:
                return
            now = self._clock.now()
            values = {
                "status": status.value,
                "finished": now,
                "summary": SOURCE_DELETED if run.source_deleted else dict(summary),
                "frontier": None,
            }
            _change(connection, scope, run_id, values=values)
            note_end(connection, scope, run_id, ended=(status, now), summary=summary)

        await self._database.write(work)

    async def get(self, scope: Scope, run_id: RunId) -> Run:
        """Return a run, or raise `NotFound`."""
        query = select(runs).where(readable(scope), runs.c.run_id == run_id)
        found = await self._database.read(
            lambda connection: connection.execute(query).one_or_none()
        )
        if found is None:
            raise run_not_found()
        return _run(found)

    async def newest(
        self, scope: Scope, *, limit: int, cursor: str = "", wanted: RunFilter | None = None
    ) -> RunPage:
        """Return the readable runs that are wanted, the newest first."""
        query = select(runs).where(readable(scope), *_wanted(wanted or RunFilter()))
        if cursor:
            query = query.where(before(cursor, time=runs.c.started, key=runs.c.run_id))
        query = query.order_by(runs.c.started.desc(), runs.c.run_id.desc()).limit(limit + 1)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        page = tuple(_run(row) for row in rows[:limit])
        more = page and len(rows) > limit
        return RunPage(runs=page, cursor=_cursor(page[-1]) if more else "")

    async def events(self, scope: Scope, run_id: RunId, *, after_seq: int = 0) -> list[RunEvent]:
        """Return a run's events past `after_seq`, in order."""

        def work(connection: Connection) -> list[RunEvent]:
            require_readable(connection, scope, run_id)
            query = (
                select(run_events)
                .where(run_events.c.tenant == scope.tenant, run_events.c.run_id == run_id)
                .where(run_events.c.seq > after_seq)
                .order_by(run_events.c.seq)
            )
            return [_event(row) for row in connection.execute(query)]

        return await self._database.read(work)

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

        def work(connection: Connection) -> None:
            run = require_own(connection, scope, run_id)
            if not run.has_ended:
                kept = None if run.source_deleted else dict(frontier)
                _change(
                    connection, scope, run_id, values={"status": status.value, "frontier": kept}
                )

        await self._database.write(work)

    async def load_frontier(self, scope: Scope, run_id: RunId) -> Mapping[str, object] | None:
        """Return where the caller's run stands; None when there is nothing to go on from."""
        query = select(runs.c.frontier).where(
            runs.c.tenant == scope.tenant, runs.c.run_id == run_id, runs.c.actor == scope.actor
        )
        found = await self._database.read(
            lambda connection: connection.execute(query).one_or_none()
        )
        if found is None:
            raise run_not_found()
        frontier: Mapping[str, object] | None = found[0]
        return frontier

    async def erase(self, scope: Scope, run_id: RunId) -> None:
        """Erase a run of the caller that outlived its conversation; again does nothing."""
        own = and_(runs.c.tenant == scope.tenant, runs.c.actor == scope.actor)
        chosen = and_(own, runs.c.run_id == run_id)
        await self._database.write(lambda connection: erase_runs(connection, chosen))
        await self._database.scrub()


def _create(connection: Connection, scope: Scope, header: RunHeader) -> None:
    lock(connection, f"run:{scope.tenant}:{header.run_id}")
    taken = select(runs.c.actor).where(
        runs.c.tenant == scope.tenant, runs.c.run_id == header.run_id
    )
    owner = connection.execute(taken).scalar()
    if owner is not None:
        if owner != scope.actor:
            raise BadInput("This run id cannot be used.")
        return
    row = {
        "tenant": scope.tenant,
        "run_id": header.run_id,
        "actor": scope.actor,
        "agent": header.agent,
        "flow": header.flow,
        "question_hash": header.question_hash,
        "preview": clean(header.preview),
        "kb_refs": list(header.kb_refs),
        "status": RunStatus.RUNNING.value,
        "started": header.started,
        "summary": {},
        "frontier": None,
        "source_deleted": False,
    }
    connection.execute(runs.insert(), row)


def _append(connection: Connection, scope: Scope, events: Sequence[RunEvent]) -> None:
    run = require_own(connection, scope, events[0].run_id)
    rows = [_row(scope, event, is_emptied=run.source_deleted) for event in events]
    connection.execute(insert_new(connection, run_events), rows)
    note_calls(connection, scope, events)


def _row(scope: Scope, event: RunEvent, *, is_emptied: bool) -> dict[str, object]:
    emptied = is_emptied and event.type not in KEEP_DATA
    return {
        "tenant": scope.tenant,
        "run_id": event.run_id,
        "seq": event.seq,
        "ts": event.ts,
        "type": event.type.value,
        "node": event.node,
        "parent": event.parent,
        "sources": list(event.sources),
        "data": SOURCE_DELETED if emptied else dict(event.data),
    }


def _change(
    connection: Connection, scope: Scope, run_id: RunId, *, values: Mapping[str, object]
) -> None:
    of_run = and_(runs.c.tenant == scope.tenant, runs.c.run_id == run_id)
    connection.execute(update(runs).where(of_run).values(**values))


def _wanted(wanted: RunFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.status:
        found.append(runs.c.status == clean(wanted.status))
    if wanted.knowledge_base:
        # The column is a JSON list of names; with its quotes, a name is never part of another one.
        listed = type_coerce(runs.c.kb_refs, Text)
        found.append(listed.contains(as_json(wanted.knowledge_base), autoescape=True))
    return found


def _cursor(run: Run) -> str:
    return cursor_of(run.header.started, run.header.run_id)


def _run(row: Row[Any]) -> Run:
    header = RunHeader(
        run_id=RunId(row.run_id),
        agent=row.agent,
        flow=row.flow,
        started=row.started,
        question_hash=row.question_hash,
        preview=row.preview,
        kb_refs=tuple(row.kb_refs),
    )
    return Run(
        header=header,
        actor=row.actor,
        status=RunStatus(row.status),
        finished=row.finished,
        summary=row.summary,
        source_deleted=row.source_deleted,
    )


def _event(row: Row[Any]) -> RunEvent:
    return RunEvent(
        seq=row.seq,
        run_id=RunId(row.run_id),
        ts=row.ts,
        type=EventType(row.type),
        node=row.node,
        parent=row.parent,
        sources=tuple(row.sources),
        data=row.data,
    )
