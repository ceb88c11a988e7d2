"""How many chunks the documents of a run have."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from weft.domain.ids import DocumentId


class DocumentSizes:
    """Chunks of each document: of those that were there only counted once one is asked for."""

    def __init__(self, count: Callable[[], Awaitable[dict[DocumentId, int]]]) -> None:
        """Take what counts all that is there."""
        self._count = count
        self._published: dict[DocumentId, int] = {}
        self._former: dict[DocumentId, int] | None = None
        self._lock = asyncio.Lock()

    def put(self, document: DocumentId, chunks: int) -> None:
        """Keep the chunks of a document that was published just now."""
        self._published[document] = chunks

    async def of(self, document: DocumentId) -> int:
        """Return how many chunks a document has that is there."""
        if document in self._published:
            return self._published[document]
        async with self._lock:
            if self._former is None:
                self._former = await self._count()
        return self._former[document]
