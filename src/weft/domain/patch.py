"""The atom of publishing: what one document teaches, and nothing from any other."""

from __future__ import annotations

from weft.domain.claim import Claim, Mention, Method, RawReference
from weft.domain.document import Chunk, Document
from weft.domain.facts import LocalFacts, Vectors
from weft.domain.frozen import dataclass

_CHARACTERS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A chunk with its local facts, its vectors (none without an embedder) and its outcome."""

    chunk: Chunk
    facts: LocalFacts
    vectors: Vectors | None
    outcome: Method
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A document's whole content; publishing it replaces the document's former patch.

    `handles` are the strings by which other documents may refer to this one (its id, its path, its
    issue key ...); `references` are those it found in its own text.
    """

    document: Document
    text: str
    passages: tuple[Passage, ...]
    mentions: tuple[Mention, ...] = ()
    claims: tuple[Claim, ...] = ()
    references: tuple[RawReference, ...] = ()
    handles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentCaps:
    """How many facts of a document are kept, and how long making it ready may take.

    `seconds` is for every 100,000 characters begun.
    """

    mentions: int = 100_000
    claims: int = 100_000
    seconds: float = 120.0

    def seconds_for(self, characters: int) -> float:
        """Return how many seconds a document of so many characters may take."""
        return self.seconds * (1 + characters // _CHARACTERS)
