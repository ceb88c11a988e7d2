"""Whole answers of several units: the items of one list, and one unit for each thing compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from weft.language.hangul import SYLLABLES
from weft.language.patterns import korean_pattern, needing_pattern
from weft.language.terms import terms
from weft.offline.units.blocks import LineKind
from weft.offline.units.order import RankedUnits
from weft.offline.units.unit_features import FoundUnit

MOST_ITEMS = 12
_PLURAL = r"[a-z]{2,}(?<![sui])s"
_THINGS = rf"(?:[\w-]+ ){{0,3}}?{_PLURAL}"
_DO = "are|were|do|did|can|may|must|have|had|need"
# "List the exits", "What are the exits?", "Which exits are open?", "Which of the exits ...".
_ASKS_LIST = needing_pattern(
    r"^\W*(?:(?:please|now|and) )?(?:list|enumerate)\b"
    rf"|^\W*(?:give|name|show|tell)(?: me| us)? (?:all|the|every) {_THINGS}\b"
    rf"|\b(?:what|which) (?:are|were) (?:all )?(?:the|our|its|their|your)? ?{_THINGS}\b"
    rf"|\b(?:what|which) (?:[\w-]+ ){{0,2}}{_PLURAL} (?:{_DO})\b",
    *("list", "enumerate", "give", "name", "show", "tell", "what", "which"),
    flags=re.IGNORECASE,
)
_ASKS_LIST_KOREAN = korean_pattern(
    rf"(?:모두|전부) (?:알려|나열|말해)|나열해|목록|어떤 [{SYLLABLES}]+(?:들|이|가) 있"
)


def asks_list(text: str) -> bool:
    """Tell whether a question asks for several things of a kind."""
    return bool(_ASKS_LIST.search(text) or _ASKS_LIST_KOREAN.search(text))


def whole_list(ranked: RankedUnits) -> tuple[FoundUnit, ...]:
    """Return the items of the list that the first unit is of, in order; empty where it is of none.

    It is of none, too, where the list has more items than anyone would read as an answer.
    """
    first = ranked.units[0]
    if first.read.unit.kind is not LineKind.ITEM or not first.read.unit.heads:
        return ()
    found = sorted(_beside(first, ranked.units), key=lambda unit: unit.read.unit.start)
    return tuple(found) if 1 < len(found) <= MOST_ITEMS else ()


def _beside(first: FoundUnit, units: Sequence[FoundUnit]) -> Iterator[FoundUnit]:
    for unit in units:
        same = unit.evidence_id == first.evidence_id and unit.read.unit.kind is LineKind.ITEM
        if same and unit.read.unit.heads == first.read.unit.heads:
            yield unit


def of_each(names: Sequence[str], ranked: RankedUnits) -> tuple[FoundUnit, ...]:
    """Return the best unit that speaks of each name, or stands under it; only those there are."""
    found: dict[str, FoundUnit] = {}
    for name in names:
        stems = frozenset(terms(name))
        for unit in ranked.units:
            if stems <= unit.read.held | unit.read.head:
                found.setdefault(f"{unit.evidence_id} {unit.text}", unit)
                break
    return tuple(found.values())
