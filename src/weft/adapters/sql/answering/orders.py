"""Orders for runs, looked for: most runs are never steered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from weft.adapters.sql.answering.own_run import of_run
from weft.adapters.sql.database.connection import SqlDatabase
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.records.steering import RunOrder

if TYPE_CHECKING:
    from weft.ports.records.steering import Steering


class Orders:
    """The part of the port `Steering` that a run needs."""

    def __init__(self, database: SqlDatabase, steering: Callable[[], Steering]) -> None:
        """Take the database, and what makes the port that takes what is there."""
        self._database = database
        self._steering = steering

    async def take(self, scope: Scope, run_id: RunId) -> list[RunOrder]:
        """Return what was ordered of a run since the last time, and forget it."""
        # To look takes no turn at writing.
        key = of_run(scope, run_id)
        if not await self._database.plain(lambda plain: plain.rows("any_order", key), writes=False):
            return []
        return await self._steering().take(scope, run_id)
