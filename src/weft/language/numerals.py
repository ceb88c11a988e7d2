"""Numbers in words, English and Korean, and what they are worth."""

from __future__ import annotations

from collections.abc import Mapping

from weft.language.patterns import pattern

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

# A part of regular expressions: an amount in Korean from its first figure to its last sign, such as
# "1억 2천만", "3억5,000만", "2만5천", "1만 2,500"; in Chinese signs as well: "3,200万".
_CHINESE = str.maketrans("十百千万萬億兆", "십백천만만억조")
_SIGNS = "십백천만억조十百千万萬億兆"
_FIGURE = r"\d[\d,]*(?:\.\d+)?"
KOREAN_AMOUNT_PATTERN = (
    rf"{_FIGURE}\s?[{_SIGNS}]+(?:\s?{_FIGURE}\s?[{_SIGNS}]+)*"
    r"(?:\s?\d{1,3}(?:,?\d{3})*(?![\d.,]\d))?"
)
_AMOUNT = pattern(KOREAN_AMOUNT_PATTERN)
_PART = pattern(rf"(?P<figure>{_FIGURE})|(?P<sign>[{_SIGNS}])")
_WITHIN = {"십": 10, "백": 100, "천": 1000}  # below each of the larger ones
_LEVEL = 10_000
_WHOLE = ("원", "円", "엔")


def korean_amount(text: str) -> tuple[float, float, int] | None:
    """Return what an amount at the beginning of a text is worth, its scale, and where it ends.

    The scale is what its last sign from 만 on is worth, 1 without such a one. "1억 2천" is
    1억 2천만, as it is said, unless a currency follows. None where no amount stands there, or its
    parts do not fall.
    """
    match = _AMOUNT.match(text)
    if match is None:
        return None
    read = _Amount()
    is_one = all(
        read.figure(float(part["figure"].replace(",", "")))
        if part["figure"]
        else read.sign(part["sign"].translate(_CHINESE))
        for part in _PART.finditer(match.group())
    )
    value = read.value(is_whole=text[match.end() :].lstrip().startswith(_WHOLE)) if is_one else None
    return None if value is None else (value, read.scale, match.end())


class _Amount:
    """An amount as it is read, sign by sign; each step tells whether it may still be one."""

    def __init__(self) -> None:
        self.scale = 1.0
        self._sum = self._section = 0.0
        self._figure: float | None = None
        self._within = _LEVEL

    def figure(self, value: float) -> bool:
        is_first = self._figure is None
        self._figure = value
        return is_first

    def sign(self, sign: str) -> bool:
        worth = _WITHIN.get(sign)
        if worth is not None:
            falls, self._within = worth < self._within, worth
            self._section += (1.0 if self._figure is None else self._figure) * worth
        else:
            worth = KOREAN_MAGNITUDES[sign]
            falls = self.scale == 1 or worth < self.scale
            self._sum += (self._section + (self._figure or 0.0) or 1.0) * worth
            self.scale, self._section, self._within = worth, 0.0, _LEVEL
        self._figure = None
        return falls

    def value(self, *, is_whole: bool) -> float | None:
        """Return what it is worth; `is_whole` where what stands last are single ones."""
        rest = self._section + (self._figure or 0.0)
        if self._figure is not None and self._figure >= self._within:
            return None
        if not rest or is_whole or self.scale <= _LEVEL:
            return self._sum + rest if self.scale == 1 or rest < self.scale else None
        if rest < _WITHIN["천"] and self._figure is not None:
            return None  # "3억 5" may be 3억 5천만
        return self._sum + rest * self.scale / _LEVEL
