"""The offline rule for answering: the few sentences that answer, quoted as they stand.

Likeness alone picks the wrong sentence, so the score is a sum of small reasons. The weights were
set once by hand from the measured recipe and checked on handmade corpora, not trained.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from weft.agents.book import EvidenceBook
from weft.agents.coverage import asked_terms, covered, occurs, share
from weft.agents.passage import (
    Candidate,
    Passage,
    candidates,
    link_share,
    read_passages,
    stems_of,
)
from weft.agents.question import Kind, Question, alike, holds_kind, read_question
from weft.agents.refusal import MEANT, is_meant, read_documents, what_is_missing
from weft.domain.evidence import Evidence
from weft.domain.terms import terms as terms_of
from weft.retrieval.hits import QuestionTerm

MOST_SENTENCES = 3
# What each reason for a sentence weighs, beside its cosine (0 to 1).
RESIDUAL = 0.5  # the question's words that the passage's own title does not give
ANCHOR = 0.5  # the question's words that the passage's title and address give
MENTION = 0.2  # the question's words in the sentence itself
KIND = 0.3  # a date for when, a figure for how many ...
FIELD = 0.6  # a line "Key: value" whose key is what is asked
SUBJECT = 0.3  # "X is a ..." for "What is X?"
SCORE = 0.2  # how well the passage as a whole was found
POSITION = 0.1  # later sentences say less of what a document is about
LENGTH = 0.1  # long sentences cover words by being long
ECHO = 0.6  # what only repeats the question says nothing
LINKS = 0.2  # what is mostly addresses says little
# A further sentence must come this close to the best one.
MARGIN = 0.3
# From this cosine on a sentence may answer in other words, and from this it surely is about it.
NEAR = 0.5
SURE = 0.6
# Of two things compared, each document holds half of the question.
COMPARED = 0.4
_LONG = 300
_MOSTLY = 0.4
_SUMMARY = frozenset({"summari", "descript", "definit", "about"})
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
    passages = read_passages(book)
    missing = what_is_missing(question, terms, passages=passages)
    if missing:
        return Reply(sentences=(), missing=missing)
    scored = sorted(_scored(question, terms, passages), key=_rank)
    best = scored[0].score if scored else 0.0
    near = (one.candidate for one in scored if one.score >= best - MARGIN)
    kept = _unlike(candidate for candidate in near if _may_answer(question, candidate))
    if not kept:
        return Reply(sentences=(), missing=tuple(t.words[0] for t in terms) or (text,))
    ordered = _in_reading_order(kept)
    return Reply(sentences=tuple(Chosen(text=c.text, evidence_id=c.evidence_id) for c in ordered))


def _scored(
    question: Question, terms: Sequence[QuestionTerm], passages: Sequence[Passage]
) -> list[_Scored]:
    found: list[_Scored] = []
    documents = read_documents(terms, passages)
    part = COMPARED if question.compares else MEANT
    meant = {known.key for known in documents if is_meant(known, documents, part=part)}
    for passage in passages:
        if passage.document not in meant:
            continue
        anchors = covered(terms, passage.place)
        context = _Context(
            question=question,
            terms=terms,
            anchor=share(terms, anchors),
            residual=[term for term in terms if term.stem not in anchors],
        )
        found += [
            _Scored(candidate=candidate, score=_score(context, candidate))
            for candidate in candidates(passage)
            if _is_to_the_point(context, candidate)
        ]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Context:
    """What the sentences of one passage are scored against."""

    question: Question
    terms: Sequence[QuestionTerm]
    anchor: float
    residual: list[QuestionTerm]


def _may_answer(question: Question, candidate: Candidate) -> bool:
    """Tell whether a sentence holds the figure or date that the question cannot do without."""
    if question.kind is Kind.NUMBER:
        return holds_kind(Kind.NUMBER, candidate.text)
    if question.kind is Kind.DATE and candidate.hit.cosines:
        return candidate.cosine >= SURE or holds_kind(Kind.DATE, candidate.text)
    return True


def _is_to_the_point(context: _Context, candidate: Candidate) -> bool:
    """Tell whether a sentence says more of the question than which document is meant."""
    if not context.residual or not candidate.hit.cosines or candidate.cosine >= NEAR:
        return True
    return bool(covered(context.residual, candidate.stems))


def _score(context: _Context, candidate: Candidate) -> float:
    wanted = context.residual or context.terms
    held = covered(context.terms, candidate.stems)
    said, mentioned = share(wanted, held), share(context.terms, held)
    reasons = (
        RESIDUAL * said
        + ANCHOR * context.anchor
        + MENTION * mentioned
        + KIND * holds_kind(context.question.kind, candidate.text)
        + FIELD * _field_share(context, wanted, candidate=candidate)
        + SUBJECT * _is_definition(context, candidate)
        + SCORE * candidate.hit.score
    )
    against = (
        POSITION * min(candidate.place, 6) / 6
        + LENGTH * (len(candidate.text) > _LONG)
        + ECHO * _is_echo(context, candidate)
        + LINKS * (link_share(candidate.text) > _MOSTLY)
    )
    return candidate.cosine + reasons - against


def _field_share(
    context: _Context, wanted: Sequence[QuestionTerm], *, candidate: Candidate
) -> float:
    """Return how much of a field's key the question asks for, 0 to 1."""
    keys = stems_of(candidate.field)
    if not keys:
        return 0.0
    if context.question.kind is Kind.DEFINITION and keys & _SUMMARY:
        return 1.0
    asked = frozenset[str]().union(*(alike(term.stem) for term in wanted))
    return len(keys & asked) / len(keys)


def _is_definition(context: _Context, candidate: Candidate) -> bool:
    """Tell whether a sentence begins by saying of the thing asked for what it is."""
    if context.question.kind is not Kind.DEFINITION:
        return False
    first = stems_of(" ".join(candidate.text.split()[:4]))
    named = any(occurs(term.stem, first) for term in context.terms)
    return named and holds_kind(Kind.DEFINITION, " ".join(candidate.text.split()[:8]))


def _is_echo(context: _Context, candidate: Candidate) -> bool:
    """Tell whether a sentence holds nothing but the question's own words and a field's key."""
    known = frozenset(term.stem for term in context.terms) | stems_of(candidate.field)
    said = frozenset(terms_of(candidate.text))
    return said <= known


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
