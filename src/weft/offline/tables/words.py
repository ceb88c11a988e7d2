"""How questions speak of tables: words that mean one thing, and words that narrow nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Literal

from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import sheet as read_sheet
from weft.language.hangul import has_hangul, is_syllable
from weft.language.months import NUMBERS
from weft.language.numerals import KOREAN_VALUES, VALUES
from weft.language.patterns import pattern
from weft.language.terms import plain, stem
from weft.offline.question.names import tokens, without_particle

_OVER_ROWS = pattern(
    r"\b(?:how many|number of|which|what|who|whom|whose|where|list|than)\b"
    r"|^\s*(?:name|show)\b|,[^,]*\bor\b"
    r"|몇|어느|어떤|무엇|누구|누가|어디|가장|제일|더|목록|얼마",
    re.IGNORECASE,
)
_SHORTEST_KOREAN = 2


class Wins(StrEnum):
    """Which of two values wins: the greater or the smaller one."""

    MORE = "more"
    LESS = "less"


@dataclass(frozen=True, slots=True, kw_only=True)
class _MeasureRow:
    words: list[str]
    fields: list[str]
    wins: Literal["more", "less"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sheet:
    groups: list[list[str]]
    persons: list[str]
    personal: list[str]
    classes: list[str]
    small: list[str]
    more: list[str]
    less: list[str]
    dated: list[str]
    measures: list[_MeasureRow]
    ranges: list[tuple[str, str]]
    optional: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparing:
    """A word that compares: which value wins, and the fields it may mean (none: any named one).

    With `dated`, only dates are compared so.
    """

    wins: Wins
    fields: frozenset[str] = frozenset()
    dated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableWords:
    """The sheet, read: words to the groups that they belong to, and the lists as sets."""

    groups: Mapping[str, frozenset[str]]
    members: Mapping[str, frozenset[str]]
    korean: Sequence[tuple[str, str]]
    small: frozenset[str]
    small_korean: tuple[str, ...]
    persons: frozenset[str]
    personal: frozenset[str]
    classes: frozenset[str]
    optional: frozenset[str]
    ranges: Sequence[tuple[str, str]]
    comparing: Mapping[str, Comparing]
    numbers: Mapping[str, int]


def goes_over_rows(question: str) -> bool:
    """Tell whether a question may ask for what is counted, listed or compared over rows."""
    return bool(_OVER_ROWS.search(question))


def naming_stems(question: str) -> frozenset[str]:
    """Return the stems by which a question may name a file or a folder of rows."""
    members = table_words().members
    keys = (token.key for token in tokens(question))
    forms = frozenset(form for key in keys if not is_small(key) for form in asked_forms(key))
    named = (members.get(form, frozenset({form.removeprefix("=")})) for form in forms)
    return frozenset[str]().union(*named)


def field_forms(key: str) -> frozenset[str]:
    """Return what a word of a field's or a table's name may be compared by."""
    return _forms(table_words().groups, key)


@lru_cache(maxsize=4096)
def asked_forms(key: str) -> frozenset[str]:
    """Return what a word of a question may be compared by; a Korean one by what it begins with."""
    found = set(field_forms(key))
    if has_hangul(key):
        found |= field_forms(without_particle(key))
        for start, group in table_words().korean:
            if key.startswith(start):
                found |= {group, f"={start}"}
    return frozenset(found)


def is_small(key: str) -> bool:
    """Tell whether a word of a question narrows nothing."""
    if key in table_words().small:
        return True
    return is_syllable(key[:1]) and key.startswith(table_words().small_korean)


def comparing(key: str) -> Comparing | None:
    """Return what a word of a question compares, or None."""
    known = table_words().comparing
    if key in known:
        return known[key]
    if not is_syllable(key[:1]):
        return None
    starts = sorted((one for one in known if _begins_words(one) and key.startswith(one)), key=len)
    return known[starts[-1]] if starts else None


@lru_cache(maxsize=1)
def table_words() -> TableWords:
    """Return the sheet of table words."""
    read = read_sheet("weft.offline.tables", "words")
    sheet = _Sheet(**{**read, "measures": [_MeasureRow(**row) for row in read["measures"]]})
    groups: dict[str, frozenset[str]] = {}
    for number, row in enumerate(sheet.groups):
        for word in row:
            groups[word] = groups.get(word, frozenset()) | {f"g{number}"}
    korean = [(word, group) for word, own in groups.items() if _begins_words(word) for group in own]
    return TableWords(
        groups=groups,
        korean=tuple(korean),
        small=frozenset(sheet.small),
        small_korean=tuple(word for word in sheet.small if _begins_words(word)),
        members=_members(groups),
        persons=frozenset(sheet.persons),
        personal=frozenset(sheet.personal),
        classes=frozenset(sheet.classes),
        optional=frozenset({*sheet.optional, *NUMBERS}),
        ranges=[(first, last) for first, last in sheet.ranges],
        comparing=_comparing(sheet, groups),
        numbers={**VALUES, **{plain(word): value for word, value in KOREAN_VALUES.items()}},
    )


def _forms(groups: Mapping[str, frozenset[str]], key: str) -> frozenset[str]:
    return groups.get(key, frozenset()) | {f"={stem(key)}"}


def _begins_words(word: str) -> bool:
    return is_syllable(word[:1]) and len(word) >= _SHORTEST_KOREAN


def _members(groups: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Return the stems of the words of each group."""
    found: dict[str, frozenset[str]] = {}
    for word, own in groups.items():
        for group in own:
            found[group] = found.get(group, frozenset()) | {stem(word)}
    return found


def _comparing(sheet: _Sheet, groups: Mapping[str, frozenset[str]]) -> dict[str, Comparing]:
    dated = frozenset(sheet.dated)
    found = {word: Comparing(wins=Wins.MORE, dated=word in dated) for word in sheet.more}
    found |= {word: Comparing(wins=Wins.LESS, dated=word in dated) for word in sheet.less}
    for row in sheet.measures:
        fields = frozenset(one for name in row.fields for one in _forms(groups, name))
        found |= {word: Comparing(wins=Wins(row.wins), fields=fields) for word in row.words}
    return found
