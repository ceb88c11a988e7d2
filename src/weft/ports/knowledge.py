"""The one door to knowledge: every call takes a scope, and no call shows what it does not cover."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Protocol

from weft.domain.claim import LocalEntity
from weft.domain.document import Chunk, Document, Value
from weft.domain.entity import Sighting
from weft.domain.errors import BadInput
from weft.domain.evidence import Evidence
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId, DocumentId
from weft.domain.pattern import LocalClaim, Toward
from weft.domain.scope import Scope
from weft.index.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunk:
    """A chunk as it stands in the store now, with its document."""

    chunk: Chunk
    document: Document

    def evidence(self, name: str, *, knowledge_base: str) -> Evidence:
        """Return it as evidence of that id, ranked and with no way that led to it."""
        chunk, document = self.chunk, self.document
        return Evidence(
            id=name,
            knowledge_base=knowledge_base,
            document_id=document.id,
            document_type=document.type,
            title=document.title,
            uri=document.uri,
            chunk_id=chunk.id,
            chunk_index=chunk.chunk_index,
            start=chunk.start,
            end=chunk.end,
            page=chunk.page,
            section=chunk.section,
            text=chunk.text,
            sentences=chunk.sentences,
            updated=document.updated,
            score_kind="ranked",
            path=(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilter:
    """Which documents: every given condition must hold; none given matches nothing.

    `documents` are ids, one of which it must have; `exact` compares metadata fields, `contains`
    compares `title`, `uri` or metadata text without regard to case; `types` and `sources` are
    alternatives; times bound the source's `updated`.
    """

    documents: frozenset[str] | None = None
    exact: Mapping[str, Value] = field(default_factory=dict)
    contains: Mapping[str, str] = field(default_factory=dict)
    types: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None

    def __post_init__(self) -> None:
        """Raise `BadInput` for a text that no document can hold and a store would cut short."""
        given = (*self.exact.items(), *self.contains.items())
        texts = (*(one for pair in given for one in pair), *self.types, *self.sources)
        if any(isinstance(one, str) and "\0" in one for one in texts):
            raise BadInput("filters: a NUL character is in no document.")

    @property
    def is_empty(self) -> bool:
        """Tell whether no condition is given."""
        given = self.exact or self.contains or self.types or self.sources
        bounds = (self.documents, self.since, self.until)
        return not given and all(one is None for one in bounds)

    def fields_fit(self, document: Document) -> bool:
        """Tell whether a document meets `exact` and `contains`.

        A field that is null meets none; true and false are 1 and 0.
        """
        metadata = {key: _plain(value) for key, value in document.metadata.items()}
        for key, value in self.exact.items():
            held = metadata.get(key)
            if held is None or held != _plain(value):
                return False
        texts = {"title": document.title, "uri": document.uri}
        return all(
            any(part.lower() in text.lower() for text in _texts(texts, metadata, key))
            for key, part in self.contains.items()
        )


def _plain(value: Value) -> str | int | float | None:
    return int(value) if isinstance(value, bool) else value


def _texts(fields: Mapping[str, str], metadata: Mapping[str, object], key: str) -> list[str]:
    """Return what a document says under a key, in its own fields and in its metadata."""
    own = [fields[key]] if key in fields else []
    held = metadata.get(key)
    return own if held is None else [*own, str(held)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One REFERENCES edge of an ordered pair of documents, with the kinds of its strings."""

    source: DocumentId
    target: DocumentId
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityFilter:
    """Which local entities: of one of the normalised names and one of the classes; empty: any."""

    names: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimFilter:
    """Which claims: those that lead `toward` the other side from one of `ends` (None: from any).

    `relations` are alternatives; empty: any.
    """

    ends: frozenset[LocalEntity] | None
    toward: Toward = Toward.OBJECT
    relations: frozenset[str] = frozenset()


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

    async def sightings(self, scope: Scope, wanted: EntityFilter, limit: int) -> list[Sighting]:
        """Return readable local entities under each of their surfaces, with how often.

        One that only a claim names has its normalised name as surface, and is counted 0 times.
        Ordered by name, class, document and surface; nothing for an empty filter.
        """
        ...

    async def claims(self, scope: Scope, wanted: ClaimFilter, limit: int) -> list[LocalClaim]:
        """Return the readable claims that are wanted, ordered by document and id."""
        ...
