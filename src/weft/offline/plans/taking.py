"""The words of a question taken one after another for what they stand for in a table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weft.language.hangul import has_hangul
from weft.language.months import NUMBERS as MONTHS
from weft.language.patterns import pattern
from weft.language.terms import plain
from weft.offline.plans.asking import (
    AskedFor,
    Extreme,
    asked_names,
    asks,
    change,
    extremes,
    groups,
    light_words,
    measures,
    negations,
    operator_spans,
    small_numbers,
    without_past,
)
from weft.offline.plans.comparing import CellComparison, compared
from weft.offline.plans.reading import (
    BESIDE,
    NAMED,
    NEAR,
    SURELY,
    TableReading,
    asked_column,
    dated,
    is_alike,
    is_dated,
    measured,
)
from weft.offline.plans.sketch import QuestionLink, Sketch, SketchColumn
from weft.retrieval.tables.cells import quantity, unit_of
from weft.retrieval.tables.links import QuestionWord, is_small, keys_of, name_words, words_of
from weft.retrieval.tables.plan import Filter, Op, Scalar
from weft.retrieval.tables.table import ColumnKind

_COPULA = pattern(
    r"(?:얼마|무엇|누구|언제|어디|몇|천|만|억)?(?:명|개|건|대|원|곳|번|마리|년|월|일|시)?(?:이었|였|인|입)(?:나요|가요|니까|을까요)"
)
_ROOT = 2
_TWO = 2
_LONG_WORD = 9
_YEAR = pattern(r"\d{4}")
_DIGITS = pattern(r"[-+]?\d[\d,.]*\d|[-+]?\d")
THAN = pattern(r"\bthan\b|보다", re.IGNORECASE)


def read(text: str, sketch: Sketch) -> TableReading:
    """Return a question with its conditions on a table read out of it."""
    reading = TableReading(text=text, words=tuple(words_of(text)), sketch=sketch, ask=asks(text))
    _take_compared(reading)
    _take_values(reading)
    _take_change(reading)
    _take_extremes(reading)
    _take_columns(reading)
    _take_truths(reading)
    _take_rest(reading)
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


def _take_compared(reading: TableReading) -> None:
    for one in compared(reading.text, reading.sketch.as_of):
        place = (one.start, one.end)
        if not one.low:
            reading.fails = True  # which day that is cannot be told
            continue
        column = dated(reading, place) if one.is_day else None
        if column is not None:
            _filter_days(reading, column, one)
        elif not one.is_day or (one.op is Op.AT_MOST and not _has_days(reading)):
            # A year may be a plain number: "up to 2000 seats" reads as a day as well.
            _filter_figures(reading, one, needed=not one.is_day)
        elif one.op is not Op.IS:
            reading.fails = True  # of which day it is said cannot be told


def _has_days(reading: TableReading) -> bool:
    return any(one.kind is ColumnKind.DATE for one in reading.sketch.columns.values())


def _filter_figures(reading: TableReading, one: CellComparison, *, needed: bool) -> None:
    place, found = (one.start, one.end), one.quantity
    unit = found.unit if found is not None else ""
    sizes = one.measures or tuple(size for size in measures() if unit and unit in size.units)
    down = one.op in (Op.UNDER, Op.AT_MOST)
    column = measured(
        reading, sizes, near=place, unit=unit, less=down if sizes else None, figures=True
    )
    if column is None or column.kind is not ColumnKind.NUMBER or found is None:
        reading.fails = reading.fails or needed
        return
    if one.op is not Op.BETWEEN:
        _add(reading, column, one.op, _bare(one.low, unit, column=column), place)
        return
    high = quantity(one.high)
    if high is None:
        reading.fails = True
    else:
        _add(reading, column, Op.BETWEEN, [one.low, one.high], place)


def _bare(figure: str, unit: str, *, column: SketchColumn) -> str:
    """Return a figure without its unit where the column's numbers have none."""
    digits = _DIGITS.match(figure)
    return digits.group() if unit and not column.unit and digits else figure


def _filter_days(reading: TableReading, column: SketchColumn, one: CellComparison) -> None:
    texts = [text for text in (one.low, one.high) if text]
    given: list[Scalar] = list(texts)
    if column.is_year:
        # A month of a year is less than what such a column tells.
        years = [match for text in texts if (match := _YEAR.fullmatch(text))]
        if len(years) != len(texts):
            reading.fails = True
            return
        given = [float(match.group()) for match in years]
    value = given if one.op is Op.BETWEEN else given[0]
    _add(reading, column, one.op, value, (one.start, one.end))


def _add(
    reading: TableReading,
    column: SketchColumn,
    op: Op,
    value: Scalar | list[Scalar],
    place: tuple[int, int],
) -> None:
    reading.filters.append(Filter(column=column.name, op=op, value=value))
    reading.take(*place)


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
        _filter_values(reading, reading.sketch.column(name), meant)


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
    if column.is_unique or (column.name == reading.sketch.key and _tells_apart(reading, column)):
        reading.rows_named |= dict.fromkeys(values)
    given: list[Scalar] = [_scalar(value, column) for value in values]
    several = len(given) > 1
    op = (Op.IS, Op.AMONG)[several]
    if any(_is_negated(reading, one) for one in meant):
        op = (Op.IS_NOT, Op.NOT_AMONG)[several]
    value = given if several else given[0]
    reading.filters.append(Filter(column=column.name, op=op, value=value))


def _tells_apart(reading: TableReading, column: SketchColumn) -> bool:
    """Tell whether hardly a value of a column is in two rows."""
    return column.distinct * 10 >= reading.sketch.rows * 9


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


def are_beside(reading: TableReading, one: tuple[int, int], *, other: tuple[int, int]) -> bool:
    """Tell whether nothing but small words stands between two stretches."""
    first, second = sorted((one, other))
    between = [w for w in reading.words if first[1] <= w.start < second[0]]
    return len(between) <= BESIDE and all(is_small(word) for word in between)


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


def _take_change(reading: TableReading) -> None:
    """Take "how much did it fall from … to …" as the difference between two days."""
    turn = change(reading.text)
    if turn is None or reading.ask not in (AskedFor.CELLS, AskedFor.DIFFERENCE):
        return
    days = [
        one
        for one in reading.filters
        if reading.sketch.column(one.column).kind is ColumnKind.DATE
        or reading.sketch.column(one.column).is_year
    ]
    ends = [
        value
        for one in days
        if one.op in (Op.IS, Op.BETWEEN)
        for value in (one.value if isinstance(one.value, list) else [one.value])
        if value is not None
    ]
    if len({one.column for one in days}) != 1 or len(ends) != _TWO:
        return
    ends.sort(key=str if isinstance(ends[0], str) else float)
    among = Filter(column=days[0].column, op=Op.AMONG, value=ends)
    reading.filters = [one for one in reading.filters if one not in days] + [among]
    reading.ask, reading.rises = AskedFor.DIFFERENCE, turn.rises
    reading.take(turn.start, turn.end)


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


def _take_rest(reading: TableReading) -> None:
    """Take what says nothing more: operators, small and light words, the table's own name."""
    for start, end in operator_spans(reading.text):
        reading.take(start, end)
    for start, end in groups(reading.text):
        reading.take(start, end)
    light = light_words()
    _take_times(reading)
    asked = {"where", "when", "who", "whom", "whose", "which", "what", "how"}
    for word in reading.free():
        said = word.text.casefold()
        if (
            is_small(word)
            or said in light
            or said in asked
            or plain(word.text) in light
            or any(key in light for key in keys_of(word.text))
            or word.start in reading.sketch.own
            or said in MONTHS
            or unit_of(said) in {one.unit for one in reading.sketch.columns.values() if one.unit}
        ):
            reading.taken.add(word.start)
        elif reading.sketch.likeness.get(word.start, 0.0) >= NEAR:
            reading.taken.add(word.start)
            reading.loose = True
        elif _happened(reading, word) or _is_of_values(reading, word):
            reading.taken.add(word.start)
            reading.loose = True
        elif _is_of_measures(said) or _COPULA.fullmatch(said) or _is_of_column(reading, word):
            reading.taken.add(word.start)


def _happened(reading: TableReading, word: QuestionWord) -> bool:
    """Take a word alike to one column of days alone as what has such a day: who died."""
    used = {one.column for one in reading.filters} | {one.column for one in reading.columns}
    for said in reading.sketch.said:
        if said.start == word.start and is_dated(said) and said.column not in used:
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
