"""The one door to knowledge: every call takes a scope, and no call shows what it does not cover."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from weft.domain.claim import LocalEntity
from weft.domain.document import Chunk, Document, Value
from weft.domain.ids import ChunkId, DocumentId
from weft.domain.scope import Scope
from weft.index.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunk:
    """A chunk as it stands in the store now, with its document."""

    chunk: Chunk
    document: Document


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilter:
    """Which documents: every given condition must hold; none given matches nothing.

    `exact` compares metadata fields, `contains` compares `title`, `uri` or metadata text without
    regard to case; `types` and `sources` are alternatives; times bound the source's `updated`.
    """

    exact: Mapping[str, Value] = field(default_factory=dict)
    contains: Mapping[str, str] = field(default_factory=dict)
    types: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_empty(self) -> bool:
        """Tell whether no condition is given."""
        given = self.exact or self.contains or self.types or self.sources
        return not given and self.since is None and self.until is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One REFERENCES edge of an ordered pair of documents, with the kinds of its strings."""

    source: DocumentId
    target: DocumentId
    kinds: tuple[str, ...]


class Knowledge(Protocol):
    """One knowledge base as its readers see it: of each document the old patch or the new one."""

    async def view(self, scope: Scope) -> View:
        """Return the current arrays, masked to the scope before anything is counted."""
        ...

    async def chunks(self, scope: Scope, ids: Sequence[ChunkId]) -> list[StoredChunk]:
        """Return the readable chunks among `ids`, in that order; the others are left out."""
        ...

    async def text(self, scope: Scope, document_id: DocumentId) -> str:
        """Return a document's extracted text, or raise `NotFound`."""
        ...

    async def find(self, scope: Scope, wanted: DocumentFilter, limit: int) -> list[Document]:
        """Return the readable documents that match, ordered by id."""
        ...

    async def neighbours(
        self, scope: Scope, ids: Sequence[DocumentId], depth: int
    ) -> list[Reference]:
        """Return the REFERENCES edges within `depth` hops (1 to 3), in either direction."""
        ...

    async def entities(self, scope: Scope, name: str, limit: int) -> list[LocalEntity]:
        """Return readable local entities whose normalised name contains `name`, ordered."""
        ...

    async def containing(self, scope: Scope, phrase: str, limit: int) -> list[ChunkId]:
        """Return the readable chunks whose text has `phrase` in it, case apart, ordered."""
        ...
