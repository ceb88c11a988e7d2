"""The offline rule for answering: computed where it can be, else the few sentences that answer.

Every sentence is a quotation; nothing is written that does not stand in a passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.agents.book import EvidenceBook
from weft.agents.chains import follow_all
from weft.agents.computing import compute
from weft.agents.counting import work_out
from weft.agents.coverage import asked_terms
from weft.agents.disagreeing import (
    contradicting,
    contradiction_note,
    keep_apart,
    side_by_side,
)
from weft.agents.hopping import lay_out
from weft.agents.ordering import in_reading_order
from weft.agents.passage import Candidate, Passage
from weft.agents.picking import pick, score_all, unlike
from weft.agents.question import read_question
from weft.agents.reading import Asked
from weft.agents.refusal import why_not
from weft.agents.saying import is_house
from weft.agents.wanting import read_words

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


def answer_from(text: str, book: EvidenceBook) -> Reply:
    """Return at most three sentences of the evidence that answer a question, or what is missing.

    A computed answer cites every sentence that its values came from, which may be more.
    """
    asked, passages = read(text, book)
    computed = compute(asked.question, asked.plan, trails=asked.trails, desk=asked.desk)
    if computed is not None:
        return Reply(sentences=_chosen(computed.sentences), short=computed.short)
    worked = work_out(text, book, house=lambda name: is_house(asked, name))
    if worked is not None:
        rows = tuple(Chosen(text=one.text, evidence_id=one.evidence_id) for one in worked.quotes)
        return Reply(sentences=rows, short=worked.short, notes=worked.notes)
    refusal = why_not(asked, passages, naming=book.naming)
    if refusal is not None:
        return Reply(sentences=(), missing=refusal.missing, reason=refusal.reason)
    scored = score_all(asked, passages)
    picked, note = keep_apart(asked.plan, asked.desk, chosen=pick(asked, scored))
    if not picked:
        return Reply(sentences=(), missing=tuple(t.words[0] for t in asked.terms) or (text,))
    notes = (note,) if note else ()
    alone = asked.plan.is_chain or bool(note)  # namesakes do not contradict each other
    other = None if alone else contradicting(picked[0], scored[:_NEAR])
    if other is not None:
        pair = side_by_side(picked[0], other)
        rest = [one for one in unlike([*pair, *picked]) if one not in pair]
        notes = (*notes, contradiction_note(text, pair))
        return Reply(sentences=_chosen([*pair, *rest]), notes=notes)
    return Reply(sentences=_chosen(in_reading_order(picked, asked.trails)), notes=notes)


def read(text: str, book: EvidenceBook) -> tuple[Asked, Sequence[Passage]]:
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


def _chosen(sentences: Sequence[Candidate]) -> tuple[Chosen, ...]:
    return tuple(Chosen(text=one.text, evidence_id=one.evidence_id) for one in sentences)
