"""What days, months, years and decades of a question may be conditions on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from weft.domain.frozen import dataclass
from weft.language.months import NUMBERS, SPELLINGS_PATTERN
from weft.language.patterns import pattern
from weft.offline.plans.signs import QuestionSigns
from weft.offline.plans.sketch import SketchColumn
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
_WORDS = {"before": Op.UNDER, "after": Op.OVER, "since": Op.AT_LEAST, "until": Op.AT_MOST}
_OF_YEAR = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition, where it is said, and how sure it is from 0 to 1.

    `kind` is `exact`, `kin`, `part`, `figure`, `day`, `number`, `truth`, `empty` or `filled`;
    `beside` that its column is named by it; `rivals` are other columns that hold the same words,
    `values` how many values they may be; `as_figure` that a day is compared with plain numbers;
    `thin` how little is said of a value of which only a part is; `mixed` that some of the cells
    list several.
    """

    filter: Filter
    start: int
    end: int
    kind: str
    score: float
    beside: bool = False
    as_figure: bool = False
    mixed: bool = False
    thin: float = 0.0
    rivals: int = 0
    values: int = 1


Place = tuple[int, int, str]
Options = tuple[Place, list[Condition]]


def dated_options(found: QuestionSigns) -> Iterator[Options]:
    """Yield for each day, month, year and decade of a question what it may be a condition on."""
    yield from _decades(found)
    yield from _years(found)
    yield from _months(found)


def _months(found: QuestionSigns) -> Iterator[Options]:
    """Yield the months and days that are said without a year, for columns with days of one."""
    columns = [one for one in found.sketch.columns.values() if _of_one_year(one)]
    for match in _MONTHS.finditer(found.text) if columns else ():
        if any(one.start < match.end() and match.start() < one.end for one in found.compared):
            continue
        first, last = _month_day(match, "first_"), _month_day(match, "last_")
        op = _WORDS.get(match["word"] or "", Op.IS)
        is_range = last and (match["to"] != "and" or match["word"] == "between")
        if last and not is_range:
            op = Op.AMONG  # "in July and August"
        given: list[Condition] = []
        for column in columns:
            year = int(column.low or 0) // _OF_YEAR
            value: Scalar | list[Scalar] = f"{year}-{first}"
            if last:
                value = [f"{year}-{first}", f"{year}-{last}"]
            given.append(
                Condition(
                    filter=Filter(
                        column=column.name, op=Op.BETWEEN if is_range else op, value=value
                    ),
                    start=match.start(),
                    end=match.end(),
                    kind="day",
                    score=0.7 + 0.4 * found.signs[column.name].all,
                )
            )
        given.sort(key=lambda one: -one.score)
        yield (match.start(), match.end(), "day"), given[:_OPTIONS]


def _of_one_year(column: SketchColumn) -> bool:
    """Tell whether all days of a column are of one year."""
    if column.kind is not ColumnKind.DATE or column.low is None or column.high is None:
        return False
    return column.low // _OF_YEAR == column.high // _OF_YEAR


def _month_day(match: re.Match[str], which: str) -> str:
    """Return a month, or a day of it, as `03` or `03-06`; an empty text where none is said."""
    month = match[f"{which}month"]
    if not month:
        return ""
    day = match[f"{which}day"] or match[f"{which}behind"]
    number = f"{NUMBERS[month.casefold()]:02d}"
    return f"{number}-{int(day):02d}" if day else number


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
