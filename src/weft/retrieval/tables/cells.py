"""What the text of a cell spells: a number with its unit, a day, yes or no, or nothing of these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date as Day
from functools import lru_cache

from weft.domain.frozen import dataclass
from weft.language.cell_words import NOTHING, TRUTHS
from weft.language.months import BEGINNINGS_PATTERN, NUMBERS
from weft.language.numerals import MAGNITUDES, korean_amount
from weft.language.patterns import pattern
from weft.language.periods import WEEKDAY_PATTERN
from weft.language.terms import fold

_CURRENCY = r"[€$£¥￥₩￦₹]|(?:EUR|USD|GBP|KRW|JPY|CHF|CAD|AUD|CNY|SEK|NOK|DKK|INR)\b"
_DIGITS = r"\d+(?:[.,'’\u00a0\u202f ]\d{3})*(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[.,]\d+"
_QUANTITY = pattern(
    rf"(?P<about>[~≈<>≤≥]|about|approx\.?|ca?\.|약)?\s*(?P<before>{_CURRENCY})?\s*"
    rf"(?P<open>\()?(?P<sign>[-+−–△])?\s*(?P<money>{_CURRENCY})?\s*(?P<digits>{_DIGITS})"
    rf"(?:[eE](?P<power>[-+]?\d{{1,3}}))?(?P<close>\))?"
    r"\s*(?P<rest>[^\d\s].{0,24})?",
    re.IGNORECASE | re.DOTALL,
)
_SCALE_SIGNS = {"k": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "bn": 1e9, "b": 1e9}
_SCALE = pattern(
    r"(?P<scale>hundred|thousand|million|billion|trillion|mn|mio|bn|[km](?=$|\s|[€$£]))"
    r"\.?(?:\s+|$|(?=[^A-Za-z]))",
    re.IGNORECASE,
)
_UNIT = pattern(r"%|‰|°\s?[CF]?|[^\W\d_][^\W\d_²³]*[²³]?(?:/[^\W\d_]+)?[²³\d]?|[€$£¥₩₹]", re.I)
_MOST_UNIT_WORDS = 2
_MARKS = {
    "€": "eur", "$": "usd", "£": "gbp", "¥": "jpy", "₩": "krw", "₹": "inr", "원": "krw",
    "원정": "krw", "엔": "jpy", "円": "jpy", "유로": "eur", "달러": "usd",
}  # fmt: skip
_SPELT = {
    "percent": "%", "per cent": "%", "퍼센트": "%", "euro": "eur", "dollar": "usd",
    "milligram": "mg", "gram": "g", "gramme": "g", "kilogram": "kg", "kilo": "kg", "tonne": "t",
    "millimetre": "mm", "millimeter": "mm", "centimetre": "cm", "centimeter": "cm", "metre": "m",
    "meter": "m", "kilometre": "km", "kilometer": "km", "millilitre": "ml", "milliliter": "ml",
    "litre": "l", "liter": "l", "hectolitre": "hl", "hectoliter": "hl",
    "second": "s", "sec": "s", "minute": "min", "hour": "h", "hr": "h",
}  # fmt: skip
# What units of one kind are worth, in the first of them.
_SIZES = (
    {"g": 1.0, "mg": 1e-3, "kg": 1e3, "t": 1e6},
    {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1e3},
    {"l": 1.0, "ml": 1e-3, "cl": 1e-2, "dl": 1e-1},
    {"gbp": 1.0, "p": 1e-2, "pence": 1e-2},
    {"eur": 1.0, "cent": 1e-2, "ct": 1e-2, "c": 1e-2},
    {"usd": 1.0, "cent": 1e-2, "c": 1e-2},
    {"gb": 1.0, "kb": 1e-6, "mb": 1e-3, "tb": 1e3},
    {"s": 1.0, "min": 60.0, "h": 3600.0, "day": 86_400.0, "week": 604_800.0},
)
_LASTS = pattern(
    r"(?P<hours>\d{1,4})\s?h(?:ours?|rs?)?\s?(?P<minutes>\d{1,2})\s?m(?:in(?:ute)?s?)?", 2
)
_DAY = pattern(
    r"(?P<y1>\d{4})(?:[-/](?P<m1>\d{1,2})(?:[-/](?P<d1>\d{1,2}))?"
    r"|\.\s?(?P<m6>\d{1,2})\.\s?(?P<d6>\d{1,2})\.?)"
    r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s?(?:Z|[+-]\d{2}:?\d{2}|UTC)?)?"
    r"|(?P<y2>\d{4}|['’]?\d\d(?=년\s?\d))[년年]\s?(?:(?P<m2>\d{1,2})[월月])?\s?(?:(?P<d2>\d{1,2})[일日])?"
    rf"|(?:(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\.?\s)?(?P<m3>(?:{BEGINNINGS_PATTERN})[a-z]*)\.?,?"
    r"\s(?P<y3>\d{4})"
    rf"|(?P<d5>\d{{1,2}})-(?P<m5>(?:{BEGINNINGS_PATTERN})[a-z]*)-(?P<y5>\d{{4}})"
    rf"|(?P<m4>(?:{BEGINNINGS_PATTERN})[a-z]*)\.?\s(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?,?\s"
    r"(?P<y4>\d{4})",
    re.IGNORECASE,
)
_NUMERIC_DAY = pattern(
    r"(?P<a>\d{1,2})([-/.])(?P<b>\d{1,2})\2(?P<y>\d{4})"
    r"|(?P<a2>\d{2})([/.])(?P<b2>\d{2})\6(?P<y2>\d{2})"
)
_WEEKDAY = pattern(
    rf"^{WEEKDAY_PATTERN}\.?,?\s+(?=\d|[a-z]{{3,9}}\.?\s\d)",
    re.I,
)
# What Korean and Japanese put behind a day: (화), 화요일, 14:00, 오후 2시.
_BEHIND_DAY = pattern(
    r"(?<=[\d일日.])\s?(?:\([월화수목금토일月火水木金土日](?:요일|曜日)?\)|[월화수목금토일]요일"
    r"|(?<=[일日).\s])(?:오전|오후)?\s?\d{1,2}(?:시(?:\s?\d{1,2}분)?|:\d\d(?::\d\d)?))"
)
# As Korean writes days in short: the year first, of two figures or with its month alone.
_YEAR_FIRST = pattern(
    r"['’]?(\d\d)([./-])\s?(\d{1,2})\2\s?(\d{1,2})\.?|((?:19|20)\d\d)\.\s?(\d{1,2})\.?"
)
# A day without its year: "6 March", "Mar 6"; "6/3" where others of a column are days.
_YEARLESS_KOREAN = pattern(r"(\d{1,2})[월月]\s?(\d{1,2})[일日]")
_YEARLESS = pattern(
    rf"\d{{1,2}}(?:st|nd|rd|th)?\.?\s(?:{BEGINNINGS_PATTERN})[a-z]*\.?"
    rf"|(?:{BEGINNINGS_PATTERN})[a-z]*\.?\s\d{{1,2}}(?:st|nd|rd|th)?",
    re.I,
)
_SHORT_DAY = pattern(r"(\d{1,2})[/.](\d{1,2})(?:\.|[/.](\d\d))?")
_ENDED = pattern(r"\d{1,2}\.\d{1,2}\.")  # as no figure ends
_YEAR_OF_DAY = 10_000
# A year of two figures is of this century up to here.
_CENTURY, _LAST_OF_CENTURY, _SHORT_YEAR = 2000, 68, 2
_REMARK = pattern(r"(yes|no)\s*[,;:(\[–—-].{0,60}$")
# What points from a figure to a remark below the table.
_REMARKED = "*†‡§ "
_NUMBERED = pattern(r"(?<=\S)(?:\s\(\d\)|\s?\[(?:\d{1,2}|[a-z])\])$")
_MONTHS, _DAYS = 12, 31
_EARLIEST, _LATEST = 1000, 2199
_COMMA_DECIMAL = pattern(r"\d\.\d{3},\d|(?<![\d.,])\d+,\d{1,2}(?!\d)|\d{1,3}(?:\.\d{3}){2,}(?!\d)")
_POINT_DECIMAL = pattern(
    r"\d,\d{3}\.\d|(?<![\d.,])\d+\.(?:\d{1,2}|\d{4,})(?!\d)|\d{1,3}(?:,\d{3}){2,}(?!\d)"
)
# "1.200 €", which is "1.200 €/l" as well, and what beside it tells that it is no price of a litre.
_DOTTED_MONEY = pattern(
    rf"(?:{_CURRENCY})\s?[1-9]\d{{0,2}}\.\d{{3}}|[1-9]\d{{0,2}}\.\d{{3}}\s?(?:{_CURRENCY})", re.I
)
_LARGE_MONEY = pattern(
    rf"(?:{_CURRENCY})\s?[1-9]\d{{1,2}}(?:\.\d{{3}}|(?<=\d{{3}}))"
    rf"|[1-9]\d{{1,2}}(?:\.\d{{3}}|(?<=\d{{3}}))\s?(?:{_CURRENCY})",
    re.I,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number and the unit that stands with it, folded: `eur`, `km`, `%`; empty without one.

    `value` has the words for its size in it, `scale` is what the last of them is worth: 10,000 in
    1억 2천만, 1 without any.
    """

    value: float
    unit: str = ""
    scale: float = 1.0


def is_empty(text: str) -> bool:
    """Tell whether a cell says that there is nothing, by being empty or in words."""
    return fold(text).strip() in NOTHING


def has_comma_decimals(texts: Iterable[str], *, beside: Iterable[str] = ()) -> bool:
    """Tell whether a column writes 1.234,5 rather than 1,234.5.

    Where its own cells leave it open ("1.200"), those of the columns beside it may tell; of sums of
    money nobody writes three decimals.
    """
    comma, point = _styles(texts)
    if comma or point:
        return comma > point
    whole = [text.strip() for text in texts]
    if all(any(map(one.fullmatch, whole)) for one in (_DOTTED_MONEY, _LARGE_MONEY)):
        return True
    comma, point = _styles(beside)
    return comma > 0 and not point


def _styles(texts: Iterable[str]) -> tuple[int, int]:
    """Return how many texts can only have a comma before their decimals, and only a point."""
    comma = point = 0
    for text in texts:
        comma += bool(_COMMA_DECIMAL.search(text))
        point += bool(_POINT_DECIMAL.search(text))
    return comma, point


def is_day_first(texts: Iterable[str]) -> bool:
    """Tell whether a column writes 31/12/2020 rather than 12/31/2020."""
    found = [match for text in texts if (match := _NUMERIC_DAY.fullmatch(text.strip()))]
    return not any(int(match["b"] or match["b2"]) > _MONTHS for match in found)


def without_marks(text: str) -> str:
    """Return a cell without what points to a remark below its table: `6 mm (1)`, `5.5*`."""
    return _NUMBERED.sub("", text.strip().rstrip(_REMARKED)).rstrip(_REMARKED)


@lru_cache(maxsize=65536)
def quantity(text: str, *, comma: bool = False) -> Quantity | None:
    """Return the number that a whole text spells with its unit, None where it is none.

    `comma` is set where the decimals stand behind a comma. A code as `A-12` or `1.2.3` is none.
    """
    said = without_marks(text)
    if lasts := _LASTS.fullmatch(said):
        return Quantity(value=int(lasts["hours"]) * 60.0 + int(lasts["minutes"]), unit="min")
    match = _QUANTITY.fullmatch(said)
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    value = _figure(match["digits"], comma=comma)
    if value is None:
        return None
    rest = (match["rest"] or "").strip()
    if match["open"] and rest:
        return None  # "(0) Deprecated" is a grade in words
    if korean := korean_amount(said[match.start("digits") :]):
        value, scale, end = korean
        rest = said[match.start("digits") + end :].strip()
    else:
        scale, rest = _scaled(rest)
        value *= scale
    unit = unit_of(rest)
    if unit is None:
        return None
    value *= 10.0 ** int(match["power"] or 0)
    negative = (match["sign"] or "") in {"-", "−", "–", "△"} or bool(match["open"])
    money = match["before"] or match["money"] or ""
    unit = unit_of(money) or unit
    return Quantity(value=-value if negative else value, unit=unit, scale=scale)


@lru_cache(maxsize=4096)
def unit_of(said: str) -> str | None:
    """Return a unit as it is compared; None for words that are none."""
    text = fold(said).strip().rstrip(".")
    if not text:
        return ""
    if text in _MARKS or text in _SPELT:
        return _MARKS.get(text) or _SPELT[text]
    words = text.split()
    if len(words) > _MOST_UNIT_WORDS or not all(_UNIT.fullmatch(word) for word in words):
        return None
    joined = " ".join(words)
    bare = joined[:-1] if len(joined) > 3 and joined.endswith("s") else joined
    return _MARKS.get(bare) or _SPELT.get(bare) or bare.replace("° ", "°")


def worth_of(unit: str, *, other: str) -> float | None:
    """Return how much one of a unit is in another of its kind: 0.001 for g in kg; else None."""
    if unit == other:
        return 1.0
    return next((of[unit] / of[other] for of in _SIZES if unit in of and other in of), None)


@lru_cache(maxsize=65536)
def day(text: str, *, day_first: bool = True) -> int | None:
    """Return the day that a whole text spells as YYYYMMDD, 00 for what it leaves out, or None."""
    said = _bare_day(without_marks(text))
    if match := _NUMERIC_DAY.fullmatch(said):
        first, second = int(match["a"] or match["a2"]), int(match["b"] or match["b2"])
        date, month = (first, second) if day_first else (second, first)
        return _day(_whole_year(match["y"] or match["y2"]), month, date)
    match = _DAY.fullmatch(said)
    if match is None:
        return None
    for number in "12345":
        if match[f"y{number}"]:
            named, numbered = match[f"m{number}"], match[f"d{number}"]
            if number == "1":
                named, numbered = named or match["m6"], numbered or match["d6"]
            return _day(_whole_year(match[f"y{number}"]), _month(named), int(numbered or 0))
    return None


def days_of(
    texts: Iterable[str], *, year: int | None = None, korean: bool = False
) -> dict[str, int | None]:
    """Return the day that each text of a column spells.

    Where a year is left out it is the one that all others of the column have, else `year`. In a
    `korean` column the year stands before the month and the month before the day: 24.12.31, 3/5.
    """
    given = [*texts]
    bare = {text: _bare_day(text) for text in given}
    first = _is_day_before(bare.values()) if korean else is_day_first(bare.values())
    found = {text: day(said, day_first=first) for text, said in bare.items()}
    if korean:
        found |= _years_first(bare)
    years = {one // _YEAR_OF_DAY for one in found.values() if one is not None}
    of = next(iter(years)) if len(years) == 1 else year if not years else None
    if of is None:
        return found
    is_named = bool(years) or any(
        _YEARLESS.fullmatch(said)
        or _YEARLESS_KOREAN.fullmatch(said)
        or _ENDED.fullmatch(said)
        or (_BEHIND_DAY.search(text) and _SHORT_DAY.fullmatch(said))
        for text, said in bare.items()
    )
    for text, said in bare.items():
        short = _SHORT_DAY.fullmatch(said) if is_named else None
        if found[text] is not None:
            continue
        if named := _YEARLESS_KOREAN.fullmatch(said):
            found[text] = _day(of, int(named[1]), int(named[2]))
        elif short and (not short[3] or int(short[3]) == of % 100):
            found[text] = day(f"{short[1]}/{short[2]}/{of}", day_first=first)
        elif _YEARLESS.fullmatch(said):
            found[text] = day(f"{said.rstrip('.')} {of}")
    return found


def _bare_day(text: str) -> str:
    """Return what may be a day without its weekday and its time."""
    said = _WEEKDAY.sub("", text.strip())
    while (shorter := _BEHIND_DAY.sub("", said).strip()) != said:
        said = shorter
    return said


def _is_day_before(texts: Iterable[str]) -> bool:
    """Tell whether a Korean column writes 31/12 after all: as no month is the 31st."""
    short = [match for text in texts if (match := _SHORT_DAY.fullmatch(text))]
    return any(int(match[1]) > _MONTHS for match in short if not match[3])


def _years_first(bare: Mapping[str, str]) -> dict[str, int | None]:
    """Return the days of a Korean column that begin with their year, by what spells them."""
    found: dict[str, int | None] = {}
    for text, said in bare.items():
        if (match := _YEAR_FIRST.fullmatch(said)) is None:
            continue
        year, month = (match[5], match[6]) if match[5] else (match[1], match[3])
        if int(month) and (match[5] or int(match[4])):
            found[text] = _day(_whole_year(year), int(month), int(match[4] or 0))
    # "2024.10" is a month only where nothing of the column is a figure.
    is_month = all(day(said) is not None or _YEAR_FIRST.fullmatch(said) for said in bare.values())
    return {text: one for text, one in found.items() if is_month or "." not in bare[text][4:5]}


def _whole_year(said: str) -> int:
    year = int(said.lstrip("'’"))
    if len(said.lstrip("'’")) > _SHORT_YEAR:
        return year
    return year + (_CENTURY if year <= _LAST_OF_CENTURY else _CENTURY - 100)


def whole_day(value: int) -> Day | None:
    """Return YYYYMMDD as a day; None where a part of it is left out."""
    try:
        return Day(value // 10_000, value // 100 % 100, value % 100)
    except ValueError:
        return None


def truth(text: str) -> bool | None:
    """Return what a cell says by yes or no, a check mark or its like; None for anything else.

    What stands behind it in brackets or as a remark takes nothing back.
    """
    said = fold(text).strip()
    if said in TRUTHS:
        return TRUTHS[said]
    remark = _REMARK.match(said)
    return remark[1] == "yes" if remark else None


def _month(said: str | None) -> int:
    if not said:
        return 0
    return int(said) if said.isdecimal() else NUMBERS.get(said.casefold()[:3], 0)


def _day(year: int, month: int, date: int) -> int | None:
    if not (_EARLIEST <= year <= _LATEST and 0 <= month <= _MONTHS and 0 <= date <= _DAYS):
        return None
    return year * 10000 + month * 100 + date


def _figure(digits: str, *, comma: bool) -> float | None:
    bare = re.sub(r"['’\u00a0\u202f ]", "", digits)
    if comma:
        bare = bare.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+", bare):
        bare = bare.replace(",", "")
    elif re.fullmatch(r"\d+,\d{1,2}|\d{1,3}(?:\.\d{3})+,\d+", bare):  # one stray 3,5 among points
        bare = bare.replace(".", "").replace(",", ".")
    try:
        return float(bare)
    except ValueError:
        return None


def _scaled(rest: str) -> tuple[float, str]:
    match = _SCALE.match(rest)
    if match is None:
        return 1.0, rest
    said = match["scale"].casefold()
    # A lone small m is metres; with nothing behind it a capital is a million.
    if said == "m" and match["scale"] == "m":
        return 1.0, rest
    return float(_SCALE_SIGNS.get(said) or MAGNITUDES[said]), rest[match.end() :].strip()
