"""How sheets show numbers: as moments, shares, amounts of a currency, or with leading zeros."""

from __future__ import annotations

import re

from weft.adapters.reader.column_names import CURRENCY_CODES
from weft.domain.frozen import dataclass
from weft.language.hangul import SYLLABLES, has_hangul

# Built-in formats of dates and times; 27 to 36 and 50 to 58 are those of Korean and its neighbours.
_DATE_FORMATS = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_SHARE_FORMATS = frozenset({9, 10})
# What programs that write no code for these mean by them; others write the code of their country.
_DOLLAR_FORMATS = frozenset({5, 6, 7, 8, 42, 44})
_TIME_FORMATS = {18: "h:mm", 19: "h:mm:ss", 20: "h:mm", 21: "h:mm:ss", 45: "mm:ss", 47: "mm:ss"}
_BUILT_IN = {22: "m/d/y h:mm", 46: "[h]:mm:ss", 32: "h:mm", 33: "h:mm:ss"}
_SAID_ASIDE = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_PIECE = re.compile(
    r"\[\$(?P<currency>[^\]-]*)(?:-(?P<country>[^\]]*))?\]|\[[^\]]*\]|[_*].|\"(?P<quoted>[^\"]*)\""
    r"|\\(?P<escaped>.)|(?P<digit>[0#?]|general)|(?P<sign>[ $€£¥￥₩￦₹₽₺₫₴₪฿₱₦])|.",
    re.IGNORECASE | re.DOTALL,
)
_LEADING_ZEROS = re.compile(r"0{2,30}")
_SIGNS = frozenset("€$£¥₩₹")
# Signs that are read by their codes, as those of several countries are told apart.
_CODES = {
    "US$": "USD", "CA$": "CAD", "C$": "CAD", "AU$": "AUD", "A$": "AUD", "NZ$": "NZD", "R$": "BRL",
    "HK$": "HKD", "NT$": "TWD", "S$": "SGD", "MX$": "MXN", "RMB": "CNY", "元": "CNY", "円": "JPY",
    "￥": "¥", "￦": "₩", "₽": "RUB", "₺": "TRY", "₫": "VND", "₴": "UAH", "₪": "ILS", "฿": "THB",
    "₱": "PHP", "₦": "NGN",
}  # fmt: skip
_CHINESE = "804"
_WON = "원"
_WORDS = frozenset({"kr", "zł", "kč", "ft", "fr", "lei", _WON})
# Units behind a number: of measures, and what Korean counts by.
_MEASURE = re.compile(
    rf"[{SYLLABLES}]{{1,4}}|[kmc㎏]?g|[kmc]?m[²³]?|[㎏㎎㎜㎝㎞㎡㎥㎖℃%‰]|t|[mk]?l|h|hrs?|min|[kmgt]b|[km]?wh?"
    r"|°c|ea|box",
    re.IGNORECASE,
)
# A comma behind the digits shows thousands of what is stored; a condition leaves others out.
_OTHERWISE = re.compile(r"[0#?],+(?![0#?.,])|\[[<>=]")
DIGITS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberFormat:
    """How a cell shows its number; of these at most one.

    `moment` are the marks of a day or time, `unit` is a unit that stands behind the number or
    a currency before it (`is_before`), `digits` is how many there are at least.
    """

    moment: str = ""
    is_share: bool = False
    unit: str = ""
    is_before: bool = False
    digits: int = 0


PLAIN = NumberFormat()


def built_in(number: int) -> NumberFormat:
    """Return the format that has no code of its own in the file."""
    if number in _SHARE_FORMATS:
        return NumberFormat(is_share=True)
    if number in _DOLLAR_FORMATS:
        return NumberFormat(unit="$", is_before=True)
    if number not in _DATE_FORMATS:
        return PLAIN
    moment = _BUILT_IN.get(number) or _TIME_FORMATS.get(number, "yyyy-mm-dd")
    return NumberFormat(moment=moment)


def format_of(code: str) -> NumberFormat:
    """Return what a format's code says of numbers above nothing."""
    section = code.partition(";")[0]
    marks = _SAID_ASIDE.sub("", section).casefold()
    if marks.endswith("%"):
        return NumberFormat(is_share=True)
    if "general" not in marks and any(mark in marks for mark in "ymdhs"):
        return NumberFormat(moment=marks)
    if _LEADING_ZEROS.fullmatch(section):
        return NumberFormat(digits=len(section))
    return _currency(section)


def _currency(section: str) -> NumberFormat:
    before, after = list[str](), list[str]()
    said = before
    for piece in _PIECE.finditer(section):
        if piece["digit"]:
            said = after
        elif piece["currency"]:
            unit = _unit(piece["currency"], country=piece["country"] or "")
            return NumberFormat(unit=unit, is_before=said is before)
        else:
            said.append(piece["quoted"] or piece["escaped"] or piece["sign"] or "")
    for pieces in (before, after):
        text = "".join(pieces).strip()
        unit = _unit(text)
        if unit in _SIGNS or unit in CURRENCY_CODES or unit.casefold() in _WORDS:
            return NumberFormat(unit=unit, is_before=pieces is before)
    counted = "".join(after).strip()
    is_one = not "".join(before).strip() and _MEASURE.fullmatch(counted) is not None
    return NumberFormat(unit=counted) if is_one and not _OTHERWISE.search(section) else PLAIN


def _unit(said: str, *, country: str = "") -> str:
    text = said.strip().rstrip(".")
    unit = _CODES.get(text, text)
    if unit == "¥" and country.endswith(_CHINESE):
        return "CNY"
    return unit.upper() if unit.upper() in CURRENCY_CODES else unit


def amount(number: float, unit: str, *, is_before: bool = False) -> str:
    """Return a number with its unit: `$200`, `100 EUR`, `12개`; only a sign stands before it."""
    if is_before and unit in _SIGNS:
        return f"{'-' if number < 0 else ''}{unit}{abs(number)}"
    return f"{number}{unit}" if has_hangul(unit) and unit != _WON else f"{number} {unit}"


def share(number: float) -> str:
    """Return a share as sheets show it: `25%` for 0.25."""
    percent = rounded(number * 100)
    return f"{int(percent) if percent.is_integer() else percent}%"


def rounded(number: float) -> float:
    """Return a number with the digits that sheets keep, so that 0.1 + 0.2 is 0.3."""
    return float(f"{number:.{DIGITS}g}")
