"""A document's text put together from its passages, so that a row's words lead to its passage."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import date

from weft.domain.document import Chunk, Document, Span
from weft.domain.frozen import dataclass
from weft.ports.knowledge import StoredChunk
from weft.retrieval.tables.table import RowPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredText:
    """The passages of a document in order, and its text at their offsets: blank between them."""

    document: Document
    chunks: tuple[Chunk, ...]
    text: str

    def place(self, span: Span) -> RowPlace:
        """Return where a stretch of the text stands: in the first passage that begins it."""
        starts = [chunk.start for chunk in self.chunks]
        at = max(bisect_right(starts, span.start) - 1, 0)
        # Passages overlap: an earlier one may hold the whole where the later begins inside.
        while at > 0 and self.chunks[at].end < span.end <= self.chunks[at - 1].end:
            at -= 1
        chunk = self.chunks[at]
        end = min(span.end, chunk.end) - chunk.start
        return RowPlace(
            document_id=chunk.document_id,
            chunk_id=chunk.id,
            start=span.start - chunk.start,
            end=end,
        )


def last_day(texts: Iterable[StoredText]) -> date | None:
    """Return the last day on which one of some texts was changed, as far as that is known."""
    days = [one.document.updated for one in texts if one.document.updated is not None]
    return max(days).date() if days else None


def stored_text(passages: Sequence[StoredChunk]) -> StoredText:
    """Return the text of one document whose passages are given in order; never none of them."""
    parts: list[str] = []
    at = 0
    for one in passages:
        chunk = one.chunk
        if chunk.start > at:
            # A line break, so that what stands on both sides is not read as one line.
            parts.append("\n" * (chunk.start - at))
            at = chunk.start
        if chunk.end > at:
            parts.append(chunk.text[at - chunk.start :])
            at = chunk.end
    return StoredText(
        document=passages[0].document,
        chunks=tuple(one.chunk for one in passages),
        text="".join(parts),
    )
