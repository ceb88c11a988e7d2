"""The draft of a document's patch: it takes a fact in or refuses it, and knows what it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.domain.claim import Claim, Mention
from weft.domain.document import Chunk, Document
from weft.domain.ids import ChunkId
from weft.domain.patch import DocumentCaps
from weft.extraction.vocabulary import class_of, predicate_of
from weft.ontology.schema import Mode, Ontology

_USUAL = DocumentCaps()


class DocumentDraft:
    """Holds the mentions and claims of one document while they are found.

    Nothing gets in that does not stand in the text or that the ontology does not allow, nor more
    than `caps` allow; the same fact again changes nothing. `beyond` counts what came too late.
    """

    def __init__(
        self,
        *,
        document: Document,
        text: str,
        chunks: Sequence[Chunk],
        caps: DocumentCaps = _USUAL,
    ) -> None:
        self.document = document
        self.text = text
        self.chunks = tuple(chunks)
        self._chunks = {chunk.id: chunk for chunk in chunks}
        self._mentions: dict[tuple[ChunkId, int, int], Mention] = {}
        self._claims: dict[str, Claim] = {}
        self._classes: dict[str, str] = {}
        self._caps = caps
        self.beyond = {"mentions": 0, "claims": 0}

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """Return the mentions by chunk and place."""
        index = {chunk.id: chunk.chunk_index for chunk in self.chunks}
        return tuple(
            sorted(self._mentions.values(), key=lambda m: (index[m.chunk_id], m.start, m.end))
        )

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Return the claims by chunk, place and id."""
        index = {chunk.id: chunk.chunk_index for chunk in self.chunks}
        return tuple(
            sorted(self._claims.values(), key=lambda c: (index[c.chunk_id], c.start, c.id))
        )

    def entity_class(self, name: str) -> str | None:
        """Return the class of a normalised name in this document, None where it has no mention."""
        return self._classes.get(name)

    def add_mention(self, mention: Mention, ontology: Ontology) -> bool:
        """Take a mention in, under the class that its name already has here; tell whether."""
        chunk = self._chunks.get(mention.chunk_id)
        allowed = class_of(mention.entity_class, ontology)
        if chunk is None or allowed is None or not mention.name:
            return False
        if not _within(chunk, mention.start, mention.end):
            return False
        if self.text[mention.start : mention.end] != mention.surface:
            return False
        place = (mention.chunk_id, mention.start, mention.end)
        if place not in self._mentions and len(self._mentions) >= self._caps.mentions:
            self.beyond["mentions"] += 1
            return False
        own = allowed
        if not _is_literal(allowed, ontology):
            own = self._classes.setdefault(mention.name, allowed)
        self._mentions.setdefault(place, replace(mention, entity_class=own))
        return True

    def add_claim(self, claim: Claim, ontology: Ontology) -> bool:
        """Take a claim in and tell whether; its names get the classes they have here."""
        chunk = self._chunks.get(claim.chunk_id)
        predicate = predicate_of(claim.predicate, ontology)
        if chunk is None or predicate is None or not _within(chunk, claim.start, claim.end):
            return False
        says_something = claim.object_name or claim.value not in (None, "")
        if not claim.subject_name or not says_something or claim.subject_name == claim.object_name:
            return False
        settled = self._settled(replace(claim, predicate=predicate.name), ontology)
        if not _fits(settled, ontology):
            return False
        if claim.id not in self._claims and len(self._claims) >= self._caps.claims:
            self.beyond["claims"] += 1
            return False
        self._claims.setdefault(claim.id, settled)
        return True

    def _settled(self, claim: Claim, ontology: Ontology) -> Claim:
        subject = self._classes.get(claim.subject_name, claim.subject_class)
        spoken = claim.object_class
        if claim.object_name and spoken and not _is_literal(spoken, ontology):
            spoken = self._classes.get(claim.object_name, spoken)
        return replace(claim, subject_class=subject, object_class=spoken)


def _is_literal(entity_class: str, ontology: Ontology) -> bool:
    known = ontology.entity_class(entity_class)
    return known is not None and known.literal


def _within(chunk: Chunk, start: int, end: int) -> bool:
    return chunk.start <= start < end <= chunk.end


def _fits(claim: Claim, ontology: Ontology) -> bool:
    """Tell whether a claim keeps to domain and range, where the ontology insists on them."""
    relation = ontology.relation(claim.predicate)
    if ontology.mode is not Mode.STRICT or relation is None or claim.object_class is None:
        return True
    return relation.joins(claim.subject_class, claim.object_class)
