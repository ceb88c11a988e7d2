"""The words of a question that say nothing more once its columns and conditions are taken."""

from __future__ import annotations

from weft.language.hangul import has_hangul
from weft.language.months import NUMBERS as MONTHS
from weft.language.patterns import pattern
from weft.language.terms import plain
from weft.offline.plans.asking import (
    asked_names,
    groups,
    light_words,
    measures,
    operator_spans,
    without_past,
)
from weft.offline.plans.reading import NEAR, TableReading, are_beside, asked_column, is_dated
from weft.offline.plans.sketch import QuestionLink
from weft.retrieval.tables.cells import unit_of
from weft.retrieval.tables.links import QuestionWord, is_small, keys_of
from weft.retrieval.tables.plan import Filter, Op
from weft.retrieval.tables.table import ColumnKind

_ASKING = frozenset({"where", "when", "who", "whom", "whose", "which", "what", "how"})
_COPULA = pattern(
    r"(?:얼마|무엇|누구|언제|어디|몇|천|만|억)?(?:명|개|건|대|원|곳|번|마리|년|월|일|시)?"
    r"(?:이었|였|인|입)(?:나요|가요|니까|을까요)"
)
_ROOT = 2


def _take_times(reading: TableReading) -> None:
    """Take the word for a time that a column of days is: "the hottest day"."""
    column = asked_column(reading, "when")
    names = asked_names("when")
    if column is None:
        return
    for word in reading.free():
        if any(key in names for key in word.keys):
            reading.taken.add(word.start)
            named = {one.column for one in reading.columns}
            if column.name not in named | {one.column for one in reading.filters}:
                link = QuestionLink(start=word.start, end=word.end, column=column.name)
                reading.columns.append(link)


def take_rest(reading: TableReading) -> None:
    """Take what says nothing more: operators, small and light words, the table's own name."""
    for start, end in operator_spans(reading.text):
        reading.take(start, end)
    for start, end in groups(reading.text):
        reading.take(start, end)
    _take_times(reading)
    for word in reading.free():
        said = word.text.casefold()
        if _is_light(reading, word):
            reading.taken.add(word.start)
        elif _is_near(reading, word) or _happened(reading, word) or _is_of_values(reading, word):
            reading.taken.add(word.start)
            reading.loose = True
        elif _is_of_measures(said) or _COPULA.fullmatch(said) or _is_of_column(reading, word):
            reading.taken.add(word.start)


def _is_light(reading: TableReading, word: QuestionWord) -> bool:
    """Tell whether a word is one that any question may have, or that the table is called by."""
    said, light = word.text.casefold(), light_words()
    return (
        is_small(word)
        or said in light
        or said in _ASKING
        or plain(word.text) in light
        or any(key in light for key in keys_of(word.text))
        or word.start in reading.sketch.own
        or said in MONTHS
        or unit_of(said) in {one.unit for one in reading.sketch.columns.values() if one.unit}
    )


def _is_near(reading: TableReading, word: QuestionWord) -> bool:
    return reading.sketch.likeness.get(word.start, 0.0) >= NEAR


def _happened(reading: TableReading, word: QuestionWord) -> bool:
    """Take a word alike to one column of days alone as what has such a day: who died."""
    used = {one.column for one in reading.filters} | {one.column for one in reading.columns}
    for said in reading.sketch.said:
        if said.start != word.start or not is_dated(said) or said.column in used:
            continue
        if reading.sketch.column(said.column).kind is ColumnKind.DATE:
            reading.filters.append(Filter(column=said.column, op=Op.FILLED))
            return True
    return False


def _is_of_values(reading: TableReading, word: QuestionWord) -> bool:
    """Tell whether a word stands beside a row's name and in the names of others."""
    whole = [one for one in reading.sketch.said if one.values and one.score == 1]
    return any(
        part.start == word.start
        and part.values
        and part.column == reading.sketch.key == one.column
        and are_beside(reading, (part.start, part.end), other=(one.start, one.end))
        for part in reading.sketch.said
        for one in whole
        if one.start != part.start
    )


def _is_of_measures(word: str) -> bool:
    """Tell whether a word is one for a size; a Korean one by what it begins with."""
    sides = [side for one in measures() for side in (one.more, one.less)]
    if not has_hangul(word):
        return any(word in side for side in sides)
    word = without_past(word)
    return any(word.startswith(part) for side in sides for part in side if has_hangul(part))


def _is_of_column(reading: TableReading, word: QuestionWord) -> bool:
    """Tell whether a Korean word is made of a column's name: 입사한 of 입사일."""
    if not has_hangul(word.text) or len(word.text) <= _ROOT:
        return False
    used = {one.column for one in reading.filters} | {one.column for one in reading.columns}
    return any(name.startswith(word.text[:_ROOT]) for name in used)
