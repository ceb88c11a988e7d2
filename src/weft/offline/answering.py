"""The offline rule for answering: computed where it can be, else the few sentences that answer.

Every sentence is a quotation; nothing is written that does not stand in a passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from weft.agents.answering import Caution
from weft.domain.answer import Outcome
from weft.offline.chains.broken import one_sided, where_broken
from weft.offline.chains.chains import follow_all
from weft.offline.chains.hops import lay_out
from weft.offline.chains.led import each_once, led_by, of_unit
from weft.offline.chains.order import in_reading_order
from weft.offline.chains.pairs import read_pair
from weft.offline.chains.readings import Asked
from weft.offline.choice.computed import compute
from weft.offline.choice.contradictions import (
    contradicting,
    contradiction_note,
    keep_apart,
    rows_asked_for,
    side_by_side,
)
from weft.offline.choice.leading import (
    answers,
    asks_kind,
    asks_who,
    failed_text,
    says_most,
    says_only_that,
    unsaid_text,
)
from weft.offline.choice.same_kind import both_are
from weft.offline.evidence.found import FoundEvidence, PlainerQuestion, PlainerQuestions
from weft.offline.evidence.organisations import is_organisation
from weft.offline.evidence.passages import MOST_SENTENCES, Candidate
from weft.offline.question.question import read_question
from weft.offline.refusals import standing_nowhere
from weft.offline.tables.counting import work_out
from weft.offline.units.lists import asks_list, of_each, whole_list
from weft.offline.units.order import RankedUnits, rank_units

# A sentence that contradicts the best one scores nearly as well.
_NEAR = 12
# Passages of a search and of the look-ups behind it.
_MOST_WEIGHED = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A sentence to be shown, as it stands in the evidence of that id."""

    text: str
    evidence_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The sentences that answer, or what was not found: never both.

    `short` states the answer where it was computed from the sentences; `reason` says in words
    where a search ended that found nothing; `notes` tell namesakes and contradictions apart;
    `nearest` is what was found where nothing answers, `more` what stands next in the learned order
    and is not shown.
    """

    sentences: tuple[Chosen, ...]
    missing: tuple[str, ...] = ()
    short: str = ""
    reason: str = ""
    notes: tuple[str, ...] = ()
    nearest: tuple[Chosen, ...] = ()
    more: tuple[Chosen, ...] = ()


def answer_from(text: str, book: FoundEvidence, *, caution: Caution = Caution.ANSWERING) -> Reply:
    """Return at most three sentences of the evidence that answer a question, or what is missing.

    A computed answer cites every sentence that its values came from, which may be more.
    """
    plainer = book.plainer
    if plainer is None or not text.startswith(plainer.asked):
        return _plainly(text, book, caution=caution)
    if plainer.failed:
        whole = _plainly(text, book, caution=caution)
        if whole.short or says_most(text, book, said=[one.text for one in whole.sentences]):
            return whole
        reason = failed_text(text, plainer)
        return Reply(sentences=(), missing=whole.missing, reason=reason, nearest=_all_of(whole))
    plain = _plainly(text, book, caution=caution) if plainer.second else None
    if plain is not None and plain.sentences:
        return (
            _with_other_names(plain, book, plainer=plainer, caution=caution)
            if asks_who(text)
            else plain
        )
    return (
        _led(text, book, plainer=plainer, caution=caution)
        or plain
        or _plainly(text, book, caution=caution)
    )


def _led(
    text: str, book: FoundEvidence, *, plainer: PlainerQuestions, caution: Caution
) -> Reply | None:
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
        inner = _of_attempt(attempt, book, caution=caution)
        if inner.sentences:
            return replace(inner, sentences=joined(steps, inner.sentences))
    if plainer.telling and asks_kind(plainer):
        return Reply(sentences=tuple(steps))
    if not plainer.sure:
        return None
    near = _plainly(text, book, caution=caution)
    reason = unsaid_text(text, plainer)
    return Reply(sentences=(), missing=near.missing, reason=reason, nearest=_all_of(near))


def _all_of(reply: Reply) -> tuple[Chosen, ...]:
    """Return what a reply that is not believed shows, as the nearest."""
    return (*reply.sentences, *reply.nearest)[:MOST_SENTENCES]


def _with_other_names(
    plain: Reply, book: FoundEvidence, *, plainer: PlainerQuestions, caution: Caution
) -> Reply:
    """Return who somebody is, and what is said of them under another name."""
    for attempt in plainer.tries:
        other = _of_attempt(attempt, book, caution=caution)
        if other.sentences and not plain.notes:
            return replace(plain, sentences=joined(plain.sentences[:1], other.sentences))
    return plain


def _of_attempt(attempt: PlainerQuestion, book: FoundEvidence, *, caution: Caution) -> Reply:
    """Return the answer to a plainer question, its sentences entered into the book."""
    inner = _plainly(attempt.question, attempt.found, caution=caution)
    found = [
        replace(one, evidence_id=book.add(hit))
        for one in inner.sentences
        if (hit := attempt.found.hit(one.evidence_id)) and answers(attempt, hit, text=one.text)
    ]
    # What it leaves unshown is not in the book.
    return replace(inner, sentences=tuple(found), more=())


def _plainly(text: str, book: FoundEvidence, *, caution: Caution) -> Reply:
    """Return the answer from a book as it stands."""
    asked = read(text, book)
    computed = compute(asked.question, asked.plan, trails=asked.trails, desk=asked.desk)
    computed = computed or both_are(text, asked.desk)
    if computed is not None and not one_sided(asked, naming=book.naming):
        return Reply(sentences=_chosen(computed.sentences), short=computed.short)
    worked = work_out(
        text, book, organisation=lambda name: is_organisation(name, asked.desk.passages)
    )
    if worked is not None:
        rows = tuple(Chosen(text=one.text, evidence_id=one.evidence_id) for one in worked.quotes)
        return Reply(sentences=rows, short=worked.short, notes=worked.notes)
    ranked = rank_units(text, book.terms, entries=book.entries()[:_MOST_WEIGHED])
    nowhere = standing_nowhere(text, book.terms)
    broken = where_broken(asked, naming=book.naming)
    if broken:
        return _refused(asked, ranked, missing=nowhere, reason=broken)
    led = led_by(asked, ranked) or rows_asked_for(asked.plan, asked.desk)
    if not led and ranked.outcome(caution) is not Outcome.ANSWERED:
        return _refused(asked, ranked, missing=nowhere)
    kept = _kept_apart(asked, ranked, led=led)
    return kept or _refused(asked, ranked, missing=nowhere)


def _refused(
    asked: Asked, ranked: RankedUnits, *, missing: tuple[str, ...], reason: str = ""
) -> Reply:
    """Return that nothing answers, with the nearest unless nothing is near."""
    is_near = ranked.outcome(Caution.ANSWERING) is not Outcome.NOTHING
    near = ranked.units if is_near else ()
    nearest = _chosen(each_once([of_unit(one) for one in near[:_NEAR]]))
    return Reply(sentences=(), missing=missing, reason=reason, nearest=nearest)


def _kept_apart(asked: Asked, ranked: RankedUnits, *, led: list[Candidate]) -> Reply | None:
    """Return the sentences to show, of one bearer of a name, beside what contradicts the first."""
    others = [of_unit(one) for one in ranked.units[:_NEAR]]
    picked, note = keep_apart(asked.plan, asked.desk, chosen=led or _to_show(asked, ranked))
    if not picked:
        return None
    notes = (note,) if note else ()
    compares = asked.question.compares
    alone = asked.plan.is_chain or bool(note)  # namesakes do not contradict each other
    other = None if alone else contradicting(picked[0], others, compares=compares)
    if other is None:
        ordered = in_reading_order(picked, asked.trails) if led else picked
        return Reply(sentences=_chosen(ordered), notes=notes, more=_further(others, ordered))
    pair = side_by_side(picked[0], other)
    if not compares:
        notes = (*notes, contradiction_note(asked.plan.text, pair))
    both = each_once([*pair, *picked])
    return Reply(sentences=_chosen(both), notes=notes, more=_further(others, both))


def _further(others: Sequence[Candidate], shown: Sequence[Candidate]) -> tuple[Chosen, ...]:
    """Return the next few units that repeat nothing of what is shown."""
    said = [one.text for one in shown]
    rest = [one for one in others if not any(one.text in it or it in one.text for it in said)]
    return _chosen(each_once(rest))


def _to_show(asked: Asked, ranked: RankedUnits) -> list[Candidate]:
    """Return the units that are worth showing: a whole list, one for each side, or the first."""
    first = each_once([of_unit(one) for one in ranked.units[:_NEAR]])
    text = asked.question.text
    if asks_list(text) and (items := whole_list(ranked)):
        return [of_unit(one) for one in items]
    pair = read_pair(text)
    if pair is not None and len(sides := of_each(pair.names, ranked)) > 1:
        return [of_unit(one) for one in sides]
    return first if asked.question.compares else first[: ranked.shown]


def read(text: str, book: FoundEvidence) -> Asked:
    """Return a question in all its readings."""
    plan, desk = lay_out(text, book)
    return Asked(
        question=read_question(text),
        plan=plan,
        trails=follow_all(plan, desk),
        desk=desk,
    )


def joined(steps: Sequence[Chosen], found: Sequence[Chosen]) -> tuple[Chosen, ...]:
    """Return the steps to an answer and its sentences, each once, few in all."""
    kept = list(dict.fromkeys([*steps, *found[:1]]))
    room = max(MOST_SENTENCES - len(kept), 0)
    return tuple(dict.fromkeys([*kept, *found[1 : 1 + room]]))


def _chosen(sentences: Sequence[Candidate]) -> tuple[Chosen, ...]:
    return tuple(Chosen(text=one.text, evidence_id=one.evidence_id) for one in sentences)
