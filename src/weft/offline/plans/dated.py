"""What days, months, years and decades of a question may be conditions on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from weft.language.months import NUMBERS, SPELLINGS_PATTERN
from weft.language.patterns import pattern
from weft.offline.plans.condition import Condition, Options
from weft.offline.plans.signs import QuestionSigns
from weft.offline.plans.sketch import SketchColumn
from weft.retrieval.tables.cells import whole_day
from weft.retrieval.tables.plan import Filter, Op, Scalar
from weft.retrieval.tables.table import ColumnKind

_OPTIONS = 3
_YEAR = pattern(r"\d{4}")
_TENS = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70,
    "eighties": 80, "nineties": 90,
}  # fmt: skip
_DECADE = pattern(
    rf"\b(?:(?P<years>(?:1[5-9]|20)\d0)['’]?s|['’]?(?P<short>[2-9]0)s|(?P<word>{'|'.join(_TENS)}))\b"
    r"|(?P<korean>(?:1[5-9]|20)\d0)년대",
    2,
)


def _said(which: str) -> str:
    """Return a pattern of a month, or of a day of it, without a year."""
    return (
        rf"(?:(?P<{which}day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?"
        rf"(?P<{which}month>{SPELLINGS_PATTERN})\.?"
        rf"(?: (?P<{which}behind>\d{{1,2}})(?:st|nd|rd|th)?)?(?!\w)"
    )


# Of the one year that a column has.
_MONTHS = pattern(
    r"(?:\b(?P<word>before|after|since|until|from|between|in|on|of|during)\s)?(?<!\w)"
    + _said("first_")
    + r"(?!,? \d{4})(?:\s?(?P<to>to|until|till|through|and|[-–])\s?"
    + _said("last_")
    + r"(?!,? \d{4}))?"
)
_KOREAN_MONTHS = pattern(
    r"(?<![\d년~-])(?<!년\s)(?P<first>\d{1,2})(?:월(?:\s?(?P<first_day>\d{1,2})일)?\s?"
    r"(?:(?P<word>이전|이후|까지|(?:부터|에서|[~-])\s?(?P<last>\d{1,2})월"
    r"(?:\s?(?P<last_day>\d{1,2})일)?(?:까지)?|부터))?|\s?[~-]\s?(?P<high>\d{1,2})월)"
)
_KOREAN_WORDS = {"이전": Op.UNDER, "이후": Op.AT_LEAST, "부터": Op.AT_LEAST, "까지": Op.AT_MOST}
_WORDS = {"before": Op.UNDER, "after": Op.OVER, "since": Op.AT_LEAST, "until": Op.AT_MOST}
_OF_YEAR = 10_000


def dated_options(found: QuestionSigns) -> Iterator[Options]:
    """Yield for each day, month, year and decade of a question what it may be a condition on."""
    yield from _decades(found)
    yield from _years(found)
    yield from _months(found)


def _months(found: QuestionSigns) -> Iterator[Options]:
    """Yield the months and days that are said without a year, for columns with days of one."""
    columns = [one for one in found.sketch.columns.values() if _of_one_year(one)]
    said = [(one, _filter_of) for one in _MONTHS.finditer(found.text)]
    said += [(one, _korean_filter_of) for one in _KOREAN_MONTHS.finditer(found.text)]
    for match, filter_of in said if columns else ():
        if any(one.start < match.end() and match.start() < one.end for one in found.compared):
            continue
        given = [
            Condition(
                filter=filter_,
                start=match.start(),
                end=match.end(),
                kind="day",
                score=0.7 + 0.4 * found.signs[column.name].all,
            )
            for column in columns
            if (filter_ := filter_of(match, column)) is not None
        ]
        given.sort(key=lambda one: -one.score)
        if given:
            yield (match.start(), match.end(), "day"), given[:_OPTIONS]


def _filter_of(match: re.Match[str], column: SketchColumn) -> Filter | None:
    """Return what a month or a day asks of a column, None where it asks for no day there is."""
    year, name = int(column.low or 0) // _OF_YEAR, column.name
    first, last = _of_year(match, "first_", year), _of_year(match, "last_", year)
    if not first or bool(last) is not bool(match["last_month"]):
        return None
    if not last:
        return Filter(column=name, op=_WORDS.get(match["word"] or "", Op.IS), value=first)
    # "In July and August" are two of them, "between" them is a stretch.
    is_range = match["to"] != "and" or match["word"] == "between"
    return Filter(column=name, op=Op.BETWEEN if is_range else Op.AMONG, value=[first, last])


def _korean_filter_of(match: re.Match[str], column: SketchColumn) -> Filter | None:
    """Return what a month or a day in Korean asks of a column, None where there is no such one."""
    year, name = int(column.low or 0) // _OF_YEAR, column.name
    first = _written(year, match["first"], match["first_day"])
    last = _written(year, match["last"] or match["high"], match["last_day"])
    if not first or bool(last) is not bool(match["last"] or match["high"]):
        return None
    if last:
        return Filter(column=name, op=Op.BETWEEN, value=[first, last])
    return Filter(column=name, op=_KOREAN_WORDS.get(match["word"] or "", Op.IS), value=first)


def _written(year: int, month: str | None, day: str | None) -> str:
    """Return a month or a day of it as cells are compared; nothing where that year has none."""
    if not month or whole_day(year * _OF_YEAR + int(month) * 100 + int(day or 1)) is None:
        return ""
    return f"{year}-{int(month):02d}" + (f"-{int(day):02d}" if day else "")


def _of_one_year(column: SketchColumn) -> bool:
    """Tell whether all days of a column are of one year."""
    if column.kind is not ColumnKind.DATE or column.low is None or column.high is None:
        return False
    return column.low // _OF_YEAR == column.high // _OF_YEAR


def _of_year(match: re.Match[str], which: str, year: int) -> str:
    """Return a month, or a day of it, as `2024-03` or `2024-03-06`.

    The text is empty where none is said, or that year has no such day.
    """
    month = match[f"{which}month"]
    if not month:
        return ""
    day = match[f"{which}day"] or match[f"{which}behind"]
    return _written(year, str(NUMBERS[month.casefold()]), day)


def _years(found: QuestionSigns) -> Iterator[Options]:
    """Yield the year of a month for a column of years: the month may be a column's name."""
    for one in found.compared:
        match = _YEAR.search(one.low)
        if not one.is_day or match is None or match.group() == one.low:
            continue
        start = found.text.find(match.group(), one.start, one.end)
        years = [c for c in found.sketch.columns.values() if c.is_year]
        given = [
            Condition(
                filter=Filter(column=column.name, op=Op.IS, value=float(match.group())),
                start=start,
                end=start + len(match.group()),
                kind="number",
                score=0.6,
            )
            for column in years[:_OPTIONS]
            if start >= 0
        ]
        if given:
            yield (start, start + len(match.group()), "number"), given


def _decades(found: QuestionSigns) -> Iterator[Options]:
    """Yield the years of a decade as a range: "in the 1980s", "the nineties"."""
    for match in _DECADE.finditer(found.text):
        first = _decade(match)
        given: list[Condition] = []
        for column in found.sketch.columns.values():
            if column.kind is ColumnKind.DATE:
                value: list[Scalar] = [f"{first}-01-01", f"{first + 9}-12-31"]
            elif column.is_year:
                value = [float(first), float(first + 9)]
            else:
                continue
            given.append(
                Condition(
                    filter=Filter(column=column.name, op=Op.BETWEEN, value=value),
                    start=match.start(),
                    end=match.end(),
                    kind="day",
                    score=0.7 + 0.4 * found.signs[column.name].all,
                )
            )
        given.sort(key=lambda one: -one.score)
        if given:
            yield (match.start(), match.end(), "day"), given[:_OPTIONS]


def _decade(match: re.Match[str]) -> int:
    """Return the first year of a decade."""
    whole = match["years"] or match["korean"]
    if whole:
        return int(whole)
    return 1900 + (int(match["short"]) if match["short"] else _TENS[match["word"].casefold()])
