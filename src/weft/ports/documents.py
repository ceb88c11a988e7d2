"""The documents of a knowledge base one by one: listed in pages, opened with what they taught."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from weft.domain.claim import Claim
from weft.domain.document import Chunk, Document
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedDocument:
    """A document with its whole text: `text[chunk.start:chunk.end] == chunk.text` of each chunk."""

    document: Document
    text: str
    chunks: tuple[Chunk, ...]
    claims: tuple[Claim, ...]


class Documents(Protocol):
    """Shows documents to those who may read them."""

    async def page(
        self, scope: Scope, *, after: DocumentId | None, limit: int, text: str = ""
    ) -> list[Document]:
        """Return the readable documents past `after`, ordered by id, at most `limit`.

        With `text` only those whose id, title or uri has it in it, case apart.
        """
        ...

    async def chunk_counts(
        self, scope: Scope, document_ids: Sequence[DocumentId]
    ) -> dict[DocumentId, int]:
        """Return how many readable chunks these documents have; what has none is not in it."""
        ...

    async def opened(self, scope: Scope, document_id: DocumentId) -> OpenedDocument:
        """Return a document as it stands now, chunks in order, or raise `NotFound`."""
        ...

    async def document(self, scope: Scope, document_id: DocumentId) -> Document:
        """Return what is known of a document, or raise `NotFound`."""
        ...
