"""The sentences that a chain was followed by, in their order, and the units where it ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from weft.offline.chains.chains import Trail, is_open
from weft.offline.chains.hops import Asked
from weft.offline.evidence.passages import MOST_SENTENCES, Candidate, candidate_of
from weft.offline.evidence.values import country
from weft.offline.question.cues import CueRelation
from weft.offline.units.order import RankedUnits
from weft.offline.units.unit_features import FoundUnit

_AT_THE_END = 2


def led_by(asked: Asked, ranked: RankedUnits) -> list[Candidate]:
    """Return the sentences of a chain that was followed to its end; none where there is none."""
    followed = [trail for trail in asked.trails if trail.is_followed]
    if not followed or not asked.plan.is_chain:
        return []
    ends = {end for trail in followed for end in trail.ends}
    hops = [hop.sentence for trail in followed for hop in trail.hops]
    relation = asked.plan.relation
    there = [of_unit(one) for one in ranked.units if one.evidence_id in ends]
    last = sorted(there, key=lambda one: not _says(relation, one))[:_AT_THE_END] if relation else []
    first = hops[-1:] if is_open(asked.plan) else hops[::-1]
    rest = [of_unit(one) for one in ranked.units[:MOST_SENTENCES]]
    return each_once([*first, *last, *rest])


def _says(relation: CueRelation, one: Candidate) -> bool:
    """Tell whether a sentence says what is asked at the end; a country has no words around it."""
    if relation.cue is None:
        return country([one]) is not None
    return relation.cue.search(one.text) is not None


class WithText(Protocol):
    """What says something."""

    @property
    def text(self) -> str:
        """Return what it says."""
        ...


Sentence = TypeVar("Sentence", bound=WithText)


def each_once(found: Sequence[Sentence]) -> list[Sentence]:
    """Return the first few of some sentences, none of which holds or repeats another."""
    kept: list[Sentence] = []
    for one in found:
        if not any(one.text in other.text or other.text in one.text for other in kept):
            kept.append(one)
    return kept[:MOST_SENTENCES]


def of_unit(one: FoundUnit) -> Candidate:
    """Return a unit in its order as the rules of chains and namesakes read it."""
    return candidate_of(one.read, one.hit, evidence_id=one.evidence_id)


def in_reading_order(ranked: Sequence[Candidate], trails: Sequence[Trail]) -> list[Candidate]:
    """Return the sentences as they are read: along a chain the hops first, in their order.

    The others by document, that of the best one first, and within it as they stand.
    """
    hops = [hop.sentence for trail in trails for hop in trail.hops]
    on_the_way = {
        (one.evidence_id, one.text): place for place, one in reversed(list(enumerate(hops)))
    }
    first = {one.evidence_id: place for place, one in reversed(list(enumerate(ranked)))}

    def order(one: Candidate) -> tuple[int, int, int]:
        hop = on_the_way.get((one.evidence_id, one.text), len(hops))
        document = 0 if hop < len(hops) else first[one.evidence_id]
        return hop, document, one.place

    return sorted(ranked, key=order)
