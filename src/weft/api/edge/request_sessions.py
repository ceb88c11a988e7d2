"""Which session a request belongs to, and which conversation it goes on with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Header, Request, Response

from weft.api.edge.gate import Gate
from weft.domain.errors import NotFound
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.ports.records.conversations import Conversation, ConversationId, Conversations
from weft.ports.records.sessions import SESSION_DAYS, Session, SessionId, Sessions

SESSION = "X-Session-ID"
SessionHeader = Annotated[
    str,
    Header(alias=SESSION, max_length=100, description="The session, for clients without cookies."),
]
_SECONDS = SESSION_DAYS * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSession:
    """A session; `is_new` says that the browser does not know of it yet."""

    session: Session
    is_new: bool

    def sign(self, request: Request, response: Response) -> None:
        """Let a browser keep a new session; a client with a token reads its id in the reply."""
        gate: Gate = request.app.state.gate
        if self.is_new and gate.cookie_name(request.scope) in request.cookies:
            response.set_cookie(
                SESSION,
                self.session.id,
                max_age=_SECONDS,
                httponly=True,
                samesite="lax",
                secure=request.url.scheme == "https",
            )


class RequestSessions:
    """Finds a request's session and conversation among the caller's own."""

    def __init__(
        self, sessions: Callable[[], Sessions], conversations: Callable[[], Conversations]
    ) -> None:
        """Take where sessions and conversations are kept, known once the service is open."""
        self._sessions = sessions
        self._conversations = conversations

    @property
    def sessions(self) -> Sessions:
        """Return where sessions are kept."""
        return self._sessions()

    @property
    def conversations(self) -> Conversations:
        """Return where conversations are kept."""
        return self._conversations()

    async def found(
        self, request: Request, scope: Scope, *, named: str = ""
    ) -> RequestSession | None:
        """Return the session that a request names, None if it names none.

        `named` is a field of the body; it goes before the header, the header before the cookie. A
        cookie may have outlived its session; any other name that is not known raises `NotFound`.
        """
        given = named or request.headers.get(SESSION, "")
        if given:
            return await self.of_id(scope, given)
        if cookie := request.cookies.get(SESSION, ""):
            try:
                return await self.of_id(scope, cookie)
            except NotFound:
                return None
        return None

    async def taken(self, request: Request, scope: Scope, *, named: str = "") -> RequestSession:
        """Return the session that a request names, a new one if it names none."""
        found = await self.found(request, scope, named=named)
        if found is not None:
            return found
        return RequestSession(session=await self.sessions.begin(scope), is_new=True)

    async def conversation(
        self, scope: Scope, current: RequestSession, *, named: str = ""
    ) -> Conversation:
        """Return the conversation of that id, else the session's last one, else a new one."""
        if named:
            return await self.conversations.conversation(scope, ConversationId(named))
        last = await self.last(scope, current)
        return last or await self.conversations.begin(scope, current.session.id)

    async def last(self, scope: Scope, current: RequestSession) -> Conversation | None:
        """Return the conversation that was last talked in; None in a new session."""
        if current.is_new:
            return None
        page = await self.conversations.listed(scope, current.session.id, limit=1)
        return page.conversations[0] if page.conversations else None

    async def of_id(self, scope: Scope, given: str) -> RequestSession:
        """Return the caller's own session of that id, or raise `NotFound`."""
        session = await self.sessions.get(scope, SessionId(given))
        return RequestSession(session=session, is_new=False)
