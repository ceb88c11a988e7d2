"""Mentions, claims, links and references: what a document says, and where it says it."""

from __future__ import annotations

from enum import StrEnum

from weft.domain.document import Value
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId, ClaimId, DocumentId, digest


class Method(StrEnum):
    """How something was found; also the outcome of a chunk in the ledger."""

    EXTRACTED = "extracted"
    GENERATED = "generated"
    FORCED = "forced"
    EMPTY = "empty"
    FAILED = "failed"
    SKIPPED = "skipped"
    COLUMN = "column"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A name in a chunk: `start` and `end` are offsets in the document's text."""

    chunk_id: ChunkId
    start: int
    end: int
    surface: str
    name: str
    entity_class: str
    method: Method = Method.GENERATED


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class LocalEntity:
    """What one document calls by one name: the thing that links join."""

    document_id: DocumentId
    name: str
    entity_class: str

    @property
    def key(self) -> str:
        """Return the id of this local entity."""
        return f"{self.document_id}#{self.entity_class}:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Subject, predicate and object as one chunk states them, with the span that says so.

    The object is a mention of an entity (`object_name`, `object_class`) or a literal `value`; then
    the claim is an observation. `start` and `end` are offsets in the document's text.
    """

    id: ClaimId
    chunk_id: ChunkId
    subject_name: str
    subject_class: str
    predicate: str
    object_name: str | None
    object_class: str | None
    value: Value
    start: int
    end: int
    method: Method
    confidence: float


def claim_id(chunk: ChunkId, subject: str, *, predicate: str, said: str, start: int) -> ClaimId:
    """Return a claim's id, made from what it says and where."""
    return ClaimId(digest(chunk, subject, predicate, said, str(start)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RawReference:
    """A string in a document that may name another document: `handle` is its canonical spelling."""

    kind: str
    handle: str
    raw: str


class LinkKind(StrEnum):
    """Whether two local entities are one."""

    SAME_AS = "same_as"
    NOT_SAME_AS = "not_same_as"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A statement that two local entities are, or are not, the same; kept while both ends are."""

    left: LocalEntity
    right: LocalEntity
    kind: LinkKind
    method: str
    score: float
    reason: str
    author: str

    @property
    def key(self) -> str:
        """Return the link's id: the pair in order, and what is said of it."""
        ends = sorted((self.left.key, self.right.key))
        return digest(*ends, self.kind)
