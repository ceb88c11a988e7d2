"""Stretches of time by the names that columns and cells have: months, weekdays, quarters, years."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from weft.domain.frozen import dataclass
from weft.language.hangul import has_hangul
from weft.language.months import BEGINNINGS, MONTHS, NUMBERS, SPELLINGS_PATTERN, WEEKDAYS
from weft.language.patterns import pattern

_YEAR = r"(?:1[89]|20)\d\d"
_MONTH = rf"(?:{'|'.join(sorted({*MONTHS, *BEGINNINGS, 'sept'}, key=len, reverse=True))})"
# A part of regular expressions without regard to case: how weekdays are written.
WEEKDAY_PATTERN = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_NAMED = pattern(
    rf"(?P<month>{_MONTH})\.?(?:[\s'’/-]{{0,2}}(?:{_YEAR}|\d\d))?"
    rf"|(?P<day>{WEEKDAY_PATTERN})s?\.?(?:\s\d{{1,2}}(?:st|nd|rd|th|[./]\d{{1,2}}\.?)?(?:\s{_MONTH})?)?"
    r"|(?:(?:quarter\s|q)(?P<quarter>[1-4])|(?P<quarter3>[1-4])(?:st|nd|rd|th)\squarter|(?P<quarter2>[1-4])분기)(?:[\s/-]?(?:\d\d){1,2})?"
    rf"|(?:fy\s?)?(?P<year>{_YEAR})(?:\s?[/–-]\s?\d\d(?:\d\d)?)?년?"
    r"|(?:week|wk|w)\s?(?P<week>\d{1,2})|(?P<week2>\d{1,2})주차?"
    r"|(?P<month2>\d{1,2})월|(?P<day2>[월화수목금토일])(?:요일)?"
)
# A part of regular expressions: what months, weekdays and quarters are called inside a question.
NAMES_PATTERN = (
    rf"(?:{SPELLINGS_PATTERN}|(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:days?)?"
    r"|Q[1-4]|\d{1,2}월|[월화수목금토일]요일|[1-4]분기)"
)
_LONGEST = 24
_KOREAN_DAYS = "월화수목금토일"
_LAST_MONTH = 12


class PeriodKind(StrEnum):
    """What a stretch of time is; its value is what a column of them is called."""

    MONTH = "Month"
    WEEKDAY = "Day"
    QUARTER = "Quarter"
    YEAR = "Year"
    WEEK = "Week"

    @property
    def korean(self) -> str:
        """Return what it is called in Korean."""
        return _KOREAN[self]


_KOREAN = {
    PeriodKind.MONTH: "월",
    PeriodKind.WEEKDAY: "요일",
    PeriodKind.QUARTER: "분기",
    PeriodKind.YEAR: "연도",
    PeriodKind.WEEK: "주",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A stretch of time: `number` counts months, weekdays and quarters from 1, and is a year."""

    kind: PeriodKind
    number: int


@lru_cache(maxsize=16384)
def period_of(text: str) -> Period | None:
    """Return the stretch of time that a whole text names, None where it names none."""
    said = text.strip().casefold()
    if len(said) > _LONGEST or (match := _NAMED.fullmatch(said)) is None:
        return None
    found = {name.rstrip("23"): value for name, value in match.groupdict().items() if value}
    [(kind, value)] = found.items()
    match kind:
        case "month":
            number = int(value) if value.isdecimal() else NUMBERS[value]
            is_one = 1 <= number <= _LAST_MONTH
            return Period(kind=PeriodKind.MONTH, number=number) if is_one else None
        case "day" if has_hangul(value):
            return Period(kind=PeriodKind.WEEKDAY, number=_KOREAN_DAYS.index(value) + 1)
        case "day":
            names = [name[:3] for name in WEEKDAYS]
            return Period(kind=PeriodKind.WEEKDAY, number=names.index(value[:3]) + 1)
        case _:
            return Period(kind=PeriodKind[kind.upper()], number=int(value))
