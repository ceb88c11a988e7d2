"""Sessions: who comes back, before anything is said."""

from __future__ import annotations

from datetime import datetime
from typing import NewType, Protocol

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope

SessionId = NewType("SessionId", str)

SESSION_DAYS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser's or client's session: its id was made here and is good for its owner alone."""

    id: SessionId
    created: datetime
    expires_at: datetime


class Sessions(Protocol):
    """Keeps the caller's own sessions, each for thirty days after it was last used.

    What is not there, what has expired and what is someone else's raise the same `NotFound`.
    """

    async def begin(self, scope: Scope) -> Session:
        """Make a session of the caller; its id is a new UUID4."""
        ...

    async def get(self, scope: Scope, session_id: SessionId) -> Session:
        """Return a session, its life prolonged by this."""
        ...
