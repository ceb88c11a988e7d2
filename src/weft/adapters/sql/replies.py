"""Replies to requests that made something, in a table."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import ColumnElement, Connection, and_, delete, select

from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.dialect import insert_new
from weft.adapters.sql.database.schema import replies
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.replies import StoredReply

_KEPT = timedelta(days=1)


class SqlReplies:
    """The port `Replies` on a `SqlDatabase`."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        """Take the database and the time."""
        self._database = database
        self._clock = clock

    async def find(self, scope: Scope, key: str) -> StoredReply | None:
        """Return the caller's reply of that key; None for none, and for one that is a day old."""
        query = select(replies).where(
            _of(scope), replies.c.key == key, replies.c.created > self._clock.now() - _KEPT
        )
        row = await self._database.read(lambda connection: connection.execute(query).one_or_none())
        if row is None:
            return None
        return StoredReply(request_hash=row.request_hash, status=row.status, body=row.body)

    async def keep(self, scope: Scope, key: str, reply: StoredReply) -> None:
        """Keep a reply, and let go of those that are a day old."""
        now = self._clock.now()
        row = {
            "tenant": scope.tenant,
            "actor": scope.actor,
            "key": key,
            "request_hash": reply.request_hash,
            "status": reply.status,
            "body": dict(reply.body),
            "created": now,
        }

        def work(connection: Connection) -> None:
            connection.execute(delete(replies).where(replies.c.created <= now - _KEPT))
            connection.execute(insert_new(connection, replies), [row])

        await self._database.write(work)


def _of(scope: Scope) -> ColumnElement[bool]:
    return and_(replies.c.tenant == scope.tenant, replies.c.actor == scope.actor)
