"""The sentences that a chain was followed by, and the units that answer where it ends."""

from __future__ import annotations

from weft.offline.chains.chains import is_open
from weft.offline.chains.readings import Asked
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


def each_once(found: list[Candidate]) -> list[Candidate]:
    """Return the first few of some sentences, none of which holds or repeats another."""
    kept: list[Candidate] = []
    for one in found:
        if not any(one.text in other.text or other.text in one.text for other in kept):
            kept.append(one)
    return kept[:MOST_SENTENCES]


def of_unit(one: FoundUnit) -> Candidate:
    """Return a unit in its order as the rules of chains and namesakes read it."""
    return candidate_of(one.read, one.hit, evidence_id=one.evidence_id)
