"""What a question compares cells with: days, figures, the two ends of a range."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from weft.domain.frozen import dataclass
from weft.language.hangul import SYLLABLES
from weft.language.months import BEGINNINGS_PATTERN
from weft.language.numerals import KOREAN_AMOUNT_PATTERN, UNITS, VALUES
from weft.language.patterns import pattern
from weft.offline.plans.words import SizeWords, measures
from weft.retrieval.tables.cells import Quantity, quantity
from weft.retrieval.tables.plan import Op

_MONTH = rf"(?:{BEGINNINGS_PATTERN})[a-z]*\.?"
_TH = r"(?:st|nd|rd|th)?"
_DATE = (
    rf"(?:\d{{1,2}}{_TH} (?:of )?{_MONTH},? \d{{4}}|{_MONTH} \d{{1,2}}{_TH},? \d{{4}}"
    rf"|{_MONTH},? \d{{4}}|\d{{4}}-\d{{1,2}}(?:-\d{{1,2}})?"
    r"|\d{4}년(?:\s?\d{1,2}월)?(?:\s?\d{1,2}일)?|(?<!\d)\d{2}년\s?\d{1,2}월(?:\s?\d{1,2}일)?"
    r"|(?:1[0-9]|20)\d{2})(?![\d,.]*\d)"
)
_SPELT = rf"(?:{'|'.join(UNITS)}|an?(?=\s(?:hundred|thousand|million|billion)))\b"
_FIGURE = (
    rf"(?:{_SPELT}|{KOREAN_AMOUNT_PATTERN}|"
    r"(?:[€$£¥₩]\s?|(?:EUR|USD|GBP|KRW)\s)?[-+]?\d[\d,.]*\d(?:\s?%)?|[-+]?\d(?:\s?%)?"
    r"|[€$£¥₩]\s?\d)"
)
_UNIT = (
    r"(?:\s?(?:hundred|thousand|million|billion|trillion|k|m|bn)\b)?"
    rf"(?:\s?(?:[€$£¥₩%]|(?!월)[{SYLLABLES}]{{1,2}}?|[A-Za-z°µ]{{1,12}}(?:/[a-z]+)?[²³]?))?"
)
_DAY_ALONE = pattern(rf"(?<![\w-]){_DATE}", re.I)
_DAY_BETWEEN = pattern(
    rf"\b(?:between|from)\s+(?P<low>{_DATE})\s+(?:and|to|until|till|through)\s+(?P<high>{_DATE})"
    rf"|(?<![\w-])(?P<low3>{_DATE})\s?(?:to|until|till|through|[-–~])\s?(?P<high3>{_DATE})"
    rf"|\b(?P<month>{_MONTH})\s?(?:to|until|till|through|and|[-–~])\s?"
    rf"(?P<high4>{_MONTH},? (?P<year>\d{{4}}))"
    rf"|(?P<low2>{_DATE})\s?부터\s?(?P<high2>{_DATE})\s?까지",
    re.I,
)
_DAY_BESIDE = pattern(
    r"\b(?P<word>before|prior to|until|up to|by|after|later than|since|from|as of|starting"
    rf"|earlier than|in|on|during|of)\s+(?P<day>{_DATE})"
    r"(?:\s+(?P<on>on|onwards?|or later|or earlier))?",
    re.I,
)
_DAY_KOREAN = pattern(rf"(?P<day>{_DATE})\s?(?P<word>이전|이후|부터|까지|전에|후에|에)")
_BETWEEN = pattern(
    rf"\b(?:between|from|of)\s+(?P<low>{_FIGURE})(?P<unit0>{_UNIT})\s?(?:and|to|through|[-–])"
    rf"\s?(?P<high>{_FIGURE})"
    rf"(?P<unit>{_UNIT})|(?P<low2>{_FIGURE}){_UNIT}\s?(?:에서|부터|이상)\s?(?P<high2>{_FIGURE})"
    rf"(?P<unit2>{_UNIT})\s?(?:사이|까지|이하)",
    re.I,
)
_BEYOND = pattern(
    r"(?:\b(?P<word>at least|no less than|no fewer than|a minimum of|at most|no more than|up to"
    r"|a maximum of|over|above|under|below|beyond|exceed(?:s|ing)?"
    r"|(?:\w+er|more|less|fewer|greater)(?: \w+)? than|than)|(?P<sign>>=|<=|>|<|≥|≤))"
    rf"\s+(?:the\s+)?(?P<low>{_FIGURE})(?P<unit>{_UNIT})",
    re.I,
)
_BEHIND = pattern(
    rf"(?P<low>{_FIGURE})(?P<unit>{_UNIT}?)\s?(?P<word>or (?:more|higher|above|over|greater|later"
    r"|older|longer|taller|larger|bigger|heavier|newer|better"
    r"|less|fewer|lower|below|under|younger|shorter|smaller|lighter|earlier|cheaper)"
    r"|and (?:above|over|below|under|up)|이상|이하|초과|미만"
    rf"|보다\s?(?:더\s?)?[{SYLLABLES}]+|[을를이가]? ?넘)",
    re.I,
)
LESS = pattern(
    r"\b(?:less|fewer|lower|smaller|shorter|cheaper|younger|lighter|slower|earlier|narrower"
    r"|thinner|poorer|closer|nearer|colder|cooler)\b|작|적|낮|짧|싼|저렴|가벼|느린|미만",
    re.I,
)
_WORD = pattern(r"[^\W\d_]+")
_MORE_BEHIND = pattern(
    r"or (?:more|higher|above|over|greater|later|older|longer|taller|larger|bigger"
    r"|heavier|newer|better)|and (?:above|over|up)|이상"
)
_LESS_BEHIND = pattern(r"or |and |이하")
_WORDS = {
    **dict.fromkeys(("at least", "no less than", "no fewer than", "a minimum of"), Op.AT_LEAST),
    **dict.fromkeys((">=", "≥"), Op.AT_LEAST),
    **dict.fromkeys(("at most", "no more than", "up to", "a maximum of", "<=", "≤"), Op.AT_MOST),
    **dict.fromkeys(("under", "below", "<"), Op.UNDER),
}
_DAY_WORDS = {
    **dict.fromkeys(("before", "prior to", "earlier than", "이전", "전에"), Op.UNDER),
    **dict.fromkeys(("after", "later than", "후에"), Op.OVER),
    **dict.fromkeys(("since", "starting", "as of", "이후", "부터"), Op.AT_LEAST),
    **dict.fromkeys(("until", "up to", "by", "까지"), Op.AT_MOST),
}
_DAY_BEHIND = {
    **dict.fromkeys(("or later", "onward", "onwards", "on"), Op.AT_LEAST),
    "or earlier": Op.AT_MOST,
}
# Days that are told from another: "last year" is the one before that of the table's document.
_RELATIVE = pattern(
    r"\b(?:(?:in|during|from|of|for|over)\s+)?(?:the\s+)?"
    r"(?P<which>last|previous|past|this|current|next)\s+(?P<unit>year|month|quarter|week)\b"
    r"|\b(?P<day>yesterday|today|tomorrow)\b"
    r"|(?P<korean>작년|지난해|전년|올해|금년|내년|지난\s?달|이번\s?달|이달|다음\s?달|지난\s?주|이번\s?주"
    r"|지난\s?분기|이번\s?분기|어제|오늘|내일)(?:에는|에|의|은|는)?",
    2,
)
_RELATIVE_YEARS = {"작년": -1, "지난해": -1, "전년": -1, "올해": 0, "금년": 0, "내년": 1}
_RELATIVE_MONTHS = {"지난달": -1, "이번달": 0, "이달": 0, "다음달": 1}
_WHICH = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "next": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class CellComparison:
    """A comparison with a number or a day, and where it stands; `low` and `high` for between."""

    start: int
    end: int
    op: Op
    low: str
    high: str = ""
    is_day: bool = False
    measures: tuple[SizeWords, ...] = ()

    @property
    def quantity(self) -> Quantity | None:
        """Return what it is compared with as a number."""
        return quantity(self.low)


def compared(text: str, as_of: date | None = None) -> list[CellComparison]:
    """Return the comparisons with days and numbers, none inside another.

    `as_of` is what "last year" is told from; without it such a day has no text.
    """
    found: list[CellComparison] = []
    told = [
        CellComparison(start=start, end=end, op=Op.IS, low=day, is_day=True)
        for start, end, day in relative_days(text, as_of)
    ]
    for one in (*told, *_days(text), *_figures(text), *_days_alone(text)):
        if all(one.end <= other.start or one.start >= other.end for other in found):
            found.append(one)
    return found


def asks_less(text: str, *, dated: bool = False) -> bool:
    """Tell whether a question asks for the lesser of two; of days (`dated`) the older is it."""
    if dated:
        said = {word.casefold() for word in _WORD.findall(text)}
        for one in measures():
            if one.dated and said & (one.more | one.less):
                return bool(said & one.less)
    return LESS.search(text) is not None


def _days(text: str) -> Iterator[CellComparison]:
    for match in _DAY_BETWEEN.finditer(text):
        yield CellComparison(
            start=match.start(),
            end=match.end(),
            op=Op.BETWEEN,
            low=_bare(_first(match, "low", "low2", "low3") or f"{match['month']} {match['year']}"),
            high=_bare(_first(match, "high", "high2", "high3", "high4")),
            is_day=True,
        )
    for match in (*_DAY_BESIDE.finditer(text), *_DAY_KOREAN.finditer(text)):
        behind = (match.groupdict().get("on") or "").casefold()
        op = _DAY_WORDS.get(match["word"].casefold(), Op.IS)
        if op is Op.IS:
            op = _DAY_BEHIND.get(behind, Op.IS)
        yield CellComparison(
            start=match.start(), end=match.end(), op=op, low=_bare(match["day"]), is_day=True
        )


def _first(match: re.Match[str], *names: str) -> str:
    """Return the first of some groups that matched."""
    return next((match[name] for name in names if match[name]), "")


def _days_alone(text: str) -> Iterator[CellComparison]:
    """Yield the days that stand without a word before them."""
    for match in _DAY_ALONE.finditer(text):
        yield CellComparison(
            start=match.start(), end=match.end(), op=Op.IS, low=_bare(match.group()), is_day=True
        )


def _bare(said: str) -> str:
    """Return a day as cells write it."""
    bare = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b|\bof ", "", said, flags=re.I).strip()
    return bare.removesuffix("년") if re.fullmatch(r"\d{4}년", bare) else bare


def _figures(text: str) -> Iterator[CellComparison]:
    for match in _BETWEEN.finditer(text):
        unit = match["unit"] or match["unit2"]
        yield CellComparison(
            start=match.start(),
            end=match.end(),
            op=Op.BETWEEN,
            low=_with_unit(match["low"] or match["low2"], match["unit0"] or unit),
            high=_with_unit(match["high"] or match["high2"], unit),
        )
    for match in _BEYOND.finditer(text):
        word = (match["word"] or match["sign"]).casefold()
        yield CellComparison(
            start=match.start(),
            end=match.end() - len(match["unit"] or ""),
            op=_WORDS.get(word) or (Op.UNDER if LESS.search(word) else Op.OVER),
            low=_with_unit(match["low"], match["unit"]),
            measures=tuple(one for one in measures() if word.split()[0] in one.more | one.less),
        )
    for match in _BEHIND.finditer(text):
        word = match["word"].casefold()
        op = Op.UNDER if LESS.search(word) else Op.OVER
        if _MORE_BEHIND.search(word):
            op = Op.AT_LEAST
        elif _LESS_BEHIND.match(word):
            op = Op.AT_MOST
        low = _with_unit(match["low"], match["unit"])
        yield CellComparison(start=match.start(), end=match.end(), op=op, low=low)


def _with_unit(figure: str, unit: str | None) -> str:
    """Return a figure with what may be its unit, where it then is a number still."""
    figure = str(VALUES.get(figure.casefold(), "1" if figure[:1] in "aA" else figure))
    joined = f"{figure}{unit or ''}".strip()
    return joined if quantity(joined) is not None else figure.strip()


def relative_days(text: str, as_of: date | None) -> list[tuple[int, int, str]]:
    """Return where days stand that are told from `as_of`, and which: `2024`, `2024-05`.

    What cannot be told is empty: a week or a quarter is no day that a cell spells.
    """
    found: list[tuple[int, int, str]] = []
    for match in _RELATIVE.finditer(text):
        which, unit, korean = match["which"], match["unit"], (match["korean"] or "")
        name = korean.replace(" ", "")
        said = ""
        if as_of is not None and ((unit or "").casefold() == "year" or name in _RELATIVE_YEARS):
            step = _RELATIVE_YEARS[name] if name else _WHICH[which.casefold()]
            said = f"{as_of.year + step:04}"
        elif as_of is not None and ((unit or "").casefold() == "month" or name in _RELATIVE_MONTHS):
            step = _RELATIVE_MONTHS[name] if name else _WHICH[which.casefold()]
            months = as_of.year * 12 + as_of.month - 1 + step
            said = f"{months // 12:04}-{months % 12 + 1:02}"
        found.append((match.start(), match.end(), said))
    return found
