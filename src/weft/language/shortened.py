"""What names of columns shorten words to, and words that they write together."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from weft.domain.outside.shipped import shipped_text
from weft.language.kin import kin_of, kin_words

_SHORTEST_PART, _SHORTEST_JOINED = 2, 6
_KNOWN_PART = 4


@lru_cache(maxsize=16384)
def spelt_out(word: str) -> tuple[str, ...]:
    """Return the words that one of a name stands for: `wt` weight, `bodywt` body and weight."""
    short = _short()
    if word in short:
        return short[word]
    if len(word) < _SHORTEST_JOINED or not word.isascii() or not word.isalpha() or kin_of(word):
        return (word,)
    for at in range(len(word) - _SHORTEST_PART, _SHORTEST_PART - 1, -1):
        left, right = word[:at], word[at:]
        if _is_part(left) and _is_part(right) and max(len(left), len(right)) >= _KNOWN_PART:
            return (*short.get(left, (left,)), *short.get(right, (right,)))
    return (word,)


def _is_part(word: str) -> bool:
    return word in _short() or (len(word) >= _KNOWN_PART - 1 and word in kin_words())


@lru_cache(maxsize=1)
def _short() -> Mapping[str, tuple[str, ...]]:
    text = shipped_text("weft.language", "short.txt")
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {short: tuple(words) for short, *words in rows}
