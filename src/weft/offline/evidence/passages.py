"""Passages as the rules of chains and namesakes read them: their sentences and their words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from weft.domain.frozen import dataclass
from weft.language.blocks.lines import LineKind, label_of
from weft.language.patterns import pattern
from weft.language.terms import stem, terms
from weft.offline.evidence.found import FoundEvidence
from weft.offline.units.read_unit import ReadUnit, read_units
from weft.retrieval.hits import Hit

MOST_SENTENCES = 3
# Who writes of their own organisation rarely names it.


# What begins so is about something that stands before it; not so "it is best to ...".
_POINTS_BACK = pattern(
    r"[\W_]*(?:(?:he|she|they|this|these|those|his|her|their|its)\b"
    r"|it\b(?!\s+(?:is|was|will be|can be|may be|takes|took)\b[^.]{0,60}\b(?:that|to|who)\b)"
    r"|(?:그|그녀|이|그것|이것|그들|이들|이곳|그곳|여기|거기)(?:은|는|이|가|을|를|의|에|에서|에는|도)\s)",
    re.IGNORECASE,
)
_MOST_BEFORE = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPassage:
    """A passage with its stems, once for all: those of where it stands are in `place` too."""

    evidence_id: str
    hit: Hit
    stems: frozenset[str]
    place: frozenset[str]

    @property
    def document(self) -> tuple[str, str]:
        """Return what tells its document from all others."""
        return self.hit.evidence.knowledge_base, self.hit.evidence.document_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A unit that may be shown, exactly as it stands in its passage.

    `place` is the first sentence of the passage that it touches, from 0; `field` is the label of a
    labelled line; `before` is what stands before it in its block.
    """

    evidence_id: str
    hit: Hit
    text: str
    place: int
    field: str
    stems: frozenset[str]
    before: str = ""

    @property
    def whole(self) -> str:
        """Return the unit, behind the sentence before it where it begins by pointing at that."""
        if not self.before or not _POINTS_BACK.match(self.text):
            return self.text
        passage = self.hit.evidence.text
        end = passage.find(self.text)
        begin = passage.rfind(self.before, 0, max(end, 0))
        gap = passage[begin + len(self.before) : end]
        if begin < 0 or gap.strip() or len(self.before) > _MOST_BEFORE:
            return self.text
        return passage[begin : end + len(self.text)]


def read_passages(book: FoundEvidence) -> list[ReadPassage]:
    """Return the passages of a book with their words, in order of finding."""
    return [read_passage(hit, evidence_id=name) for name, hit in book.entries()]


def read_passage(hit: Hit, *, evidence_id: str) -> ReadPassage:
    """Return a passage with its words."""
    place = place_stems(hit)
    stems = stems_of(hit.evidence.text) | place
    return ReadPassage(evidence_id=evidence_id, hit=hit, stems=stems, place=place)


def candidates(passage: ReadPassage) -> Iterator[Candidate]:
    """Yield the units of a passage; code says nothing that a rule could read."""
    for read in read_units(passage.hit).units:
        if read.unit.kind is not LineKind.CODE:
            yield candidate_of(read, passage.hit, evidence_id=passage.evidence_id)


def candidate_of(read: ReadUnit, hit: Hit, *, evidence_id: str) -> Candidate:
    """Return a unit of a passage as the rules read it."""
    text = hit.evidence.text[read.unit.start : read.unit.end]
    return Candidate(
        evidence_id=evidence_id,
        hit=hit,
        text=text,
        place=read.sentences[0],
        field=label_of(text),
        stems=stems_of(text),
        before=read.unit.before,
    )


@lru_cache(maxsize=4096)
def stems_of(text: str) -> frozenset[str]:
    """Return the stems of a text, the parts of its joined words and its identifiers included."""
    return frozenset(terms(text))


def place_stems(hit: Hit) -> frozenset[str]:
    """Return the stems of where a passage stands: title, section and the end of its address."""
    evidence = hit.evidence
    near = "/".join(evidence.uri.replace("\\", "/").split("/")[-3:])
    named = re.sub(r"([a-z])([A-Z])", r"\1 \2", f"{evidence.title} {near}")
    extra = {stem(part) for part in re.split(r"[\W_\d]+", named.casefold()) if part}
    return stems_of(f"{named}\n{evidence.section or ''}") | extra
