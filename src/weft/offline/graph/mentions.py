"""What in a question may be the name of something: runs of words, and those that surely are."""

from __future__ import annotations

from itertools import pairwise

from weft.domain.frozen import dataclass
from weft.language.hangul import has_hangul
from weft.language.patterns import pattern
from weft.language.terms import STOP_WORDS, plain
from weft.offline.question.names import NameToken, spans_beside, tokens, without_particle

_MOST_WORDS = 6
_MOST_NAMES, _MOST_SPELT = 150, 12
_QUOTED = pattern(r"[\"“「『']([^\"“”「」『』']{2,100})[\"”」』']")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    """Runs of words that a name may be, the longest first, and those that are written as one."""

    names: tuple[str, ...]
    spelt: tuple[str, ...]


def mentions_in(question: str) -> Mentions:
    """Return what may be a name in a question.

    A single word in small letters is none; in a script without capitals each may be.
    """
    words = tokens(question)
    runs: list[tuple[int, str]] = []
    for first in range(len(words)):
        for last in range(first, min(first + _MOST_WORDS, len(words))):
            if _is_broken(question, words[first : last + 1]):
                break
            text = question[words[first].start : words[last].end]
            if _may_name(text, last - first + 1):
                runs.append((last - first + 1, text))
    bare = [(size, without_particle(text)) for size, text in runs if has_hangul(text)]
    ordered = sorted((*runs, *bare), key=lambda run: -run[0])
    quoted = [found.strip() for found in _QUOTED.findall(question)]
    spelt = tuple(dict.fromkeys((*quoted, *spans_beside(question, []))))[:_MOST_SPELT]
    names = tuple(dict.fromkeys(text for _, text in ordered))
    return Mentions(names=names[:_MOST_NAMES], spelt=spelt)


def _is_broken(question: str, words: tuple[NameToken, ...]) -> bool:
    """Tell whether a sentence ends, or a comma stands, between two of the words."""
    return any(
        any(sign in question[one.end : two.start] for sign in ",;:?!\n")
        for one, two in pairwise(words)
    )


def _may_name(text: str, size: int) -> bool:
    inside = [plain(word) for word in text.split()]
    if not inside or inside[0] in STOP_WORDS or inside[-1] in STOP_WORDS:
        return False
    return size > 1 or has_hangul(text) or not text.islower() or any(map(str.isdigit, text))
