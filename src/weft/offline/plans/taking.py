"""The words of a question taken one after another for what they stand for in a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from weft.language.hangul import has_hangul
from weft.language.patterns import pattern
from weft.offline.plans.asking import (
    AskedFor,
    Extreme,
    asks,
    extremes,
    negations,
    small_numbers,
)
from weft.offline.plans.comparing import compared
from weft.offline.plans.conditions import take_change, take_compared
from weft.offline.plans.leftovers import take_rest
from weft.offline.plans.reading import (
    BESIDE,
    NAMED,
    SURELY,
    TableReading,
    are_beside,
    is_alike,
)
from weft.offline.plans.sketch import QuestionLink, Sketch, SketchColumn
from weft.retrieval.tables.links import is_small, name_words, words_of
from weft.retrieval.tables.plan import Filter, Op, Scalar
from weft.retrieval.tables.table import ColumnKind

_LONG_WORD = 9
JOINED = pattern(
    r"[,;/&]|\b(?:and|or|nor|than|to|versus|vs)\b|(?:와|과|나|이나|랑|및|또는|보다)(?:\s|$)",
    re.IGNORECASE,
)
THAN = pattern(r"\bthan\b|보다", re.IGNORECASE)


def read(text: str, sketch: Sketch) -> TableReading:
    """Return a question with its conditions on a table read out of it."""
    reading = TableReading(text=text, words=tuple(words_of(text)), sketch=sketch, ask=asks(text))
    take_compared(reading)
    _take_values(reading)
    take_change(reading)
    _take_extremes(reading)
    _take_columns(reading)
    _take_truths(reading)
    take_rest(reading)
    # What is taken back and is no condition would be told as if it held.
    reading.fails = reading.fails or bool(negations(text)) is not _takes_back(reading)
    # What is compared with something else than a figure is told by two rows, or not at all.
    reading.pairs = bool(THAN.search(_beyond_figures(reading)))
    return reading


def _takes_back(reading: TableReading) -> bool:
    return any(one.op in (Op.IS_NOT, Op.NOT_AMONG) or one.value is False for one in reading.filters)


def _beyond_figures(reading: TableReading) -> str:
    """Return a question without its comparisons with figures and days."""
    text = reading.text
    for one in sorted(compared(text, reading.sketch.as_of), key=lambda one: -one.start):
        text = text[: one.start] + text[one.end :]
    return text


def _take_values(reading: TableReading) -> None:
    """Take the values that the question names as conditions: several of one column are any of."""
    spots: dict[tuple[int, int], list[QuestionLink]] = {}
    for said in reading.sketch.said:
        if said.values:
            spots.setdefault((said.start, said.end), []).append(said)
    chosen: dict[str, list[QuestionLink]] = {}
    for place, several in sorted(spots.items(), key=lambda item: item[0][0] - item[0][1]):
        if not reading.is_free(*place) or _is_summed(reading, place):
            continue
        one = _meant(reading, place, several)
        if one is not None:
            chosen.setdefault(one.column, []).append(one)
            reading.take(*place)
    for name, several_meant in chosen.items():
        # A part of a value beside a whole one says what that is: "the Punycode module".
        meant = [one for one in several_meant if one.score == 1] or several_meant
        reading.mixed = reading.mixed or any(one.mixed for one in meant)
        reading.loose = reading.loose or any(one.score < 1 for one in meant)
        # Words of different cells that nothing joins were never said of one row, nor of several.
        reading.fails = reading.fails or not _are_joined(reading, meant)
        _filter_values(reading, reading.sketch.column(name), meant)


def _are_joined(reading: TableReading, meant: Sequence[QuestionLink]) -> bool:
    """Tell whether values of one column are said one beside the other: "Oslo, Bergen or Hamar"."""
    spots = sorted({(one.start, one.end) for one in meant})
    written = any(
        reading.text[slice(*spot)] != reading.text[slice(*spot)].lower() for spot in spots
    )
    return written or all(
        JOINED.search(reading.text[one[1] : other[0]]) for one, other in pairwise(spots)
    )


def _is_summed(reading: TableReading, place: tuple[int, int]) -> bool:
    """Tell whether a plain word that is a value is as much what is added up: "how much rain"."""
    said = reading.text[slice(*place)]
    if reading.ask not in (AskedFor.SUM, AskedFor.AVERAGE) or said != said.lower():
        return False
    return any(
        one.alike
        and (one.start, one.end) == place
        and one.score >= SURELY
        and reading.sketch.column(one.column).kind is ColumnKind.NUMBER
        for one in reading.sketch.said
    )


def _filter_values(
    reading: TableReading, column: SketchColumn, meant: Sequence[QuestionLink]
) -> None:
    texts = [value for one in sorted(meant, key=lambda one: one.start) for value in one.values]
    values = list(dict.fromkeys(texts))
    if column.is_unique or (
        column.name == reading.sketch.key and reading.sketch.tells_apart(column)
    ):
        reading.rows_named |= dict.fromkeys(values)
    given: list[Scalar] = [_scalar(value, column) for value in values]
    several = len(given) > 1
    op = (Op.IS, Op.AMONG)[several]
    if any(_is_negated(reading, one) for one in meant):
        op = (Op.IS_NOT, Op.NOT_AMONG)[several]
    value = given if several else given[0]
    reading.filters.append(Filter(column=column.name, op=op, value=value))


def _scalar(value: str, column: SketchColumn) -> Scalar:
    return float(value) if column.kind is ColumnKind.NUMBER else value


def _meant(
    reading: TableReading, place: tuple[int, int], several: Sequence[QuestionLink]
) -> QuestionLink | None:
    """Return the column in which some words are a value: named beside them, or the surest."""
    columns = [
        one
        for one in reading.sketch.said
        if not one.values and not one.alike and one.score >= NAMED
    ]
    own = [one for one in columns if (one.start, one.end) == place]
    words = reading.text[place[0] : place[1]]
    numeric = all(reading.sketch.column(one.column).kind is ColumnKind.NUMBER for one in several)
    beside = [
        one
        for one in several
        for named in columns
        if named.column == one.column and are_beside(reading, (named.start, named.end), other=place)
    ]
    if numeric and not beside:
        return None  # a number alone is of nothing
    if own and not beside and words == words.lower():
        return None  # "which team": the column, though a value may be called so
    among = beside or several
    key = reading.sketch.key
    ranked = sorted(
        among,
        key=lambda one: (-one.score, one.column != key, len(one.values), one.column),
    )
    best = ranked[0]
    if best.score < 1 and not _is_sure_part(reading, best, words, is_beside=bool(beside)):
        return None  # a plain word inside some values is as often just a word
    others = {one.column for one in ranked if one.score == best.score} - {best.column, key}
    if others and not beside and best.column != key:
        reading.loose = True
    return best


def _is_sure_part(
    reading: TableReading, said: QuestionLink, words: str, *, is_beside: bool
) -> bool:
    """Tell whether some words of a value mean it: of one alone, a name or beside its column."""
    if len(said.values) > 1:
        return False
    if is_beside or words != words.lower() or has_hangul(words):
        return True
    # Several words together, or a long one, hardly stand in a single value by chance.
    return sum(not is_small(word) for word in words_of(words)) > 1 or len(words) >= _LONG_WORD


def _is_negated(reading: TableReading, said: QuestionLink) -> bool:
    """Tell whether what is said before a value, or in Korean behind it, takes it back."""
    for at in negations(reading.text):
        before = [w for w in reading.words if at <= w.start < said.start]
        if at < said.start and len(before) <= BESIDE + 1:
            return True
        behind = [w for w in reading.words if said.end <= w.start <= at]
        if at >= said.end and len(behind) <= 2 and ord(reading.text[at]) > 0x1100:
            return True
    return False


def _take_extremes(reading: TableReading) -> None:
    for one in extremes(reading.text):
        if any(c.start <= one.start < c.end for c in compared(reading.text, reading.sketch.as_of)):
            continue
        if reading.is_free(one.start, one.end) and not _is_named(reading, one):
            reading.extremes.append(one)
            reading.take(one.start, one.end)


def _is_named(reading: TableReading, one: Extreme) -> bool:
    """Tell whether a word for the most is a part of a column's name: the last name."""
    return any(
        not said.values and not said.alike and said.start <= one.start and one.end <= said.end
        for said in reading.sketch.said
    ) and one.measures == tuple(size for size in one.measures if size.dated)


def _take_columns(reading: TableReading) -> None:
    """Take the columns that are named, the surest for each place; one beside its value is its."""
    chosen: list[QuestionLink] = []
    named = [one for one in reading.sketch.said if not one.values]
    for one in sorted(named, key=lambda one: (one.alike, -one.score, -(one.end - one.start))):
        sure = is_alike(one) if one.alike else one.score >= NAMED
        if not sure or not reading.is_free(one.start, one.end):
            continue
        rivals = {
            other.column
            for other in named
            if other.start < one.end and other.end > one.start and other.score == one.score
        }
        if len(rivals) > 1 and one.score < 1:
            whole = [name for name in rivals if _is_most(reading, name, rivals)]
            if one.column not in whole:
                continue
        reading.loose = reading.loose or one.score < 1
        reading.take(one.start, one.end)
        chosen.append(one)
    filtered = {one.column for one in reading.filters}
    spots = [one for one in reading.sketch.said if one.values and one.column in filtered]
    for one in sorted(chosen, key=lambda one: one.start):
        beside = any(
            spot.column == one.column
            and are_beside(reading, (one.start, one.end), other=(spot.start, spot.end))
            for spot in spots
        )
        if not beside:
            reading.columns.append(one)


def _is_most(reading: TableReading, name: str, rivals: set[str]) -> bool:
    """Tell whether a column is named by more of its words than its rivals."""
    sizes = {one: len(name_words(one)) for one in rivals}
    return sizes[name] == min(sizes.values()) and list(sizes.values()).count(sizes[name]) == 1


def _number_before(reading: TableReading, said: QuestionLink) -> tuple[int, float] | None:
    """Return the number right before a column's name: "four-cylinder", "3 seats"."""
    numbers = small_numbers(reading.words)
    before = [word for word in reading.words if word.end <= said.start]
    if before and before[-1].start in numbers and before[-1].start not in reading.taken:
        return before[-1].start, numbers[before[-1].start]
    return None


def _take_truths(reading: TableReading) -> None:
    """Take a column of yes and no that is named as a condition: "which are active"."""
    kept: list[QuestionLink] = []
    for said in reading.columns:
        column = reading.sketch.column(said.column)
        number = _number_before(reading, said)
        if number is not None and column.kind is ColumnKind.NUMBER:
            reading.filters.append(Filter(column=column.name, op=Op.IS, value=number[1]))
            reading.taken.add(number[0])
            continue
        if column.kind is ColumnKind.TRUTH and reading.ask is not AskedFor.WHETHER:
            value = not _is_negated(reading, said)
            reading.filters.append(Filter(column=column.name, op=Op.IS, value=value))
        else:
            kept.append(said)
    reading.columns = kept
