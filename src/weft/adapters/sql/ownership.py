"""Whose run it is: the condition that every statement about a run begins with."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, and_, select

from weft.adapters.sql.answering.own_run import run_not_found
from weft.adapters.sql.database.schema import runs
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.platform.access import authorize


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
