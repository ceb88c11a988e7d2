"""Whose run it is: the condition that every statement about a run begins with."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, and_, select

from weft.adapters.sql.database.schema import runs
from weft.domain.errors import NotFound
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.platform.access import authorize
from weft.ports.records.runs import ENDED, RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRun:
    """What must be known of a run before something is written to it."""

    source_deleted: bool
    has_ended: bool


def readable(scope: Scope) -> ColumnElement[bool]:
    """Return the condition on `runs` for those that the caller may read."""
    of_tenant = runs.c.tenant == scope.tenant
    if authorize(scope, "run.read.all", "run:*").allowed:
        return of_tenant
    return and_(of_tenant, runs.c.actor == scope.actor)


def require_readable(connection: Connection, scope: Scope, run_id: RunId) -> bool:
    """Return whether a readable run lost a source, or raise `NotFound`."""
    query = select(runs.c.source_deleted).where(readable(scope), runs.c.run_id == run_id)
    found = connection.execute(query).one_or_none()
    if found is None:
        raise run_not_found()
    return bool(found[0])


def require_own(connection: Connection, scope: Scope, run_id: RunId) -> OwnRun:
    """Return the caller's own run, held against other writers, or raise `NotFound`."""
    query = select(runs.c.source_deleted, runs.c.status).where(
        runs.c.tenant == scope.tenant, runs.c.run_id == run_id, runs.c.actor == scope.actor
    )
    found = connection.execute(query.with_for_update()).one_or_none()
    if found is None:
        raise run_not_found()
    return OwnRun(source_deleted=found[0], has_ended=RunStatus(found[1]) in ENDED)


def run_not_found() -> NotFound:
    """Return the one error for a run that is not there and for one that is someone else's."""
    return NotFound("There is no such run here that you may see.")
