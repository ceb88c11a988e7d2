"""The cue phrases of an ontology, by their first word, and where they stand in a sentence."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from weft.domain.frozen import dataclass
from weft.language.hangul import has_hangul
from weft.ontology.schema import Ontology, Relation

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_NEGATIONS = frozenset(
    "not never no neither nor without isn't wasn't didn't doesn't cannot may might could would"
    " should if allegedly reportedly supposedly almost nearly".split()
)
_BEFORE_CUE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A phrase that states relations; `inverse` when the object stands before it."""

    words: tuple[str, ...]
    relation: Relation
    inverse: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KoreanCue:
    """A Korean phrase that states a relation; `inverse` when who does it is the object."""

    phrase: str
    relation: Relation
    inverse: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CueBook:
    """The cues of an ontology: by first word, the longest first, and the Korean phrases."""

    by_word: Mapping[str, tuple[Cue, ...]]
    korean: tuple[KoreanCue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedCue:
    """A cue at its place in a text."""

    cue: Cue
    start: int
    end: int


@functools.lru_cache(maxsize=16)
def cue_book(ontology: Ontology) -> CueBook:
    """Return the cues of an ontology; a Korean phrase keeps its own spelling and order."""
    by_word: defaultdict[str, list[Cue]] = defaultdict(list)
    korean: list[KoreanCue] = []
    for relation in ontology.relations:
        for inverse, phrases in ((False, relation.cues), (True, relation.inverse_cues)):
            for phrase in phrases:
                if has_hangul(phrase):
                    korean.append(KoreanCue(phrase=phrase, relation=relation, inverse=inverse))
                else:
                    words = tuple(WORD.findall(phrase))
                    if not words:  # signs alone, as an ontology of somebody may have them
                        continue
                    by_word[words[0]].append(Cue(words=words, relation=relation, inverse=inverse))
    return CueBook(
        by_word={
            word: tuple(sorted(cues, key=lambda cue: -len(cue.words)))
            for word, cues in by_word.items()
        },
        korean=tuple(sorted(korean, key=lambda cue: -len(cue.phrase))),
    )


def placed_cues(sentence: str, book: CueBook) -> Iterator[PlacedCue]:
    """Yield the cues of a sentence that it neither denies nor doubts.

    Of one relation the longest phrase counts; `was founded by X in 1998` states two.
    """
    words = [(match[0].casefold(), match.start(), match.end()) for match in WORD.finditer(sentence)]
    at = 0
    while at < len(words):
        cues = list(_cues_at(words, at, book))
        doubted = bool(cues) and _is_doubted(
            [word for word, _, _ in words[max(0, at - _BEFORE_CUE) : at]]
        )
        for cue in () if doubted else cues:
            end = words[at + len(cue.words) - 1][2]
            yield PlacedCue(cue=cue, start=words[at][1], end=end)
        at += max((len(cue.words) for cue in cues), default=1)


def _cues_at(words: list[tuple[str, int, int]], at: int, book: CueBook) -> Iterator[Cue]:
    stated: set[str] = set()
    for cue in book.by_word.get(words[at][0], ()):
        spoken = tuple(word for word, _, _ in words[at : at + len(cue.words)])
        if spoken == cue.words and cue.relation.name not in stated:
            stated.add(cue.relation.name)
            yield cue


def _is_doubted(before: list[str]) -> bool:
    return any(word in _NEGATIONS or word.endswith(("n't", "n’t")) for word in before)
