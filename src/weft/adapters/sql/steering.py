"""Orders for runs in a table."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, and_, delete, func, insert, select

from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.schema import run_orders
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.records.steering import MoreBudget, OrderKind, RunOrder


class SqlSteering:
    """The port `Steering`."""

    def __init__(self, database: SqlDatabase) -> None:
        """Take the database."""
        self._database = database

    async def put(self, scope: Scope, run_id: RunId, order: RunOrder) -> None:
        """Leave an order for a run of the tenant."""
        more = {name: _plain(value) for name, value in asdict(order.more).items()}

        def work(connection: Connection) -> None:
            own = and_(run_orders.c.tenant == scope.tenant, run_orders.c.run_id == run_id)
            last = connection.execute(select(func.max(run_orders.c.seq)).where(own)).scalar()
            row = {"seq": (last or 0) + 1, "kind": order.kind.value, "more": more}
            connection.execute(insert(run_orders).values(tenant=scope.tenant, run_id=run_id, **row))

        await self._database.write(work)

    async def take(self, scope: Scope, run_id: RunId) -> list[RunOrder]:
        """Return what was ordered of a run since the last time, and forget it."""
        own = and_(run_orders.c.tenant == scope.tenant, run_orders.c.run_id == run_id)
        query = select(run_orders).where(own).order_by(run_orders.c.seq)
        # Most runs are never steered: to look takes no turn at writing.
        if not await self._database.read(lambda connection: connection.execute(query).first()):
            return []

        def work(connection: Connection) -> list[RunOrder]:
            rows = connection.execute(query.with_for_update()).all()
            connection.execute(delete(run_orders).where(own))
            return [RunOrder(kind=OrderKind(row.kind), more=_more(row.more)) for row in rows]

        return await self._database.write(work)


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Decimal) else value


def _more(said: dict[str, Any]) -> MoreBudget:
    money = said.get("money")
    return MoreBudget(**{**said, "money": None if money is None else Decimal(money)})
