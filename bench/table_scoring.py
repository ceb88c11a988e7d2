"""What an answer to a question of a table is worth: right, wrong, shown, beside it, or refused.

Numbers are equal where they agree as far as the answer's digits go and to a hundredth, whatever
their thousands signs and units; dates in any of the ways they are written; words without case.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from weft.language.periods import period_of
from weft.retrieval.tables.cells import day

Expected = list[str] | float | None


class Worth(StrEnum):
    """What came of a question.

    `right`: just the expected values, or nothing where the table does not hold it; `wrong`: stated
    as the short answer, and not it; `shown`: a cited sentence holds it, among other things;
    `beside`: sentences that do not hold it; `refused`: not answered, although the table does.
    """

    RIGHT = "right"
    WRONG = "wrong"
    SHOWN = "shown"
    BESIDE = "beside"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What an answer says: its few words, its sentences, and whether it answers at all."""

    short: str
    sentences: tuple[str, ...]
    refused: bool


_NUMBER = re.compile(r"[+-]?(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_NAMED = "|".join(f"{name}[a-z]*" for name in _MONTHS)
_DATES = (
    re.compile(r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})(?:[-/.](?P<d>\d{1,2}))?(?!\d)"),
    re.compile(r"(?P<y>\d{4})년 ?(?P<m>\d{1,2})월(?: ?(?P<d>\d{1,2})일)?"),
    re.compile(rf"(?P<y>\d{{4}})-(?P<n>{_NAMED})-(?P<d>\d{{1,2}})"),
    re.compile(rf"(?:(?P<d>\d{{1,2}})\.? )?(?P<n>{_NAMED}),? (?P<y>\d{{4}})"),
    re.compile(rf"(?P<n>{_NAMED}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y>\d{{4}})"),
)
_YES = re.compile(r"^(yes|no|네|예|아니\w*)\b")
_SAYS = {"네": "yes", "예": "yes"}
_HUNDREDTH = 0.01
_IN_UNIT = re.compile(r"(-?(?:0|[1-9]\d*)(?:\.\d+)?)\s?(?:°\s?[cf]?|(?<=\s)[a-z]{1,3})")


def plain(text: str) -> str:
    """Return words without case, the signs of Markdown and double spaces."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", unicodedata.normalize("NFKC", text))
    return " ".join(re.sub(r"[`*_]", "", text).casefold().split())


def _numbers(text: str) -> Iterator[tuple[float, int]]:
    """Yield the numbers of a text, each with how many decimals it is told to."""
    for found in _NUMBER.finditer(text):
        said = found.group().replace(",", "")
        yield float(said), len(said.partition(".")[2])


def _is_near(told: float, decimals: int, expected: float) -> bool:
    """Tell whether a number is the expected one, either of them rounded to its digits or not."""
    apart = abs(abs(told) - abs(expected))
    decimals = min(decimals, len(f"{expected:.6f}".rstrip("0").partition(".")[2]) or decimals)
    return apart <= 1e-6 or (
        apart <= 0.5 * 10**-decimals + 1e-9 and apart <= _HUNDREDTH * abs(expected)
    )


def dates(text: str) -> set[str]:
    """Return the days of a text as `2023-06-10`, its months as `2023-06`."""
    found: set[str] = set()
    for pattern in _DATES:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            named = parts.get("n")
            month = _MONTHS.index(named[:3]) + 1 if named else int(parts["m"])
            day = parts.get("d")
            found.add(f"{parts['y']}-{month:02d}" + (f"-{int(day):02d}" if day else ""))
    return found


def holds(text: str, value: str) -> bool:
    """Tell whether a text says a value, by its words or as the same date."""
    text, value = plain(text), plain(value)
    wanted = dates(value)
    if wanted:
        said = dates(text)
        return wanted <= said | {
            day[:7] for day in said if len(next(iter(wanted))) == len("2023-06")
        }
    if (period := period_of(value)) is not None:
        return any(period_of(word) == period for word in re.split(r"[,;\s]+", text))
    if (one := day(value)) is not None:
        return any(day(part) == one for part in re.split(r"[,;]\s*", text))
    if match := _IN_UNIT.fullmatch(value):  # what the table says no unit of may be told without
        return any(_is_near(number, digits, float(match[1])) for number, digits in _numbers(text))
    # A year is one with or without its sign.
    value = re.sub(r"^(\d{4})년$", r"\1", value)
    return re.search(rf"(?<![a-z0-9]){re.escape(value)}(?![a-z0-9])", text) is not None


def _has_number(text: str, expected: float) -> bool:
    return any(_is_near(told, decimals, expected) for told, decimals in _numbers(plain(text)))


def _extras(short: str, values: Sequence[str]) -> int:
    """Return how many things a short answer names beside the expected ones."""
    left = plain(short)
    for value in values:
        left = left.replace(plain(value), "", 1)
    parts = re.split(r"[,;·、\n]|\band\b|(?<=\S)(?:와|과) ", left)
    return sum(re.search(r"[^\W\d_]{2}", part) is not None for part in parts)


def _short_is_right(short: str, expected: list[str] | float) -> bool:
    """Tell whether the few words state just what is expected."""
    if not isinstance(expected, list):
        first = next(_numbers(plain(short)), None)
        return first is not None and _is_near(*first, expected)
    said = _YES.match(plain(short))
    if expected[0] in ("yes", "no"):
        return said is not None and _SAYS.get(
            said[1], said[1].replace("아니", "no")[:3]
        ).startswith(expected[0])
    return all(holds(short, value) for value in expected) and _extras(short, expected) <= 1


def _sentences_are_right(sentences: Sequence[str], expected: list[str] | float) -> bool:
    """Tell whether the cited rows hold each expected value, and none of them anything else."""
    if not isinstance(expected, list):
        return len(sentences) == 1 and _has_number(sentences[0], expected)
    each = [[holds(text, value) for value in expected] for text in sentences]
    return all(map(any, each)) and all(map(any, zip(*each, strict=True)))


def _only_counts(told: Told, expected: list[str] | float) -> bool:
    """Tell whether the few words say only how many values the cited rows list, and rightly."""
    said = list(_numbers(plain(told.short)))
    return isinstance(expected, list) and len(expected) > 1 and said == [(len(expected), 0)]


def is_shown(sentences: Sequence[str], expected: list[str] | float) -> bool:
    """Tell whether cited sentences hold what is expected, among other things."""
    if not isinstance(expected, list):
        return any(_has_number(text, expected) for text in sentences)
    return all(any(holds(text, value) for text in sentences) for value in expected)


def worth(told: Told, expected: Expected, *, is_computed: bool) -> Worth:
    """Return what an answer is worth; `is_computed`: no row says it, or says it by chance."""
    if told.refused:
        return Worth.RIGHT if expected is None else Worth.REFUSED
    if expected is None:
        return Worth.WRONG if told.short else Worth.BESIDE
    if told.short and not _only_counts(told, expected):
        return Worth.RIGHT if _short_is_right(told.short, expected) else Worth.WRONG
    if not is_computed and _sentences_are_right(told.sentences, expected):
        return Worth.RIGHT
    return Worth.SHOWN if is_shown(told.sentences, expected) else Worth.BESIDE
