"""Conversations: what was said, and what the next turn may go on from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import NewType, Protocol

from weft.domain.answer import Answer
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId, DocumentId, RunId
from weft.domain.scope import Scope
from weft.ports.records.sessions import SessionId

ConversationId = NewType("ConversationId", str)

HISTORY_LIMIT = 50


class Speaker(StrEnum):
    """Who said something."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSpan:
    """The n-th citation of a message, as it stood in its document: `text[start:end] == snippet`."""

    n: int
    chunk_id: ChunkId
    start: int
    end: int
    snippet: str
    page: int | None = None
    section: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSource:
    """A document that a message cites, and where; messages of older versions know no spans."""

    knowledge_base: str
    document: DocumentId
    title: str
    uri: str
    spans: tuple[CitedSpan, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message, and the run it belongs to.

    `answer` is the whole answer as it was given, None of questions and of messages of older
    versions. With `source_deleted`, content, sources and answer were emptied because a document
    that its run read is gone.
    """

    role: Speaker
    content: str
    timestamp: datetime
    run_id: RunId
    sources: tuple[MessageSource, ...] = ()
    answer: Answer | None = None
    source_deleted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Retained:
    """What a turn leaves to the next: its documents, and the sources that were allowed.

    Both are to be checked against the caller's scope before they are used.
    """

    documents: tuple[MessageSource, ...] = ()
    allowed_sources: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationTurn:
    """A question and its answer, and what they leave to the next turn."""

    question: Message
    answer: Message
    retained: Retained = Retained()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A dialogue of a session; `title` is its first question, cut short, until it is renamed."""

    id: ConversationId
    session_id: SessionId
    title: str
    started: datetime
    updated: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPage:
    """A page of a list of conversations; `cursor` asks for the next one, empty on the last."""

    conversations: tuple[Conversation, ...]
    cursor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """What was erased."""

    conversations: int = 0
    messages: int = 0
    runs: int = 0


class Conversations(Protocol):
    """Keeps the conversations of the caller's own sessions.

    What is not there, what has expired and what is someone else's raise the same `NotFound`. Of a
    conversation the last messages are kept, up to a limit that is set where it is built; the first
    in is the first out.
    """

    async def begin(self, scope: Scope, session_id: SessionId) -> Conversation:
        """Begin a conversation in a session of the caller."""
        ...

    async def conversation(self, scope: Scope, conversation_id: ConversationId) -> Conversation:
        """Return a conversation."""
        ...

    async def listed(
        self, scope: Scope, session_id: SessionId | None, *, limit: int = 50, cursor: str = ""
    ) -> ConversationPage:
        """Return the caller's conversations of a session (None: of all), the last talked in first.

        They go on from where the page of `cursor` ended.
        """
        ...

    async def retitle(
        self, scope: Scope, conversation_id: ConversationId, title: str
    ) -> Conversation:
        """Give a conversation another title; its place in the list stays."""
        ...

    async def attach(self, scope: Scope, conversation_id: ConversationId, run_id: RunId) -> None:
        """Say that a run answers in a conversation, before it begins: it is cleared with it."""
        ...

    async def append(
        self, scope: Scope, conversation_id: ConversationId, turn: ConversationTurn
    ) -> None:
        """Add a turn; the messages beyond the limit go, the oldest first.

        What the turn retains takes the place of what the turn before it left.
        """
        ...

    async def history(
        self, scope: Scope, conversation_id: ConversationId, *, limit: int = HISTORY_LIMIT
    ) -> list[Message]:
        """Return the last messages, the oldest first."""
        ...

    async def retained(self, scope: Scope, conversation_id: ConversationId) -> Retained:
        """Return what the last turn left, as far as its documents were not deleted since."""
        ...

    async def remove(self, scope: Scope, conversation_id: ConversationId) -> Cleared:
        """Erase a conversation with its messages, and its runs with their events and tapes."""
        ...

    async def clear(self, scope: Scope, session_ids: Sequence[SessionId] | None = None) -> Cleared:
        """Erase the conversations of the caller's sessions (None: of all) as `remove` does.

        The sessions stay. Sessions that are not the caller's are passed over.
        """
        ...
