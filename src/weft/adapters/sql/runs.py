"""Runs and their events in tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Text, and_, select, type_coerce

from weft.adapters.sql.answering.own_run import run_not_found
from weft.adapters.sql.answering.run_writer import RunWriter
from weft.adapters.sql.database.columns import as_json, clean
from weft.adapters.sql.database.dialect import scrub
from weft.adapters.sql.database.paging import before, cursor_of
from weft.adapters.sql.database.schema import run_events, runs
from weft.adapters.sql.erasure import erase_runs
from weft.adapters.sql.ownership import (
    readable,
    require_readable,
)
from weft.domain.event import EventType, RunEvent
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.records.runs import (
    Run,
    RunFilter,
    RunHeader,
    RunPage,
    RunStatus,
)


class SqlRuns(RunWriter):
    """The port `Runs` on a `SqlDatabase`: what a run writes, and what is asked of it afterwards."""

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
        await self._database.in_writer(lambda: scrub(self._database.engine))


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
