"""The words of a question and their pieces, as what a learned score may know them by."""

from __future__ import annotations

import re
from itertools import pairwise

from weft.language.hangul import SYLLABLES, has_hangul

# What a question is told from; the rest of a long one says what it is about.
READ = 600
_WORDS = re.compile(rf"[a-z]+|[{SYLLABLES}]+|\d|\?|'s\b")
_LATIN_PIECES, _HANGUL_PIECES = (3, 4), (2, 3)
_SHORT = 3


def words_of(question: str) -> frozenset[str]:
    """Return what stands in a question: its words, pairs of them, and pieces of each.

    Pieces know a word that is misspelt or has a particle; a digit is as good as any other.
    """
    said = " ".join(question[:READ].lower().split())
    words = ["#" if word.isdigit() else word for word in _WORDS.findall(said)]
    bounded = ["^", *words, "$"]
    pairs = {f"{one} {two}" for one, two in pairwise(bounded)}
    return frozenset({*words, *pairs, *(piece for word in words for piece in _pieces(word))})


def _pieces(word: str) -> list[str]:
    """Return the pieces of a word with its bounds, marked so that no piece is taken for a word."""
    if not has_hangul(word) and len(word) <= _SHORT:
        return []
    whole = f"<{word}>"
    lengths = _HANGUL_PIECES if has_hangul(word) else _LATIN_PIECES
    return [
        f"~{whole[at : at + length]}" for length in lengths for at in range(len(whole) - length + 1)
    ]
