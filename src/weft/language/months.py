"""Months and weekdays: their names, how English shortens them, how a text has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_KOREAN_WEEKDAYS = "월화수목금토일"
# The first three letters of each, in order.
BEGINNINGS = tuple(name[:3] for name in MONTHS)
# What is written short: "may" is no abbreviation.
ABBREVIATED = frozenset({*BEGINNINGS, "sept"} - set(MONTHS))
# Every spelling, folded and without a stop, and the month's number.
NUMBERS: Mapping[str, int] = {
    **{name: number for number, name in enumerate(MONTHS, start=1)},
    **{name: number for number, name in enumerate(BEGINNINGS, start=1)},
    "sept": 9,
}
# Also ordinary words and names: a month only beside a figure.
ALSO_WORDS = frozenset({"may", "march", "mar", "jan", "dec", "jun", "sep"})


def _spellings(name: str) -> str:
    """Return a pattern of a month's name and its short forms, with a capital."""
    short, rest = name[:3].capitalize(), name[3:]
    rests = [rest, "t"] if name == "september" else [rest]
    return f"{short}(?:{'|'.join(rests)})?" if rest else short


# Parts of regular expressions, for a group of their own: names with a capital; those and short
# forms with a capital; anything that begins like a month (for a pattern without case).
NAMES_PATTERN = "|".join(name.capitalize() for name in MONTHS)
SPELLINGS_PATTERN = "|".join(map(_spellings, MONTHS))
BEGINNINGS_PATTERN = "|".join(BEGINNINGS)


def names_of_days() -> Iterator[list[str]]:
    """Yield what each month and each weekday is called, in full, shortened and in Korean."""
    for number in range(1, len(MONTHS) + 1):
        spelt = dict.fromkeys(name.capitalize() for name, own in NUMBERS.items() if own == number)
        yield [*spelt, f"{number}월"]
    for name, korean in zip(WEEKDAYS, _KOREAN_WEEKDAYS, strict=True):
        yield [name.capitalize(), name[:3].capitalize(), f"{korean}요일", korean]
