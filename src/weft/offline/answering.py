"""The offline rule for answering: computed where it can be, else the few sentences that answer.

Every sentence is a quotation; nothing is written that does not stand in a passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.agents.answering import Caution
from weft.domain.answer import AnswerTable, Meaning, Outcome
from weft.domain.frozen import dataclass
from weft.offline.chains.broken import one_sided, where_broken
from weft.offline.chains.hops import Asked, read
from weft.offline.chains.led import each_once, in_reading_order, led_by, of_unit
from weft.offline.chains.pairs import sides_of
from weft.offline.choice.computed import compute
from weft.offline.choice.contradictions import (
    contradicting,
    contradiction_note,
    keep_apart,
    rows_asked_for,
    rows_beside,
    side_by_side,
)
from weft.offline.choice.same_kind import both_are
from weft.offline.evidence.found import FoundEvidence
from weft.offline.evidence.passages import (
    MOST_SENTENCES,
    Candidate,
    place_stems,
    stems_of,
)
from weft.offline.question.question import compares
from weft.offline.refusals import standing_nowhere
from weft.offline.rows import is_worked_out_of_rows
from weft.offline.units.lists import as_one, asks_list, joined, of_each, whole_list
from weft.offline.units.numbering import heeding_numbers
from weft.offline.units.order import RankedUnits, rank_units, weigh_units
from weft.offline.units.read_unit import is_row
from weft.offline.units.reading import read_again
from weft.offline.units.unit_features import FoundUnit
from weft.ports.embedder import CrossReader

# A sentence that contradicts the best one scores nearly as well.
_NEAR = 12
# Of what fields lead to so many stand behind the first of the nearest.
_BEYOND = 2
# So many of the first three are of one list where it is what was found.
_OF_A_LIST = 2
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
    and is not shown. `meanings` are what the question may ask of tables.
    """

    sentences: tuple[Chosen, ...]
    missing: tuple[str, ...] = ()
    short: str = ""
    reason: str = ""
    notes: tuple[str, ...] = ()
    nearest: tuple[Chosen, ...] = ()
    more: tuple[Chosen, ...] = ()
    table: AnswerTable | None = None
    meanings: tuple[Meaning, ...] = ()


def answer_from(
    text: str,
    book: FoundEvidence,
    *,
    caution: Caution = Caution.ANSWERING,
    reader: CrossReader | None = None,
) -> Reply:
    """Return at most three sentences of the evidence that answer a question, or what is missing.

    A computed answer cites every sentence that its values came from, which may be more. `reader`
    puts the first units in order once more.
    """
    asked = read(text, book)
    computed = compute(asked.plan, trails=asked.trails, desk=asked.desk)
    computed = computed or both_are(text, asked.desk)
    if computed is not None and not one_sided(asked, naming=book.naming):
        return Reply(sentences=_chosen(computed.sentences), short=computed.short)
    weighed = weigh_units(text, book.terms, entries=book.entries()[:_MOST_WEIGHED])
    ordered = read_again(text, weighed, reader=reader)
    ranked, may_answer = heeding_numbers(text, ordered)
    beyond = _beyond(book)
    broken = where_broken(asked, naming=book.naming)
    led = [] if broken else led_by(asked, ranked) or rows_asked_for(asked.plan, asked.desk)
    may_answer = may_answer and not _is_of_one_row(text, ranked)
    is_told = may_answer and ranked.outcome(caution) is Outcome.ANSWERED
    if led or (not broken and is_told):
        kept = _kept_apart(asked, ranked, led=led, beyond=_speaking(beyond, book))
        if kept is not None:
            return kept
    near = _near(text, ranked, beyond)
    return Reply(sentences=(), missing=_nowhere(text, book), reason=broken, nearest=near)


def _is_of_one_row(text: str, ranked: RankedUnits) -> bool:
    """Tell whether the first unit is a row where a figure over all of them is asked for."""
    first = ranked.units[0] if ranked.units else None
    if first is None or not is_row(first.hit):
        return False
    uri = first.hit.evidence.uri.partition("#")[0]
    others = (one.hit.evidence.uri.partition("#")[0] for one in ranked.units[1:])
    return uri in others and is_worked_out_of_rows(text, first.text)


def _nowhere(text: str, book: FoundEvidence) -> tuple[str, ...]:
    """Return the words of a question that stand nowhere, nor in what a table beside is called."""
    called = stems_of(" ".join(book.tables))
    return tuple(one for one in standing_nowhere(text, book.terms) if not stems_of(one) <= called)


def _beyond(book: FoundEvidence) -> list[Candidate]:
    """Return the first units of what fields led to, for the part of the question that asks."""
    if book.followed is None:
        return []
    ranked = rank_units(book.followed.asked, book.terms, entries=book.followed.entries)
    is_near = ranked.outcome(Caution.ANSWERING) is not Outcome.NOTHING
    return _first_of(ranked) if is_near else []


def _speaking(beyond: Sequence[Candidate], book: FoundEvidence) -> list[Candidate]:
    """Return the units that have a word of what is asked: an answer shows no others."""
    if book.followed is None:
        return []
    asked = stems_of(book.followed.asked)
    return [one for one in beyond if asked & (one.stems | place_stems(one.hit))]


def _first_of(ranked: RankedUnits) -> list[Candidate]:
    return each_once([of_unit(one) for one in ranked.units[:_NEAR]])


def _near(text: str, ranked: RankedUnits, beyond: Sequence[Candidate]) -> tuple[Chosen, ...]:
    """Return what is shown where nothing answers, the nearest first: nothing if nothing is near.

    Of two things set side by side it is one unit each; a list is shown as one, and what contradicts
    the first beside it.
    """
    if ranked.outcome(Caution.ANSWERING) is Outcome.NOTHING:
        return _chosen(each_once(beyond[:_BEYOND]))
    units = [of_unit(one) for one in ranked.units[:_NEAR]]
    listed = _list_in_front(ranked)
    near = [*listed, *map(_as_one, joined(ranked.units[:_NEAR]))]
    front = _of_sides(text, ranked)
    if not front:
        other = contradicting((listed or units)[0], units)
        front = near[:1] if other is None else [near[0], other]
    return _chosen(each_once([*front, *beyond[:_BEYOND], *near]))


def _of_sides(text: str, ranked: RankedUnits) -> list[Candidate]:
    """Return a unit for each of two things set side by side; none where there are not both."""
    sides = of_each(sides_of(text), ranked)
    return [of_unit(one) for one in sides] if len(sides) > 1 else []


def _as_one(units: Sequence[FoundUnit]) -> Candidate:
    """Return units that are short enough to be shown as one, as they stand in their passage."""
    return replace(of_unit(units[0]), text=as_one(units))


def _list_in_front(ranked: RankedUnits) -> list[Candidate]:
    """Return the list that the first unit and another of the first three are of, as one."""
    whole = whole_list(ranked)
    if sum(one in whole for one in ranked.units[:MOST_SENTENCES]) < _OF_A_LIST:
        return []
    return [_as_one(whole)] if as_one(whole) else []


def _kept_apart(
    asked: Asked, ranked: RankedUnits, *, led: list[Candidate], beyond: list[Candidate]
) -> Reply | None:
    """Return the sentences to show, of one bearer of a name, beside what contradicts the first."""
    others = [of_unit(one) for one in ranked.units[:_NEAR]]
    picked, note = keep_apart(asked.plan, asked.desk, chosen=led or _to_show(asked, ranked, beyond))
    if not picked:
        return None
    notes = (note,) if note else ()
    side = compares(asked.plan.text)
    alone = asked.plan.is_chain or bool(note)  # namesakes do not contradict each other
    other = (
        None if alone else contradicting(picked[0], others, question=asked.plan.text, compares=side)
    )
    if other is None:
        further = [] if alone else rows_beside(asked.plan.text, picked[0], others=others)
        picked = each_once([*picked, *further])[: max(len(picked), MOST_SENTENCES)]
        ordered = in_reading_order(picked, asked.trails) if led else picked
        return Reply(sentences=_chosen(ordered), notes=notes, more=_further(others, ordered))
    pair = side_by_side(picked[0], other)
    if not side:
        notes = (*notes, contradiction_note(asked.plan.text, pair))
    both = each_once([*pair, *picked])
    return Reply(sentences=_chosen(both), notes=notes, more=_further(others, both))


def _further(others: Sequence[Candidate], shown: Sequence[Candidate]) -> tuple[Chosen, ...]:
    """Return the next few units that repeat nothing of what is shown."""
    said = [one.whole for one in shown]
    rest = [one for one in others if not any(one.text in it or it in one.text for it in said)]
    return _chosen(each_once(rest), said=said)


def _to_show(asked: Asked, ranked: RankedUnits, beyond: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return the units that are worth showing: a whole list, one for each side, or the first."""
    text = asked.plan.text
    if asks_list(text) and (items := whole_list(ranked)):
        return [of_unit(one) for one in items]
    if sides := _of_sides(text, ranked):
        return sides
    first = _first_of(ranked)
    shown = first if compares(text) else first[: ranked.shown]
    last = MOST_SENTENCES - 1
    return each_once([*shown[:last], *beyond[:1], *shown[last:]])


def _chosen(sentences: Sequence[Candidate], *, said: Sequence[str] = ()) -> tuple[Chosen, ...]:
    """Return sentences as they are shown: what another one holds stands there, in its place.

    One that would repeat what was `said` already stands alone.
    """
    every = [
        (one.evidence_id, one.text if any(it in one.whole for it in said) else one.whole)
        for one in sentences
    ]
    held = [max((it for it in every if _holds(it, one)), key=_length) for one in every]
    return tuple(Chosen(text=text, evidence_id=name) for name, text in dict.fromkeys(held))


def _holds(it: tuple[str, str], one: tuple[str, str]) -> bool:
    return it[0] == one[0] and one[1] in it[1]


def _length(one: tuple[str, str]) -> int:
    return len(one[1])
