"""Dates, amounts and identifiers in a text: what is found by its form alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from weft.domain.frozen import dataclass
from weft.language import months, numerals

_MONTH = rf"(?:{months.SPELLINGS_PATTERN})\b\.?"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?:1\d{3}|20\d{2})"
_SPAN = r"(?:\s?[-–—/]\s?(?:1\d{3}|20\d{2}|\d{2})(?!\d|[-/.]\d))?"
_ERA = r"(?:\s(?:BCE?|CE|AD)\b)?"
_PART = r"(?:(?:early|mid|late)(?:[\s-]+to[\s-]+(?:mid|late))?(?:\s?-\s?|\s))?"
_NOT_A_MEASURE = (
    r"(?!\s?(?:%|percent\b|bytes?\b|[kKMG]i?B\b|km\b|m\b|kg\b|MHz\b|tokens?\b|words?\b"
    r"|people\b|[-\w]*inhabitants\b|lines?\b|pages?\b|characters?\b|items?\b))"
)
# The centuries that texts write out.
_CENTURIES = "|".join([*numerals.ORDINALS[11:], "twenty-first"])
_DATE = re.compile(
    rf"""(?<![\w.\-/+,:])(?:
      {_YEAR}-\d{{2}}-\d{{2}}
        (?:[T ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?(?:Z|[+-]\d{{2}}:?\d{{2}})?)?
    | {_YEAR}/\d{{1,2}}/\d{{1,2}}
    | {_YEAR}\.\s?\d{{1,2}}\.\s?\d{{1,2}}\.?
    | {_YEAR}년(?:\s?\d{{1,2}}월(?:\s?\d{{1,2}}일)?)?
    | \d{{1,2}}월\s?\d{{1,2}}일
    | {_DAY}(?:\s?[-–]\s?{_DAY})?\s(?:of\s)?{_MONTH}(?:,?\s{_YEAR})?
    | {_PART}{_MONTH}\s{_DAY}(?:\s?[-–]\s?{_DAY})?(?:\s?,\s?{_YEAR}|\s{_YEAR})?(?!\w)
    | {_PART}{_MONTH}(?:,?\s(?:of\s)?{_YEAR})
    | (?:[Ss]pring|[Ss]ummer|[Aa]utumn|[Ff]all|[Ww]inter)\s(?:of\s)?{_YEAR}
    | {_PART}{_YEAR}s\b
    | {_PART}{_YEAR}{_SPAN}{_ERA}{_NOT_A_MEASURE}
    | {_PART}(?:\d{{1,2}}(?:st|nd|rd|th)|{_CENTURIES})[\s-]+century{_ERA}
    )(?![A-Za-z0-9_%]|[.,]\d|-\d)""",
    re.VERBOSE,
)
_LONE_MONTH = re.compile(rf"(?<=\b(?:in|by|of)\s)(?:{months.NAMES_PATTERN})\b(?!\s[A-Z])")
_MANY = rf"(?:\s(?:{numerals.MAGNITUDES_PATTERN})|\s?(?:bn|mn)\b|[kKMB]\b)?"
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_UNITS = (
    r"percent|per\scent|dollars|euros|pounds|won|yen|USD|EUR|KRW|GBP|JPY"
    r"|years?|months?|weeks?|days?|hours?|minutes?|seconds?|ms"
    r"|km²|km2|km|kilomet(?:er|re)s?|met(?:er|re)s?|miles?|feet|ft|cm|mm|acres|hectares|square\s\w+"
    r"|kg|kilograms?|tons?|tonnes?|lbs?|GB|MB|KB|TB|GiB|MiB|KiB|bytes|GHz|MHz|kW|MW|°C|°F"
)
_AMOUNT = re.compile(
    rf"""(?<![\w.\-/])(?:
      (?:US|A|C|HK)?[$€£¥₩]\s?(?:{_NUMBER}){_MANY}
    | (?:{_NUMBER})\s?[%‰]
    | (?:{_NUMBER}){_MANY}[\s-](?:{_UNITS})(?![\w-])
    | (?:{_NUMBER})(?:GB|MB|KB|TB|GiB|MiB|KiB|km|kg|ms|GHz|MHz)(?!\w)
    | (?:{_NUMBER})\s(?:{numerals.MAGNITUDES_PATTERN})\b
    | (?:{_NUMBER})\s?(?:조|억|만|천)?\s?(?:원|달러|유로|엔|퍼센트|명|킬로미터|미터|킬로그램)
    )""",
    re.VERBOSE,
)
_DIGIT = re.compile(r"\d")
# Each with a character without which it cannot be there: most texts need few of them.
_IDENTIFIERS = (
    ("://", re.compile(r"\bhttps?://[^\s<>\"'`\])}]+[^\s<>\"'`\])}.,;:!?]")),
    ("@", re.compile(r"(?<![\w.+-])[A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")),
    ("-", re.compile(r"(?<![\w/.-])[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,6}(?![\w-]|\.\d)")),
    ("10.", re.compile(r"(?<![\w/])10\.\d{4,9}/[-._;()/:A-Za-z0-9]+[A-Za-z0-9]")),
    ("-", re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")),
    (
        ".",
        re.compile(
            r"(?<![\w.,/$€£¥-])(?:v\d+\.\d+|\d+\.\d+\.\d+)(?:\.\d+)*"
            r"(?:[-.]?(?:rc|alpha|beta|dev|post|a|b)\.?\d*)?(?![\w/]|\.\d)"
        ),
    ),
    ("/", re.compile(r"(?<![\w:/.~<])(?:~|\.{1,2})?(?:/[\w.+-]+){2,}/?")),
    ("/", re.compile(r"(?<![\w:/.~-])(?:[\w.-]{1,64}/)+[\w-]+\.[a-z]{1,5}(?![\w/])")),
)


_NEVER_KEYS = frozenset(
    """
    UTF UCS SHA MD AES DES RSA ECDSA SHAKE BLAKE CRC TLS SSL ISO IEC IEEE ANSI ECMA DIN EN BS
    JIS KS RFC PEP CVE CWE GHSA COVID SARS HTTP IPV IP LATIN CP WINDOWS KOI ASCII BASE GPT BERT
    LLAMA GPL LGPL AGPL MPL EPL EUPL CDDL BSD MIT APACHE PSF CC ZPL ARTISTIC RTX GTX ARM X86 AMD
    MP MPEG H JPEG AVX SSE MAY Q1 Q2 Q3 Q4 FY
    CD DVD USB PCI DDR HTML CSS XML JSON YAML SQL OAUTH WCAG PY PYTHON CPYTHON C F STEP PHASE
    TOP VITAMIN TYPE CLASS LEVEL GRADE MANYLINUX MUSLLINUX MACOSX
    """.split()
).union(name.upper() for name in months.ABBREVIATED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteralSpan:
    """A stretch of text with its class: `date`, `amount` or `identifier`; never a name."""

    start: int
    end: int
    entity_class: str


def literals(text: str) -> list[LiteralSpan]:
    """Return the dates, amounts and identifiers of a text in order, none within another."""
    found = sorted(_all(text), key=lambda each: (each.start, -each.end))
    kept: list[LiteralSpan] = []
    for each in found:
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept


def _all(text: str) -> Iterator[LiteralSpan]:
    if _DIGIT.search(text):
        for pattern, entity_class in ((_AMOUNT, "amount"), (_DATE, "date")):
            for match in pattern.finditer(text):
                yield LiteralSpan(start=match.start(), end=match.end(), entity_class=entity_class)
    for match in _LONE_MONTH.finditer(text):
        yield LiteralSpan(start=match.start(), end=match.end(), entity_class="date")
    for needed, pattern in _IDENTIFIERS:
        for match in pattern.finditer(text) if needed in text else ():
            if not is_common_code(match[0]):
                yield LiteralSpan(start=match.start(), end=match.end(), entity_class="identifier")


def is_common_code(text: str) -> bool:
    """Tell whether a text that looks like an issue key is a standard's or a year's name instead."""
    prefix, dash, number = text.partition("-")
    return bool(dash) and number.isdigit() and prefix.upper() in _NEVER_KEYS
