"""Several units as one: items of a list, sentences side by side, and one unit for each thing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from weft.language.blocks.lines import LineKind
from weft.language.hangul import SYLLABLES
from weft.language.patterns import korean_pattern, needing_pattern, pattern
from weft.language.terms import terms
from weft.offline.units.order import RankedUnits
from weft.offline.units.unit_features import FoundUnit

MOST_ITEMS = 12
_MOST_SIDE_BY_SIDE = 3
_LONGEST = 900  # characters of what is shown as one
_ALONE = frozenset({LineKind.ROW, LineKind.CODE})
# More than the letter of an item: "b)".
_WORD = pattern(r"[^\W\d_]{2}")
_BLANK = pattern(r"\n[ \t]*\n")
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
    """Return the items of the list that the first unit is of, or leads to, itself in front.

    They stand in order. It is of none where the list has more items than anyone would read as an
    answer.
    """
    first = ranked.units[0]
    own = [one for one in ranked.units if one.evidence_id == first.evidence_id]
    items = sorted(filter(_is_item, own), key=lambda one: one.read.unit.start)
    if not _is_item(first):
        below = tuple(_below(first, items))
        return (first, *below) if 1 < len(below) <= MOST_ITEMS else ()
    if not first.read.unit.heads:
        return ()
    found = [one for one in items if one.read.unit.heads == first.read.unit.heads]
    return tuple(found) if 1 < len(found) <= MOST_ITEMS else ()


def _is_item(one: FoundUnit) -> bool:
    return one.read.unit.kind is LineKind.ITEM


def _below(lead: FoundUnit, items: Iterable[FoundUnit]) -> Iterator[FoundUnit]:
    """Yield the items below the paragraph of a unit, with nothing but their marks between."""
    text, end = lead.hit.evidence.text, lead.read.unit.end
    blank = _BLANK.search(text, end)
    end = end if blank is None else blank.start()
    for one in items:
        if one.read.unit.start < end:
            continue
        if _WORD.search(text, end, one.read.unit.start):
            return
        yield one
        end = one.read.unit.end


def as_one(units: Sequence[FoundUnit]) -> str:
    """Return the units of one list as they stand in their passage; nothing where it is too long."""
    start, end = units[0].read.unit.start, units[-1].read.unit.end
    return units[0].hit.evidence.text[start:end] if end - start <= _LONGEST else ""


def joined(units: Sequence[FoundUnit]) -> Iterator[tuple[FoundUnit, ...]]:
    """Yield units, the best first, each with up to two others that stand right beside it.

    Those yielded together stand as in their passage. A row of a table and code stand alone.
    """
    left = list(units)
    while left:
        found = [left.pop(0)]
        while len(found) < _MOST_SIDE_BY_SIDE:
            other = next((one for one in left if _touches(one, found)), None)
            if other is None:
                break
            left.remove(other)
            found = sorted([*found, other], key=lambda one: one.read.unit.start)
        yield tuple(found)


def _touches(one: FoundUnit, found: Sequence[FoundUnit]) -> bool:
    """Tell whether a unit stands before or behind some others, with no word between."""
    first, last, unit = found[0].read.unit, found[-1].read.unit, one.read.unit
    if one.evidence_id != found[0].evidence_id or {unit.kind, first.kind} & _ALONE:
        return False
    before, behind = (one, found[0]) if unit.end <= first.start else (found[-1], one)
    if max(unit.end, last.end) - min(unit.start, first.start) > _LONGEST:
        return False
    start, end = before.read.unit.end, behind.read.unit.start
    return start <= end and not _WORD.search(one.hit.evidence.text, start, end)


def of_each(names: Sequence[str], ranked: RankedUnits) -> tuple[FoundUnit, ...]:
    """Return the best unit that speaks of each name, or stands under it; only those there are.

    Beside a row of a table the others are rows of that table, if there are such.
    """
    speaking = [found for name in names if (found := list(_speaking(name, ranked.units)))]
    rows = [found[0] for found in speaking if found[0].read.unit.kind is LineKind.ROW]
    best = min(rows, key=ranked.units.index, default=None)
    found = [_beside(best, each) for each in speaking]
    return tuple({(one.evidence_id, one.text): one for one in found}.values())


def _speaking(name: str, units: Iterable[FoundUnit]) -> Iterator[FoundUnit]:
    stems = frozenset(terms(name))
    return (one for one in units if stems and stems <= one.read.held | one.read.head)


def _beside(row: FoundUnit | None, units: Sequence[FoundUnit]) -> FoundUnit:
    """Return the first of some units, or the first that is a row of the same table as another."""
    table = None if row is None else row.hit.evidence.uri
    rows = (one for one in units if one.read.unit.kind is LineKind.ROW)
    return next((one for one in rows if one.hit.evidence.uri == table), units[0])
