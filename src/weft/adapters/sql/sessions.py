"""Sessions in a table."""

from __future__ import annotations

import uuid
from datetime import timedelta

from sqlalchemy import ColumnElement, Connection, and_, delete, select, update

from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.schema import conversations, sessions
from weft.adapters.sql.erasure import erase_conversations
from weft.domain.errors import NotFound
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.sessions import SESSION_DAYS, Session, SessionId

_LIFE = timedelta(days=SESSION_DAYS)


class SqlSessions:
    """The port `Sessions` on a `SqlDatabase`."""

    def __init__(self, database: SqlDatabase, clock: Clock) -> None:
        """Take the database and the time."""
        self._database = database
        self._clock = clock

    async def begin(self, scope: Scope) -> Session:
        """Make a session of the caller; sessions whose time is over go, with all they hold."""
        now = self._clock.now()
        made = Session(id=SessionId(str(uuid.uuid4())), created=now, expires_at=now + _LIFE)
        row = {
            "tenant": scope.tenant,
            "id": made.id,
            "actor": scope.actor,
            "created": made.created,
            "expires": made.expires_at,
        }

        def work(connection: Connection) -> None:
            over = sessions.c.expires <= now
            of_those = conversations.c.session.in_(select(sessions.c.id).where(over))
            erase_conversations(connection, of_those)
            connection.execute(delete(sessions).where(over))
            connection.execute(sessions.insert(), row)

        await self._database.write(work)
        return made

    async def get(self, scope: Scope, session_id: SessionId) -> Session:
        """Return a session, its life prolonged by this."""
        now = self._clock.now()
        own = and_(own_session(scope, session_id), sessions.c.expires > now)

        def work(connection: Connection) -> Session:
            created = connection.execute(select(sessions.c.created).where(own)).scalar()
            if created is None:
                raise session_not_found()
            connection.execute(update(sessions).where(own).values(expires=now + _LIFE))
            return Session(id=session_id, created=created, expires_at=now + _LIFE)

        return await self._database.write(work)


def own_session(scope: Scope, session_id: SessionId) -> ColumnElement[bool]:
    """Return the condition on `sessions` for one of the caller's."""
    return and_(
        sessions.c.tenant == scope.tenant,
        sessions.c.actor == scope.actor,
        sessions.c.id == session_id,
    )


def session_not_found() -> NotFound:
    """Return the one error for a session that is not there, has expired or is someone else's."""
    return NotFound("There is no such session here that you may see.")
