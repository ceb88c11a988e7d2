"""The caller's own run: what every statement that writes to one begins with."""

from __future__ import annotations

from weft.adapters.sql.database.plain import Plain
from weft.domain.errors import NotFound
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.records.runs import ENDED, RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRun:
    """What must be known of a run before something is written to it."""

    source_deleted: bool
    has_ended: bool


def require_own(plain: Plain, scope: Scope, run_id: RunId) -> OwnRun:
    """Return the caller's own run, held against other writers, or raise `NotFound`."""
    found = plain.rows("own_run", {**of_run(scope, run_id), "actor": scope.actor})
    if not found:
        raise run_not_found()
    (row,) = found
    return OwnRun(
        source_deleted=bool(row["source_deleted"]), has_ended=RunStatus(row["status"]) in ENDED
    )


def of_run(scope: Scope, run_id: RunId) -> dict[str, object]:
    """Return the values that name a run of the caller's tenant."""
    return {"tenant": scope.tenant, "run_id": run_id}


def run_not_found() -> NotFound:
    """Return the one error for a run that is not there and for one that is someone else's."""
    return NotFound("There is no such run here that you may see.")
