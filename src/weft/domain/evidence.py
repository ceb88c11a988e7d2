"""What was found for a question, and the node that stands for a chunk in the graph."""

from __future__ import annotations

from datetime import datetime

from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId, DocumentId


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A passage that may answer a question; `start` and `end` are offsets in the document's text.

    `path` says in words how it was reached (full text, vectors, a reference ...); `sentences` are
    spans within `text`.
    """

    id: str
    knowledge_base: str
    document_id: DocumentId
    document_type: str
    title: str
    uri: str
    chunk_id: ChunkId
    chunk_index: int
    start: int
    end: int
    page: int | None
    section: str | None
    text: str
    sentences: tuple[Span, ...]
    updated: datetime | None
    score_kind: str
    path: tuple[str, ...]


def evidence_name(source_id: str, chunk: ChunkId) -> str:
    """Return the name of a chunk's evidence node: always there, the same on every run."""
    return f"Evidence {source_id}-{chunk}"
