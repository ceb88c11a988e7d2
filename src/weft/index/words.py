"""Words of a text with their place, and the runs of capitalised words among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.language import months
from weft.language.patterns import pattern
from weft.language.terms import STOP_WORDS, plain

WORD = pattern(r"[^\W_]+(?:['’][^\W\d_]+)?")
_BLANKS = " \t\n"
_JOINS = frozenset("-‐–'’.&/")
_CONNECTORS = frozenset(
    """of de von van der den del della di da du la le el al bin ibn the and y e for on in at
    to""".split()
)
_ARTICLES = frozenset({"the", "a", "an"})
MAX_WORDS = 8


class SurfaceWord(NamedTuple):
    """A word as it stands in the text, with its offsets and its sentence.

    A tuple, because a document has thousands: it is made in a third of the time of a class.
    """

    surface: str
    word: str
    start: int
    end: int
    sentence: int
    flagged: bool
    initial: bool


@dataclass(frozen=True, slots=True)
class WordRun:
    """Neighbouring words of one sentence that may be one name."""

    words: tuple[SurfaceWord, ...]


def split_words(text: str, sentences: Sequence[Span]) -> list[SurfaceWord]:
    """Return the words of a text; `initial` tells the first of its sentence."""
    found: list[SurfaceWord] = []
    at, last = 0, -1
    for match in WORD.finditer(text):
        while at < len(sentences) and match.start() >= sentences[at].end:
            at += 1
        sentence = min(at, max(len(sentences) - 1, 0))
        surface = match.group()
        word = plain(surface)
        if not word:
            continue
        flagged = surface[0].isupper() or surface[0].isdigit()
        found.append(
            SurfaceWord(
                surface, word, match.start(), match.end(), sentence, flagged, sentence != last
            )
        )
        last = sentence
    return found


def key_of(words: Sequence[SurfaceWord]) -> str:
    """Return the key of some words: normalised, without a leading article."""
    parts = [word.word for word in words]
    if len(parts) > 1 and parts[0] in _ARTICLES:
        parts = parts[1:]
    return " ".join(parts)


def runs(text: str, words: Sequence[SurfaceWord]) -> list[WordRun]:
    """Return the maximal runs of capitalised words of one sentence each, connectors inside."""
    found: list[WordRun] = []
    current: list[SurfaceWord] = []
    for word in words:
        capital = word.surface[0].isupper() or (bool(current) and word.flagged)
        joined = bool(current) and _joined(text, current[-1], word)
        if current and (not joined or not (capital or word.word in _CONNECTORS)):
            found.extend(closed(current))
            current = []
        if capital or (current and word.word in _CONNECTORS):
            current.append(word)
    found.extend(closed(current))
    return found


def _joined(text: str, left: SurfaceWord, right: SurfaceWord) -> bool:
    if left.sentence != right.sentence:
        return False
    gap = text[left.end : right.start]
    bare = gap.strip(_BLANKS)
    return bare in _JOINS if bare else bool(gap)


def closed(current: Sequence[SurfaceWord]) -> Iterable[WordRun]:
    """Yield the run of some words without trailing connectors, if a name is left."""
    while current and not current[-1].flagged:
        current = current[:-1]
    if current:
        yield WordRun(tuple(current[:MAX_WORDS]))


def is_nothing(key: str) -> bool:
    """Tell whether a key is only numbers, parts of dates, or stop words."""
    return all(
        part.isdigit() or part in months.NUMBERS or part in STOP_WORDS or len(part) < 2
        for part in key.split()
    )
