"""What each value and figure of a question may be a condition on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.language.patterns import pattern
from weft.offline.plans.asking import small_numbers
from weft.offline.plans.comparing import CellComparison
from weft.offline.plans.condition import Condition, Options
from weft.offline.plans.dated import dated_options
from weft.offline.plans.signs import (
    QuestionSigns,
    is_label,
    is_light,
    is_operator,
)
from weft.offline.plans.sketch import QuestionLink, SketchColumn
from weft.offline.plans.wording import means_rows
from weft.retrieval.tables.cells import quantity
from weft.retrieval.tables.links import is_small, value_words
from weft.retrieval.tables.plan import Filter, Op, Scalar
from weft.retrieval.tables.table import ColumnKind

_OPTIONS = 3
_LEAST_SAID = 0.4
_NEAR = 3
_YEAR = pattern(r"\d{4}")
_HAVING = pattern(
    r"\b(?:(?P<without>without|no|lacks?|lacking|missing)|carry|carries|carrying)"
    r"\s+(?:an?y?\s+|the\s+|its\s+|own\s+)*",
    2,
)
_THAN = pattern(
    r"\b(?:(?P<less>below|under|beneath|short of|(?:less|fewer|lower|earlier|shorter) than|before)"
    r"|above|over|beyond|exceed(?:s|ed|ing)?|(?:more|higher|greater|later|longer) than|after)\b",
    2,
)
_FAR = 7
_DIGITS = pattern(r"[-+]?\d[\d,.]*\d|[-+]?\d")


def condition_options(found: QuestionSigns) -> Iterator[Options]:
    """Yield for each place of a question what it may be a condition on, the likeliest first."""
    yield from _values(found)
    yield from _figures(found)
    yield from _numbers(found)
    yield from _truths(found)
    yield from _empty(found)
    yield from _beside(found)
    yield from dated_options(found)


def _values(found: QuestionSigns) -> Iterator[Options]:
    """Yield for each value that a question names the columns that it may be of."""
    spots: dict[tuple[int, int], list[QuestionLink]] = {}
    for said in found.sketch.said:
        column = found.sketch.column(said.column)
        if said.values and column.kind is not ColumnKind.NUMBER:
            spots.setdefault((said.start, said.end), []).append(said)
    for (start, end), several in sorted(spots.items()):
        if not _may_be_value(found, start, end):
            continue
        is_part = all(one.score < 1 for one in several)
        if _is_plain(found, start, end, is_part=is_part) and not _are_beside(found, several):
            continue
        ranked = sorted(several, key=lambda one: (-one.score, len(one.values)))[:_OPTIONS]
        kind = "exact" if ranked[0].score >= 1 else "kin" if ranked[0].kin else "part"
        yield (
            (start, end, kind),
            [_of_value(found, one, rivals=len(several) - 1) for one in ranked],
        )


def _may_be_value(found: QuestionSigns, start: int, end: int) -> bool:
    """Tell whether words may be a value: of a day's where a table has months, but no days."""
    inside = [one for one in found.compared if one.start <= start and end <= one.end]
    # A column of years takes the year alone.
    has_days = any(one.kind is ColumnKind.DATE for one in found.sketch.columns.values())
    return not inside or (all(one.is_day for one in inside) and not has_days)


def _are_beside(found: QuestionSigns, several: Sequence[QuestionLink]) -> bool:
    """Tell whether a whole value stands right behind what its column is called."""
    names = ((found.signs[one.column].name_at, one) for one in several if one.score >= 1)
    return any(
        at is not None and at[1] <= one.start and not found.text[at[1] : one.start].strip()
        for at, one in names
    )


def _is_plain(found: QuestionSigns, start: int, end: int, *, is_part: bool) -> bool:
    """Tell whether words are hardly said of a value: "many" a city, "airport" a part of a name."""
    words = [one for one in found.words if start <= one.start < end]
    if any(one.text != one.text.lower() for one in words) and not is_part:
        return False
    if len(words) == 1 and means_rows(found, words[0]):
        return True
    own = found.sketch.own
    return all(
        is_light(one) or is_operator(found, one) or (is_part and one.start in own) for one in words
    )


def _of_value(found: QuestionSigns, said: QuestionLink, *, rivals: int) -> Condition:
    several = len(said.values) > 1
    is_not = _is_negated(found, said.start, said.end)
    values: list[Scalar] = list(dict.fromkeys(said.values))
    op = ((Op.IS, Op.AMONG), (Op.IS_NOT, Op.NOT_AMONG))[is_not][several]
    signs = found.signs[said.column]
    exact = said.score >= 1
    thin = 0.0 if exact or said.kin else _thinness(found, said)
    return Condition(
        filter=Filter(column=said.column, op=op, value=values if several else values[0]),
        start=said.start,
        end=said.end,
        kind="exact" if exact else "kin" if said.kin else "part",
        score=1.0 if exact else (0.9 if said.kin else 0.6 * (1.0 - thin)) / len(values),
        beside=signs.name >= 0.5 and _is_near(found, signs.name_at, (said.start, said.end)),
        rivals=rivals,
        values=len(values),
        thin=thin,
        mixed=said.mixed,
    )


def _thinness(found: QuestionSigns, said: QuestionLink) -> float:
    """Return how little of the values is said, from 0 to 1: one word of a long title."""
    words = sum(1 for word in found.words if said.start <= word.start < said.end)
    return 1.0 - words / max(1, min(len(value_words(one)) for one in said.values))


def _is_near(found: QuestionSigns, one: tuple[int, int] | None, other: tuple[int, int]) -> bool:
    if one is None or (one[0] < other[1] and other[0] < one[1]):
        return False
    first, second = sorted((one, other))
    between = [w for w in found.words if first[1] <= w.start < second[0]]
    return len(between) <= _NEAR and all(map(is_small, between))


def _is_negated(found: QuestionSigns, start: int, end: int) -> bool:
    """Tell whether what is said before a value, or in Korean behind it, takes it back."""
    for at in found.negated:
        before = [w for w in found.words if at <= w.start < start]
        if at < start and len(before) <= _NEAR + 1:
            return True
        behind = [w for w in found.words if end <= w.start <= at]
        if at >= end and len(behind) <= 2 and ord(found.text[at]) > 0x1100:
            return True
    return False


def _figures(found: QuestionSigns) -> Iterator[Options]:
    """Yield for each comparison with a figure or a day the columns that it may be of."""
    for one in found.compared:
        place = (one.start, one.end)
        given = [
            condition
            for column in found.sketch.columns.values()
            if (condition := _of_figure(found, one, column)) is not None
        ]
        given.sort(key=lambda each: (-each.score, -each.beside))
        yield (*place, "day" if one.is_day else "figure"), given[:_OPTIONS]


def _of_figure(found: QuestionSigns, one: CellComparison, column: SketchColumn) -> Condition | None:
    if not one.low:
        return None
    signs = found.signs[column.name]
    beside = _is_near(found, signs.at, (one.start, one.end)) and signs.all >= 0.4
    if column.kind is ColumnKind.DATE and one.is_day:
        value: list[Scalar] = [text for text in (one.low, one.high) if text]
        score = 0.8
    elif column.is_year and one.is_day:
        years = [_YEAR.fullmatch(text) for text in (one.low, one.high) if text]
        if not all(years):
            return None
        value, score = [float(match.group()) for match in years if match], 0.7
    elif column.kind is ColumnKind.NUMBER and one.quantity is not None:
        unit = one.quantity.unit
        if one.op is Op.IS and not _stands(found, column, (one.start, one.end)):
            return None
        if unit and column.unit and unit != column.unit:
            return None
        value = [_bare(text, unit, column=column) for text in (one.low, one.high) if text]
        fits = (column.low or 0) <= one.quantity.value <= (column.high or 0)
        score = (0.1 if one.is_day else 0.5) + (0.2 if fits else -0.2)
        score += 0.3 * bool(unit and unit == column.unit)
        score += 0.3 * any(signs.size for _ in one.measures)
    else:
        return None
    score += 0.4 * signs.all - 0.2 * is_label(column)
    between = one.op is Op.BETWEEN
    return Condition(
        filter=Filter(column=column.name, op=one.op, value=value if between else value[0]),
        start=one.start,
        end=one.end,
        kind="day" if one.is_day else "figure",
        score=max(0.05, min(score, 1.2)),
        beside=beside,
        as_figure=one.is_day and column.kind is ColumnKind.NUMBER and not column.is_year,
    )


def _stands(found: QuestionSigns, column: SketchColumn, place: tuple[int, int]) -> bool:
    """Tell whether a number at some place is a cell of a column."""
    return any(
        one.column == column.name and one.values and place[0] <= one.start < place[1]
        for one in found.sketch.said
    )


def _bare(figure: str, unit: str, *, column: SketchColumn) -> str:
    """Return a figure without its unit where the column's numbers have none."""
    read = quantity(figure)
    bare = read is not None and unit and not column.unit and _DIGITS.match(figure)
    return f"{read.value:.10g}" if read is not None and bare else figure


def _numbers(found: QuestionSigns) -> Iterator[Options]:
    """Yield the plain numbers beside a column's name: "four cylinders", "grade 3"."""
    taken = [(one.start, one.end) for one in found.compared]
    taken += [(one.start, one.end) for one in found.extremes]
    for start, number in small_numbers(found.words).items():
        end = next(word.end for word in found.words if word.start == start)
        if any(a <= start < b for a, b in taken):
            continue
        given: list[Condition] = []
        for column in found.sketch.columns.values():
            signs = found.signs[column.name]
            beside = _is_near(found, signs.at, (start, end)) and signs.all >= 0.4
            held = _stands(found, column, (start, end))
            within = column.low is not None and column.low <= number <= (column.high or 0)
            spelt = not found.text[start:end].isdecimal()
            if column.kind is ColumnKind.NUMBER and (held or (spelt and beside and within)):
                given.append(
                    Condition(
                        filter=Filter(column=column.name, op=Op.IS, value=number),
                        start=start,
                        end=end,
                        kind="number",
                        score=0.3 + 0.4 * beside + 0.2 * held,
                        beside=beside,
                    )
                )
        given.sort(key=lambda one: -one.score)
        if given:
            yield (start, end, "number"), given[:_OPTIONS]


def _truths(found: QuestionSigns) -> Iterator[Options]:
    """Yield the columns of yes and no that a question names: "which are active"."""
    for column in found.sketch.columns.values():
        signs = found.signs[column.name]
        if column.kind is not ColumnKind.TRUTH or signs.at is None or signs.all < 0.4:
            continue
        start, end = signs.at
        value = not _is_negated(found, start, end)
        yield (
            (start, end, "truth"),
            [
                Condition(
                    filter=Filter(column=column.name, op=Op.IS, value=value),
                    start=start,
                    end=end,
                    kind="truth",
                    score=signs.all,
                )
            ],
        )


def _beside(found: QuestionSigns) -> Iterator[Options]:
    """Yield the columns that a row has less or more of than of another: "below the minimum"."""
    for match in _THAN.finditer(found.text):
        if any(one.start < match.end() and match.start() < one.end for one in found.compared):
            continue  # beyond a figure
        behind = {w.start for w in found.words if w.start >= match.end()}
        near = sorted(behind)[:_FAR]
        for other in found.sketch.columns.values():
            at = found.signs[other.name].at
            if at is None or at[0] not in near or found.signs[other.name].all < _LEAST_SAID:
                continue
            op = Op.UNDER if match["less"] else Op.OVER
            one = _compared_with(found, other)
            if one is not None:
                condition = Condition(
                    filter=Filter(column=one.name, op=op, than=other.name),
                    start=match.start(),
                    end=at[1],
                    kind="figure",
                    score=0.6 + 0.4 * found.signs[one.name].all,
                )
                yield (match.start(), at[1], "figure"), [condition]


def _compared_with(found: QuestionSigns, other: SketchColumn) -> SketchColumn | None:
    """Return what is compared with a column: what is spoken of, else what stands next to it."""
    columns = list(found.sketch.columns.values())
    place = {one.name: at for at, one in enumerate(columns)}
    near = sorted(
        (one for one in columns if one.name != other.name and _is_like(one, other)),
        key=lambda one: abs(place[one.name] - place[other.name] + 0.5),
    )
    spoken = [one for one in near if found.signs[one.name].all >= _LEAST_SAID]
    return next(iter(spoken or near), None)


def _is_like(one: SketchColumn, other: SketchColumn) -> bool:
    """Tell whether two columns may be compared: figures of one unit, or days."""
    if one.kind is not other.kind or one.kind not in (ColumnKind.NUMBER, ColumnKind.DATE):
        return False
    return one.unit == other.unit and one.is_year == other.is_year


def _empty(found: QuestionSigns) -> Iterator[Options]:
    """Yield the columns of which it is said that a row has none, or has one: "without a paper"."""
    for match in _HAVING.finditer(found.text):
        behind = [w for w in found.words if w.start >= match.end()][:_NEAR]
        op = Op.EMPTY if match["without"] else Op.FILLED
        for column in found.sketch.columns.values():
            at = found.signs[column.name].at
            if at is not None and any(w.start == at[0] for w in behind):
                yield from _of_having(found, column, op, start=match.start())
    for start in found.negated:  # "not returned yet", where some have no day on which they were
        behind = [w for w in found.words if w.start > start][:_NEAR]
        for column in found.sketch.columns.values():
            at = found.signs[column.name].at
            may_lack = column.has_empty and column.kind is not ColumnKind.TRUTH
            if may_lack and at is not None and any(w.start == at[0] for w in behind):
                yield from _of_having(found, column, Op.EMPTY, start=start)


def _of_having(
    found: QuestionSigns, column: SketchColumn, op: Op, *, start: int
) -> Iterator[Options]:
    """Yield that a row has nothing, or something, in a column that is named."""
    at = found.signs[column.name].at
    if at is None or found.signs[column.name].all < _LEAST_SAID:
        return
    condition = Condition(
        filter=Filter(column=column.name, op=op),
        start=start,
        end=at[1],
        kind="empty" if op is Op.EMPTY else "filled",
        score=0.4,
    )
    yield (start, at[1], "part"), [condition]
