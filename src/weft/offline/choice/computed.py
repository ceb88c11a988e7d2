"""Answers that are computed: which of two, and whether two have the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from weft.domain.frozen import dataclass
from weft.language.patterns import pattern
from weft.offline.chains.chains import Desktop, Trail
from weft.offline.evidence.passages import Candidate
from weft.offline.evidence.values import Value, born, country, died, lifetime, year
from weft.offline.question.question import is_choice
from weft.offline.question.roles import Plan, language_of

_READERS: Mapping[str, Callable[[Sequence[Candidate]], Value | None]] = {
    "born": born,
    "died": died,
    "lifetime": lifetime,
    "year": year,
    "country": country,
}
_OR = pattern(r"\bor\b|아니면|또는|중|와|과|혹은", re.IGNORECASE)
_YES = {"en": ("yes", "no"), "ko": ("예", "아니요")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """A computed answer and the sentences that its values came from, in reading order."""

    short: str
    sentences: tuple[Candidate, ...]


def compute(plan: Plan, *, trails: Sequence[Trail], desk: Desktop) -> Computed | None:
    """Return a question's computed answer, None where it asks for none or a value is missing."""
    if len(trails) < 2 or any(trail.failed for trail in trails):
        return None
    pair = _pair(trails)
    if pair is None:
        return None
    if plan.same is not None:
        return _same(plan, pair, desk)
    if plan.measure is not None and (is_choice(plan.text) or _OR.search(plan.text)):
        return _choice(plan, pair, desk)
    return None


def _pair(trails: Sequence[Trail]) -> tuple[Trail, Trail] | None:
    """Return the two things compared: the last two names of the question that stand for any."""
    known = [trail for trail in trails if trail.ends]
    if len(known) < 2:
        return None
    return known[-2], known[-1]


def _same(plan: Plan, pair: tuple[Trail, Trail], desk: Desktop) -> Computed | None:
    assert plan.same is not None
    values = [_value_of(trail, plan.same.value, desk) for trail in pair]
    left, right = values
    if left is None or right is None:
        return None
    yes, no = _YES[language_of(plan.text)]
    keys = (left.key, right.key) if plan.same.value != "year" else (left.key[:1], right.key[:1])
    return Computed(
        short=yes if keys[0] == keys[1] else no,
        sentences=_cited(pair, (left, right)),
    )


def _choice(plan: Plan, pair: tuple[Trail, Trail], desk: Desktop) -> Computed | None:
    assert plan.measure is not None
    values = [_value_of(trail, plan.measure.value, desk) for trail in pair]
    left, right = values
    if left is None or right is None or left.key == right.key:
        return None
    first = left.key < right.key
    wins = pair[0] if first is (plan.measure.wins == "least") else pair[1]
    return Computed(short=wins.way.name, sentences=_cited(pair, (left, right)))


def _value_of(trail: Trail, kind: str, desk: Desktop) -> Value | None:
    reader = _READERS.get(kind)
    if reader is None:
        return None
    found = (reader(desk.sentences(end)) for end in trail.ends)
    return next((value for value in found if value is not None), None)


def _cited(pair: Sequence[Trail], values: Sequence[Value]) -> tuple[Candidate, ...]:
    cited: list[Candidate] = []
    for trail, value in zip(pair, values, strict=True):
        cited += [hop.sentence for hop in trail.hops]
        cited.append(value.sentence)
    return tuple({(one.evidence_id, one.place, one.text): one for one in cited}.values())
