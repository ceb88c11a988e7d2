"""The offline rule for answering: the few sentences that answer, quoted as they stand.

Likeness alone picks the wrong sentence, so the score is a sum of small reasons. The weights were
set once by hand from the measured recipe and checked on handmade corpora, not trained.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from weft.agents.book import EvidenceBook
from weft.agents.coverage import asked_terms, covered, share
from weft.agents.passage import Candidate, candidates, place_stems, stems_of
from weft.agents.question import Question, alike, holds_kind, read_question
from weft.agents.refusal import document_key, is_meant, read_documents, what_is_missing
from weft.domain.evidence import Evidence
from weft.retrieval.hits import QuestionTerm

MOST_SENTENCES = 3
# What each reason for a sentence weighs, beside its cosine (0 to 1).
RESIDUAL = 0.5  # the question's words that the passage's own title does not give
ANCHOR = 0.35  # the question's words that say which document is meant
KIND = 0.2  # a date for when, a figure for how many ...
FIELD = 0.5  # a line "Key: value" whose key is what is asked
SCORE = 0.2  # how well the passage as a whole was found
POSITION = 0.1  # later sentences say less of what a document is about
LENGTH = 0.1  # long sentences cover words by being long
# A further sentence must come this close to the best one.
MARGIN = 0.2
_LONG = 300
_SAME = 90.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A sentence to be shown, as it stands in the evidence of that id."""

    text: str
    evidence_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The sentences that answer, or what was not found: never both."""

    sentences: tuple[Chosen, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    candidate: Candidate
    score: float


def answer_from(text: str, book: EvidenceBook) -> Reply:
    """Return at most three sentences of the evidence that answer a question, or what is missing."""
    question = read_question(text)
    terms = asked_terms(text, book.terms)
    missing = what_is_missing(question, terms, book)
    if missing:
        return Reply(sentences=(), missing=missing)
    scored = sorted(_scored(question, terms, book), key=_rank)
    best = scored[0].score if scored else 0.0
    kept = _unlike(one.candidate for one in scored if one.score >= best - MARGIN)
    if not kept:
        return Reply(sentences=(), missing=tuple(t.words[0] for t in terms) or (text,))
    ordered = _in_reading_order(kept)
    return Reply(sentences=tuple(Chosen(text=c.text, evidence_id=c.evidence_id) for c in ordered))


def _scored(question: Question, terms: Sequence[QuestionTerm], book: EvidenceBook) -> list[_Scored]:
    found: list[_Scored] = []
    documents = read_documents(terms, [hit for _, hit in book.entries()])
    meant = {known.key for known in documents if is_meant(known, documents)}
    for evidence_id, hit in book.entries():
        if document_key(hit) not in meant:
            continue
        anchors = covered(terms, place_stems(hit))
        context = _Context(
            question=question,
            terms=terms,
            anchor=share(terms, anchors),
            residual=[term for term in terms if term.stem not in anchors],
        )
        found += [
            _Scored(candidate=candidate, score=_score(context, candidate))
            for candidate in candidates(evidence_id, hit)
        ]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Context:
    """What the sentences of one passage are scored against."""

    question: Question
    terms: Sequence[QuestionTerm]
    anchor: float
    residual: list[QuestionTerm]


def _score(context: _Context, candidate: Candidate) -> float:
    wanted = context.residual or context.terms
    said = share(wanted, covered(wanted, candidate.stems))
    return (
        candidate.cosine
        + RESIDUAL * said
        + ANCHOR
        * max(context.anchor, share(context.terms, covered(context.terms, candidate.stems)))
        + KIND * holds_kind(context.question.kind, candidate.text)
        + FIELD * _field_share(wanted, candidate)
        + SCORE * candidate.hit.score
        - POSITION * min(candidate.place, 6) / 6
        - LENGTH * (len(candidate.text) > _LONG)
    )


def _field_share(wanted: Sequence[QuestionTerm], candidate: Candidate) -> float:
    """Return how much of a field's key the question asks for, 0 to 1."""
    keys = stems_of(candidate.field)
    if not keys:
        return 0.0
    asked = frozenset[str]().union(*(alike(term.stem) for term in wanted))
    return len(keys & asked) / len(keys)


def _rank(one: _Scored) -> tuple[float, str, int]:
    return -one.score, one.candidate.hit.evidence.chunk_id, one.candidate.place


def _unlike(ranked: Iterable[Candidate]) -> list[Candidate]:
    """Return the first three sentences that do not say the same again."""
    kept: list[Candidate] = []
    for candidate in ranked:
        if all(fuzz.ratio(candidate.text, other.text) < _SAME for other in kept):
            kept.append(candidate)
        if len(kept) == MOST_SENTENCES:
            break
    return kept


def _in_reading_order(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the sentences by document, the best one's first, and within it as they stand."""
    first = {c.hit.evidence.document_id: place for place, c in reversed(list(enumerate(ranked)))}
    return sorted(ranked, key=lambda c: (first[c.hit.evidence.document_id], *_place(c)))


def _place(candidate: Candidate) -> tuple[int, int]:
    evidence: Evidence = candidate.hit.evidence
    return evidence.start, evidence.text.find(candidate.text)
