"""The conditions that a question may set together, of all that it may set."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise, product

from weft.domain.frozen import dataclass
from weft.language.patterns import pattern
from weft.offline.plans.condition import Condition
from weft.offline.plans.options import condition_options
from weft.offline.plans.signs import QuestionSigns
from weft.retrieval.tables.plan import Filter, Op, Scalar

_MOST_SETS = 20
_MOST_TRIED = 400
_MOST_PLACES = 10
# What it costs to make nothing of a place: a part of some value is as often just a word.
_LEFT = {"part": 0.1}
_SURELY = 0.6
_MOST_BETWEEN = 4
JOINED = pattern(
    r"[,;/&]|\b(?:and|or|nor|than|to|versus|vs|against|but|while|exceeds?|exceeded|outnumber(?:s|ed)?"
    r"|beats?|tops?|minus|over|compared)\b|(?:와|과|나|이나|랑|및|또는|보다)(?:\s|$)",
    2,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionSet:
    """Conditions that hold together, and the places of values that none was made of."""

    parts: tuple[Condition, ...]
    filters: tuple[Filter, ...]
    left: tuple[tuple[int, int, str], ...]

    @property
    def is_mixed(self) -> bool:
        """Tell whether some cells list what is named beside others, and other cells do not."""
        return any(one.mixed for one in self.parts)

    @property
    def columns(self) -> frozenset[str]:
        """Return the columns that it goes by."""
        return frozenset(one.column for one in self.filters)


def condition_sets(found: QuestionSigns) -> list[ConditionSet]:
    """Return the sets of conditions that a question may mean, the likeliest first."""
    options = list(islice(condition_options(found), _MOST_PLACES + 1))
    if len(options) > _MOST_PLACES:
        return []  # what has so many conditions is no question to a table
    tried = islice(product(*([*several, None] for _, several in options)), _MOST_TRIED)
    sets: list[tuple[float, ConditionSet]] = []
    for chosen in tried:
        parts = tuple(one for one in chosen if one is not None)
        left = tuple(place for (place, _), one in zip(options, chosen, strict=True) if one is None)
        if _overlap(parts) or _contradict(parts) or not _are_joined(found.text, parts):
            continue
        worth = sum(one.score + 0.3 * one.beside for one in parts)
        worth -= sum(_LEFT.get(kind, _SURELY) for _, _, kind in left)
        sets.append((worth, ConditionSet(parts=parts, filters=_merged(found, parts), left=left)))
    sets.sort(key=lambda item: -item[0])
    return [one for _, one in sets[:_MOST_SETS]]


def _overlap(parts: Sequence[Condition]) -> bool:
    ordered = sorted(parts, key=lambda one: one.start)
    return any(one.end > two.start for one, two in pairwise(ordered))


def _are_joined(text: str, parts: Sequence[Condition]) -> bool:
    """Tell whether values of one column are said beside each other: "Oslo, Bergen or Hamar".

    Words of different cells that nothing joins were never said of one row, nor of several.
    """
    numbers: dict[str, list[Condition]] = {}
    for one in parts:
        if one.kind == "number":
            numbers.setdefault(one.filter.column, []).append(one)
    if not all(_are_counted_off(text, several) for several in numbers.values()):
        return False
    by_column: dict[str, list[Condition]] = {}
    for one in parts:
        if one.kind in ("exact", "kin", "part"):
            by_column.setdefault(one.filter.column, []).append(one)
    for several in by_column.values():
        ordered = sorted(several, key=lambda one: one.start)
        written = any(
            text[one.start : one.end] != text[one.start : one.end].lower() for one in ordered
        )
        if not written and not all(
            JOINED.search(text[one.end : two.start]) for one, two in pairwise(ordered)
        ):
            return False
    return True


def _are_counted_off(text: str, numbers: Sequence[Condition]) -> bool:
    """Tell whether numbers of one column are said one after another: "1952 and 1957"."""
    ordered = sorted(numbers, key=lambda one: one.start)
    return all(
        JOINED.search(between) and len(between.split()) <= _MOST_BETWEEN
        for one, two in pairwise(ordered)
        for between in [text[one.end : two.start]]
    )


def _contradict(parts: Sequence[Condition]) -> bool:
    """Tell whether one column is to be some value and beyond a figure as well."""
    same = (Op.IS, Op.AMONG, Op.IS_NOT, Op.NOT_AMONG)
    named = {one.filter.column for one in parts if one.filter.op in same}
    return any(one.filter.op not in same and one.filter.column in named for one in parts)


def _said(text: str, several: Sequence[Condition]) -> Sequence[Condition]:
    """Return the values that are meant: a part of one beside a whole one says what that is.

    "The Punycode module" is Punycode; "Nokia or Siemens" are two, though one is said in part.
    """
    whole = [one for one in several if one.kind != "part"]
    return [
        one
        for one in several
        if one in whole
        or all(
            JOINED.search(text[min(one.end, other.end) : max(one.start, other.start)])
            for other in whole
        )
    ]


def _merged(found: QuestionSigns, parts: Sequence[Condition]) -> tuple[Filter, ...]:
    """Return conditions as filters: several values of one column are any of them."""
    by_column: dict[tuple[str, bool], list[Condition]] = {}
    others: list[Filter] = []
    for one in parts:
        if one.filter.op in (Op.IS, Op.AMONG, Op.IS_NOT, Op.NOT_AMONG) and one.kind != "truth":
            is_not = one.filter.op in (Op.IS_NOT, Op.NOT_AMONG)
            by_column.setdefault((one.filter.column, is_not), []).append(one)
        else:
            others.append(one.filter)
    merged: list[Filter] = []
    for (name, is_not), several in by_column.items():
        values: list[Scalar] = []
        for one in sorted(_said(found.text, several), key=lambda one: one.start):
            given = one.filter.value
            values += given if isinstance(given, list) else [given] if given is not None else []
        values = list(dict.fromkeys(values))
        if len(values) == 1:
            merged.append(Filter(column=name, op=Op.IS_NOT if is_not else Op.IS, value=values[0]))
        else:
            op = Op.NOT_AMONG if is_not else Op.AMONG
            merged.append(Filter(column=name, op=op, value=values[:100]))
    return (*merged, *others)
