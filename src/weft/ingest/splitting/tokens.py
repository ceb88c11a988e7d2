"""How many tokens a stretch of text has, by the offsets where its tokens end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from weft.language.patterns import pattern

TokenEnds = Callable[[str], Sequence[int]]

_PER_WORD = 1.3
# Scripts without spaces: each character counts as a word.
_WORD = pattern(r"[\u3040-\u30ff\u3400-\u9fff]|[^\s\u3040-\u30ff\u3400-\u9fff]+")
# Far more than any prose has; a word that a tokenizer takes for one token may be a megabyte long.
_CHARACTERS_A_TOKEN = 16


def word_ends(text: str) -> list[int]:
    """Return token ends where there is no tokenizer: each word counts 1.3."""
    ends: list[int] = []
    for number, word in enumerate(_WORD.finditer(text), 1):
        ends += [word.end()] * (round(number * _PER_WORD) - len(ends))
    return ends


class TokenOffsets:
    """Counts tokens between offsets of one text, and tells how far a budget of them reaches."""

    def __init__(self, ends: Sequence[int], budget: int) -> None:
        """Take the end offset of each token in order, and how many a chunk may hold."""
        self._ends = ends
        self.budget = budget

    def tokens(self, start: int, end: int) -> int:
        """Return how many tokens end after `start` and not after `end`."""
        return bisect_right(self._ends, end) - bisect_right(self._ends, start)

    def fits(self, start: int, end: int) -> bool:
        """Tell whether a chunk may hold the text between two offsets."""
        within = end - start <= self.budget * _CHARACTERS_A_TOKEN
        return within and self.tokens(start, end) <= self.budget

    def reach(self, start: int) -> int:
        """Return the last offset at which a token ends that a chunk from `start` may hold."""
        first = bisect_right(self._ends, start)
        last = min(first + self.budget, len(self._ends)) - 1
        if last >= first and bisect_right(self._ends, self._ends[last]) > first + self.budget:
            # Several tokens end here and not all of them fit.
            last = bisect_left(self._ends, self._ends[last]) - 1
        furthest = start + self.budget * _CHARACTERS_A_TOKEN
        return min(self._ends[last], furthest) if last >= first else furthest
