"""Numbers in words, English and Korean, and what they are worth."""

from __future__ import annotations

from collections.abc import Mapping

UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
# From "first" on.
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth", "twentieth",
)  # fmt: skip
MAGNITUDES: Mapping[str, int] = {
    "hundred": 100,
    "thousand": 1000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
    "trillion": 1_000_000_000_000,
}
KOREAN_MAGNITUDES: Mapping[str, int] = {
    "백": 100,
    "천": 1000,
    "만": 10_000,
    "억": 100_000_000,
    "조": 1_000_000_000_000,
    "십만": 100_000,
    "백만": 1_000_000,
    "천만": 10_000_000,
    "십억": 1_000_000_000,
    "백억": 10_000_000_000,
    "천억": 100_000_000_000,
}
SCALES: Mapping[str, int] = {**MAGNITUDES, **KOREAN_MAGNITUDES}
# Native Korean from one to ten, as they stand before a counter.
KOREAN = ("한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열")

# Single words and their values, folded.
VALUES: Mapping[str, int] = {
    **{word: value for value, word in enumerate(UNITS)},
    **{word: value * 10 for value, word in enumerate(TENS, start=2)},
}
KOREAN_VALUES: Mapping[str, int] = {word: value for value, word in enumerate(KOREAN, start=1)}

# A part of a regular expression, for a group of its own.
MAGNITUDES_PATTERN = "|".join(MAGNITUDES)
