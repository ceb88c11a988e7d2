"""The tape: what a run began with, what was replied in it, and which documents it read."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId, RunId
from weft.domain.scope import Scope


class TapeKind(StrEnum):
    """What an entry holds."""

    MODEL = "model"
    """A model's reply."""
    TOOL = "tool"
    """Where the record of a tool call is, with a hash of its reply; or why it was not made."""
    FAILURE = "failure"
    """Why a model filled no role."""
    START = "start"
    """What the run began with."""
    REPORT = "report"
    """What the run gave besides its answer, where that is to be read later."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class RunSource:
    """A document of a knowledge base, by name: two of them may hold documents of the same id."""

    knowledge_base: str
    document: DocumentId


@dataclass(frozen=True, slots=True, kw_only=True)
class TapeEntry:
    """One entry: `key` is the node's path and the index of the call, `reply` any JSON value.

    With `source_deleted`, reply and sources were emptied because a document the run read is gone.
    """

    key: str
    kind: TapeKind
    request_hash: str
    reply: object
    sources: frozenset[RunSource] = frozenset()
    source_deleted: bool = False


class Tape(Protocol):
    """Keeps the replies of runs, under the same rights as `Runs`."""

    async def put(self, scope: Scope, run_id: RunId, entry: TapeEntry) -> None:
        """Keep a reply in place of an earlier one of the same key; its sources become the run's."""
        ...

    async def find(self, scope: Scope, run_id: RunId, key: str) -> TapeEntry | None:
        """Return the reply of that key; None when the run has none yet."""
        ...

    async def entries(self, scope: Scope, run_id: RunId) -> list[TapeEntry]:
        """Return all replies of a run, ordered by key."""
        ...

    async def add_sources(self, scope: Scope, run_id: RunId, sources: Sequence[RunSource]) -> None:
        """Say that a run read these documents; to be said before their text is used."""
        ...

    async def sources(self, scope: Scope, run_id: RunId) -> list[RunSource]:
        """Return the documents that a run read and that were not deleted since, ordered."""
        ...

    async def forget(
        self, scope: Scope, knowledge_base: str, *, documents: Sequence[DocumentId] | None
    ) -> int:
        """Empty every run of the tenant that read one of these documents (None: any of the base).

        Tape, tool runs, frontier, summary and the data of events go, whoever owns the run, and so
        does what such a run writes later. Returns how many runs were emptied. To be called after
        the documents are gone from the knowledge base; again changes nothing.
        """
        ...
