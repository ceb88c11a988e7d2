"""The offline rule for answering: computed where it can be, else the few sentences that answer.

Every sentence is a quotation; nothing is written that does not stand in a passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from weft.offline.chains.chains import follow_all
from weft.offline.chains.hops import lay_out
from weft.offline.chains.order import in_reading_order
from weft.offline.chains.readings import Asked
from weft.offline.chains.saying import is_organisation
from weft.offline.choice.computed import compute
from weft.offline.choice.contradictions import (
    contradicting,
    contradiction_note,
    keep_apart,
    side_by_side,
)
from weft.offline.choice.leading import (
    answers,
    asks_kind,
    asks_who,
    failed_text,
    says_most,
    says_only_that,
    unsaid,
    unsaid_text,
)
from weft.offline.choice.opening import first_said
from weft.offline.choice.picking import MOST_SENTENCES, Scored, pick, score_all, unlike
from weft.offline.choice.same_kind import both_are
from weft.offline.evidence.coverage import asked_terms
from weft.offline.evidence.found import FoundEvidence, PlainerQuestion, PlainerQuestions
from weft.offline.evidence.passages import Candidate, ReadPassage
from weft.offline.question.question import read_question
from weft.offline.question.wanting import read_words
from weft.offline.refusal.reasons import one_sided, why_not
from weft.offline.tables.counting import work_out

# A sentence that contradicts the best one scores nearly as well.
_NEAR = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A sentence to be shown, as it stands in the evidence of that id."""

    text: str
    evidence_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The sentences that answer, or what was not found: never both.

    `short` states the answer where it was computed from the sentences; `reason` says in words
    where a search ended that found nothing; `notes` tell namesakes and contradictions apart.
    """

    sentences: tuple[Chosen, ...]
    missing: tuple[str, ...] = ()
    short: str = ""
    reason: str = ""
    notes: tuple[str, ...] = ()


def answer_from(text: str, book: FoundEvidence) -> Reply:
    """Return at most three sentences of the evidence that answer a question, or what is missing.

    A computed answer cites every sentence that its values came from, which may be more.
    """
    plainer = book.plainer
    if plainer is None or not text.startswith(plainer.asked):
        return _plainly(text, book)
    if plainer.failed:
        whole = _plainly(text, book)
        if whole.short or says_most(text, book, said=[one.text for one in whole.sentences]):
            return whole
        return Reply(sentences=(), missing=(plainer.failed,), reason=failed_text(text, plainer))
    plain = _plainly(text, book) if plainer.second else None
    if plain is not None and plain.sentences:
        return _with_other_names(plain, book, plainer) if asks_who(text) else plain
    return _led(text, book, plainer) or plain or _plainly(text, book)


def _led(text: str, book: FoundEvidence, plainer: PlainerQuestions) -> Reply | None:
    """Return the answer by way of what a question describes: the steps first; None without one."""
    if not plainer.tries:
        return None
    steps = [Chosen(text=said, evidence_id=book.add(hit)) for hit, said in plainer.said]
    if steps and says_only_that(plainer):
        return Reply(sentences=tuple(steps))
    for attempt in plainer.tries:
        if attempt.told is not None:
            told = Chosen(text=attempt.told[1], evidence_id=book.add(attempt.told[0]))
            return Reply(sentences=tuple(dict.fromkeys([*steps, told])))
        inner = _of_attempt(attempt, book)
        if inner.sentences:
            return replace(inner, sentences=joined(steps, inner.sentences))
    if plainer.telling and asks_kind(plainer):
        return Reply(sentences=tuple(steps))
    if not plainer.sure:
        return None
    return Reply(sentences=(), missing=unsaid(plainer), reason=unsaid_text(text, plainer))


def _with_other_names(plain: Reply, book: FoundEvidence, plainer: PlainerQuestions) -> Reply:
    """Return who somebody is, and what is said of them under another name."""
    for attempt in plainer.tries:
        other = _of_attempt(attempt, book)
        if other.sentences and not plain.notes:
            return replace(plain, sentences=joined(plain.sentences[:1], other.sentences))
    return plain


def _of_attempt(attempt: PlainerQuestion, book: FoundEvidence) -> Reply:
    """Return the answer to a plainer question, its sentences entered into the book."""
    inner = _plainly(attempt.question, attempt.found)
    found = [
        replace(one, evidence_id=book.add(hit))
        for one in inner.sentences
        if (hit := attempt.found.hit(one.evidence_id)) and answers(attempt, hit, text=one.text)
    ]
    return replace(inner, sentences=tuple(found))


def _plainly(text: str, book: FoundEvidence) -> Reply:
    """Return the answer from a book as it stands."""
    asked, passages = read(text, book)
    computed = compute(asked.question, asked.plan, trails=asked.trails, desk=asked.desk)
    computed = computed or both_are(text, asked.desk)
    if computed is not None and not one_sided(asked, naming=book.naming):
        return Reply(sentences=_chosen(computed.sentences), short=computed.short)
    worked = work_out(text, book, organisation=lambda name: is_organisation(asked, name))
    if worked is not None:
        rows = tuple(Chosen(text=one.text, evidence_id=one.evidence_id) for one in worked.quotes)
        return Reply(sentences=rows, short=worked.short, notes=worked.notes)
    opening = first_said(asked, passages)
    if opening:
        return Reply(sentences=_chosen(opening))
    scored = score_all(asked, passages)
    refusal = why_not(asked, passages, scored=scored, naming=book.naming)
    if refusal is not None:
        return Reply(sentences=(), missing=refusal.missing, reason=refusal.reason)
    picked, note = keep_apart(asked.plan, asked.desk, chosen=pick(asked, scored))
    if not picked:
        return Reply(sentences=(), missing=tuple(t.words[0] for t in asked.terms) or (text,))
    notes = (note,) if note else ()
    alone = asked.plan.is_chain or bool(note)  # namesakes do not contradict each other
    other = _other(asked, picked[0], scored) if not alone else None
    if other is not None:
        pair = side_by_side(picked[0], other)
        rest = [one for one in unlike([*pair, *picked]) if one not in pair]
        if not asked.question.compares:
            notes = (*notes, contradiction_note(text, pair))
        return Reply(sentences=_chosen([*pair, *rest]), notes=notes)
    return Reply(sentences=_chosen(in_reading_order(picked, asked.trails)), notes=notes)


def _other(asked: Asked, best: Candidate, scored: Sequence[Scored]) -> Candidate | None:
    """Return what is to be shown beside the best sentence, since it gives another figure."""
    return contradicting(best, scored[:_NEAR], compares=asked.question.compares)


def read(text: str, book: FoundEvidence) -> tuple[Asked, Sequence[ReadPassage]]:
    """Return a question in all its readings, and the passages that it is answered from."""
    plan, desk = lay_out(text, book)
    asked = Asked(
        question=read_question(text),
        terms=asked_terms(text, book.terms),
        plan=plan,
        trails=follow_all(plan, desk),
        desk=desk,
        known=read_words(passage.hit.evidence.text for passage in desk.passages),
    )
    return asked, desk.passages


def joined(steps: Sequence[Chosen], found: Sequence[Chosen]) -> tuple[Chosen, ...]:
    """Return the steps to an answer and its sentences, each once, few in all."""
    kept = list(dict.fromkeys([*steps, *found[:1]]))
    room = max(MOST_SENTENCES - len(kept), 0)
    return tuple(dict.fromkeys([*kept, *found[1 : 1 + room]]))


def _chosen(sentences: Sequence[Candidate]) -> tuple[Chosen, ...]:
    return tuple(Chosen(text=one.text, evidence_id=one.evidence_id) for one in sentences)
