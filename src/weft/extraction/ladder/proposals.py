"""What a model proposes of a chunk, written to the draft as far as the text bears it out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from weft.domain.claim import Claim, Mention, Method, claim_id
from weft.domain.document import Chunk, Value
from weft.domain.frozen import dataclass
from weft.extraction.ladder.draft import DocumentDraft
from weft.extraction.vocabulary import class_of, predicate_of
from weft.language.names import normalise
from weft.ontology.schema import Ontology
from weft.ports.extractor import Proposal, ProposedClaim, ProposedEntity

_FALLBACK_CLASS = "concept"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeferredRelation:
    """A proposed relation whose ends the draft did not know yet."""

    chunk: Chunk
    claim: ProposedClaim

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Return what makes two proposals of a relation one."""
        said = normalise(str(self.claim.object))
        return self.chunk.id, normalise(self.claim.subject), self.claim.predicate, said


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenProposal:
    """How much of a proposal the draft accepted, and which relations wait for their ends."""

    accepted: int
    deferred: tuple[DeferredRelation, ...]


def write(
    draft: DocumentDraft, chunk: Chunk, *, proposal: Proposal, ontology: Ontology
) -> WrittenProposal:
    """Write a proposal to the draft: observations, then entities, then relations."""
    classes = _classes(proposal, chunk, ontology)
    observations = [each for each in proposal.claims if not each.object_is_name]
    relations = [each for each in proposal.claims if each.object_is_name]
    accepted = sum(
        _observe(draft, DeferredRelation(chunk=chunk, claim=each), ontology, classes)
        for each in observations
    )
    for entity in proposal.entities:
        accepted += _mention(draft, chunk, entity=entity, ontology=ontology)
    waiting: list[DeferredRelation] = []
    for each in relations:
        deferred = DeferredRelation(chunk=chunk, claim=each)
        if relate(draft, deferred, ontology=ontology):
            accepted += 1
        elif _bears_out(draft, deferred):
            waiting.append(deferred)
    return WrittenProposal(accepted=accepted, deferred=tuple(waiting))


def relate(draft: DocumentDraft, deferred: DeferredRelation, *, ontology: Ontology) -> bool:
    """Write one relation if both its ends have mentions in the document; tell whether."""
    claim = deferred.claim
    predicate = predicate_of(claim.predicate, ontology)
    if predicate is None or not _bears_out(draft, deferred):
        return False
    subject, spoken = normalise(claim.subject), normalise(str(claim.object))
    if predicate.swapped:
        subject, spoken = spoken, subject
    kinds = draft.entity_class(subject), draft.entity_class(spoken)
    if kinds[0] is None or kinds[1] is None:
        return False
    made = _claim(deferred, predicate.name, subject=(subject, kinds[0]), spoken=(spoken, kinds[1]))
    return draft.add_claim(made, ontology)


def _observe(
    draft: DocumentDraft, observed: DeferredRelation, ontology: Ontology, classes: Mapping[str, str]
) -> bool:
    predicate = predicate_of(observed.claim.predicate, ontology)
    if predicate is None or predicate.swapped or not _bears_out(draft, observed):
        return False
    name = normalise(observed.claim.subject)
    kind = classes.get(name) or draft.entity_class(name) or class_of(_FALLBACK_CLASS, ontology)
    if kind is None:
        return False
    entity = ProposedEntity(surface=observed.claim.subject, entity_class=kind)
    if draft.entity_class(name) is None:
        _mention(draft, observed.chunk, entity=entity, ontology=ontology)
    made = _claim(observed, predicate.name, subject=(name, kind), value=observed.claim.object)
    return draft.add_claim(made, ontology)


def _classes(proposal: Proposal, chunk: Chunk, ontology: Ontology) -> dict[str, str]:
    classes: dict[str, str] = {}
    for entity in proposal.entities:
        kind = class_of(entity.entity_class, ontology)
        if kind and entity.surface and entity.surface in chunk.text:
            classes.setdefault(normalise(entity.surface), kind)
    return classes


def _mention(
    draft: DocumentDraft, chunk: Chunk, *, entity: ProposedEntity, ontology: Ontology
) -> bool:
    """Write a name at every place of the chunk where it stands as such."""
    accepted = False
    for start in _places(chunk.text, entity.surface):
        mention = Mention(
            chunk_id=chunk.id,
            start=chunk.start + start,
            end=chunk.start + start + len(entity.surface),
            surface=entity.surface,
            name=normalise(entity.surface),
            entity_class=entity.entity_class,
            method=Method.EXTRACTED,
        )
        accepted |= draft.add_mention(mention, ontology)
    return accepted


def _places(text: str, surface: str) -> Iterator[int]:
    if not surface.strip():
        return
    # A Korean particle follows its name without a space: there a word has no end to look for.
    tail = r"(?![A-Za-z0-9])" if surface[-1].isalnum() and surface[-1].isascii() else ""
    head = r"(?<!\w)" if surface[0].isalnum() else ""
    for match in re.finditer(head + re.escape(surface) + tail, text):
        yield match.start()


def _bears_out(draft: DocumentDraft, deferred: DeferredRelation) -> bool:
    """Tell whether the chunk has the quotation and the names, or the document is the subject."""
    text, claim = deferred.chunk.text, deferred.claim
    if not claim.quotation.strip() or claim.quotation not in text or not claim.subject.strip():
        return False
    titled = normalise(claim.subject) == normalise(draft.document.title)
    if claim.object_is_name and not (isinstance(claim.object, str) and claim.object in text):
        return False
    return titled or claim.subject in text


def _claim(
    deferred: DeferredRelation,
    predicate: str,
    *,
    subject: tuple[str, str],
    spoken: tuple[str, str] | None = None,
    value: Value = None,
) -> Claim:
    chunk, claim = deferred.chunk, deferred.claim
    start = chunk.start + chunk.text.index(claim.quotation)
    said = spoken[0] if spoken else str(value)
    return Claim(
        id=claim_id(chunk.id, subject[0], predicate=predicate, said=said, start=start),
        chunk_id=chunk.id,
        subject_name=subject[0],
        subject_class=subject[1],
        predicate=predicate,
        object_name=spoken[0] if spoken else None,
        object_class=spoken[1] if spoken else None,
        value=value,
        start=start,
        end=start + len(claim.quotation),
        method=Method.EXTRACTED,
        confidence=min(max(claim.confidence, 0.0), 1.0),
    )
