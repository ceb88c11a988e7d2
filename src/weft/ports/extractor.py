"""The seam for a model that extracts facts: stages one and two of the ladder."""

from __future__ import annotations

from typing import Protocol

from weft.domain.document import Chunk, Value
from weft.domain.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedEntity:
    """A name that stands in the chunk, and its class."""

    surface: str
    entity_class: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedClaim:
    """A subject, a predicate and an object (a name or a literal), with the words that say it."""

    subject: str
    predicate: str
    object: Value
    object_is_name: bool
    quotation: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What a model proposes for a chunk; the draft of the patch accepts or refuses each part."""

    entities: tuple[ProposedEntity, ...] = ()
    claims: tuple[ProposedClaim, ...] = ()
    last_message: str = ""


class Extractor(Protocol):
    """Proposes facts of one chunk; a timeout or a malformed reply is an empty proposal."""

    async def propose(self, chunk: Chunk, title: str, *, ontology: str) -> Proposal:
        """Return what the model's tools were called with, or its typed reply said."""
        ...

    async def suggest(self, last_message: str) -> Proposal:
        """Return what can be recovered from the words of a model that called no tool."""
        ...
