"""Passages as the offline rules read them: their candidate sentences and their words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from weft.agents.book import EvidenceBook
from weft.domain.document import Span
from weft.domain.terms import stem, terms
from weft.retrieval.hits import Hit
from weft.retrieval.wording import sentences

_FIELD = re.compile(r"^[ \t>*-]*[\"']?([A-Za-z가-힣][\w .()/-]{1,38}?)[\"']?\s*[:=]\s+(\S.*)$")
_MARKER = re.compile(r"^(?:[-*+•>]\s+|\d{1,3}[.)]\s+|#{1,6}\s+)+")
_LINK_ONLY = re.compile(r"^[\[!(<]*\S*(?:https?://|\]\()\S*[>)\].]*$")
_BADGE = re.compile(r"^\s*(?:!?\[!?\[?[^\]]*\]?\([^)]*\)\]?(?:\([^)]*\))?\s*)+$|^\.\. |^\s*:\w+:")
_ADDRESS = re.compile(r"https?://[^\s)>\]]+")
_RULE = re.compile(r"^[\W_]*$")
# Paragraphs of law are one sentence.
_LONGEST = 1600
_WRAPPED = 700
_HEADING_WORDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
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
    """A sentence that may be shown: exactly as it stands in its passage, markers trimmed.

    `place` counts the sentences of the passage from 0; `field` is the key of a `Key: value` line.
    """

    evidence_id: str
    hit: Hit
    text: str
    place: int
    cosine: float
    field: str
    stems: frozenset[str]


def read_passages(book: EvidenceBook) -> list[Passage]:
    """Return the passages of a book with their words, in order of finding."""
    found: list[Passage] = []
    for name, hit in book.entries():
        place = place_stems(hit)
        stems = stems_of(hit.evidence.text) | place
        found.append(Passage(evidence_id=name, hit=hit, stems=stems, place=place))
    return found


def candidates(passage: Passage) -> Iterator[Candidate]:
    """Yield the sentences of a passage that say something: no headings, badges or bare links."""
    hit, text = passage.hit, passage.hit.evidence.text
    spans = hit.evidence.sentences or tuple(sentences(text))
    for place, span in enumerate(spans):
        cosine = hit.cosines[place] if place < len(hit.cosines) else hit.cosine
        for piece in _pieces(text, span):
            yield Candidate(
                evidence_id=passage.evidence_id,
                hit=hit,
                text=piece,
                place=place,
                cosine=cosine,
                field=field_of(piece),
                stems=stems_of(piece),
            )


def field_of(line: str) -> str:
    """Return the key of a `Key: value` line, or an empty string."""
    match = _FIELD.match(line) if "\n" not in line else None
    return match[1] if match and len(match[1].split()) <= 4 else ""


def link_share(text: str) -> float:
    """Return which part of a text, 0 to 1, is web addresses."""
    return sum(len(match.group()) for match in _ADDRESS.finditer(text)) / max(len(text), 1)


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


def _pieces(text: str, span: Span) -> Iterator[str]:
    whole = text[span.start : span.end].strip()
    lines = [line.strip() for line in whole.splitlines() if line.strip()]
    has_fields = sum(bool(field_of(line)) for line in lines) * 2 > len(lines)
    for piece in lines if has_fields or len(whole) > _WRAPPED else [_without_heading(whole)]:
        said = _MARKER.sub("", piece).strip()
        if _says_something(piece, said):
            yield said


def _without_heading(sentence: str) -> str:
    """Return a sentence without the headings that stand in lines of their own before it."""
    lines = sentence.split("\n")
    while len(lines) > 1 and (lines[0].startswith("#") or _RULE.match(lines[0])):
        lines.pop(0)
    return "\n".join(lines)


def _says_something(piece: str, said: str) -> bool:
    if not said or len(said) > _LONGEST or _RULE.match(said):
        return False
    if _LINK_ONLY.match(said) or _BADGE.match(piece):
        return False
    if field_of(said):
        return True
    if piece.startswith("#"):
        return False
    count = len(said.split())
    ended = said[-1] in ".!?:;。\"'”)]" or bool(re.search("[가-힣]", said))
    return count >= _HEADING_WORDS or (count >= 3 and ended)
