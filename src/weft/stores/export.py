"""The canonical export, put together: every backend gives the same lines in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from weft.domain.claim import Link, Mention, RawReference
from weft.domain.document import Document
from weft.domain.ids import DocumentId
from weft.domain.pattern import LocalClaim
from weft.stores.canonical import (
    chunk_line,
    claim_line,
    document_line,
    evidence_line,
    handle_line,
    link_line,
    mention_line,
    reference_line,
    settings_line,
)
from weft.stores.rows import to_passage
from weft.stores.values import Row


class Export:
    """Collects the lines of a knowledge base by kind; what is added comes in order."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Begin with what the index was made with."""
        self._settings = settings_line(dict(settings))
        self._documents: list[str] = []
        self._chunks: list[str] = []
        self._mentions: list[str] = []
        self._claims: list[str] = []
        self._references: list[str] = []
        self._handles: list[str] = []

    def add_document(self, document: Document, text: str) -> None:
        """Add a document and its text."""
        self._documents.append(document_line(document, text))

    def add_chunk(self, row: Row) -> None:
        """Add a chunk, by the columns of `to_passage`, and its evidence."""
        passage = to_passage(row)
        self._chunks += [chunk_line(passage), evidence_line(passage.chunk)]

    def add_mention(self, document_id: DocumentId, mention: Mention) -> None:
        """Add a mention."""
        self._mentions.append(mention_line(document_id, mention))

    def add_claim(self, claim: LocalClaim) -> None:
        """Add a claim."""
        self._claims.append(claim_line(claim))

    def add_reference(self, document_id: DocumentId, reference: RawReference) -> None:
        """Add a reference as a document has it."""
        self._references.append(reference_line(document_id, reference))

    def add_handle(self, document_id: DocumentId, handle: str) -> None:
        """Add a string that a document is referred to by."""
        self._handles.append(handle_line(document_id, handle))

    def lines(self, links: Mapping[str, Link]) -> Iterable[str]:
        """Yield all lines; the links, by their keys, are the last ones."""
        yield self._settings
        for kind in (self._documents, self._chunks, self._mentions, self._claims):
            yield from kind
        yield from self._references
        yield from self._handles
        yield from (link_line(link) for _, link in sorted(links.items()))
