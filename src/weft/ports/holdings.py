"""What a knowledge base holds, for those who keep it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Protocol

from weft.domain.document import Chunk
from weft.domain.facts import Vectors
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.patch import Patch
from weft.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseCounts:
    """How much of a knowledge base the caller may read."""

    documents: int
    chunks: int
    mentions: int
    claims: int
    references: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedDocument:
    """A document's title, and its chunks in order, each with its vectors."""

    title: str
    passages: tuple[tuple[Chunk, Vectors], ...]


def embedded_of(patch: Patch) -> EmbeddedDocument:
    """Return what of a whole document has vectors."""
    held = ((passage.chunk, passage.vectors) for passage in patch.passages)
    passages = tuple((chunk, vectors) for chunk, vectors in held if vectors is not None)
    return EmbeddedDocument(title=patch.document.title, passages=passages)


class Holdings(Protocol):
    """Counts, versions, settings and the canonical export of one knowledge base."""

    async def counts(self, scope: Scope) -> BaseCounts:
        """Return how much the caller may read."""
        ...

    async def versions(self, scope: Scope, source: str | None) -> dict[DocumentId, str]:
        """Return the version of every document of a source, for those who may write it.

        Without a source: of every document, whoever may read it.
        """
        ...

    async def chunk_counts(self, scope: Scope, source: str) -> dict[DocumentId, int]:
        """Return how many chunks every document of a source has, for those who may write it."""
        ...

    async def patch(self, scope: Scope, document_id: DocumentId) -> Patch:
        """Return a readable document's whole patch as it is stored, or raise `NotFound`.

        Its parts are in the order of the export.
        """
        ...

    async def embedded(self, scope: Scope, document_id: DocumentId) -> EmbeddedDocument:
        """Return what of a readable document has vectors, or raise `NotFound`."""
        ...

    def export(self, scope: Scope) -> AsyncIterator[str]:
        """Yield canonical JSON lines of all the caller may read: equal stores give equal lines."""
        ...

    async def settings(self, scope: Scope) -> dict[str, str]:
        """Return what the index was made with (embedder, analyser, splitter ...)."""
        ...

    async def clear(self, scope: Scope, *, settings: Mapping[str, str], dimensions: int) -> None:
        """Take every document out at once, and keep new settings; sources and links stay."""
        ...

    async def drop(self, scope: Scope) -> None:
        """Remove the knowledge base and everything beside it."""
        ...
