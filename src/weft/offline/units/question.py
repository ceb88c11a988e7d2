"""A question as units are compared with it: its stems in order, what each weighs, what it asks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import sheet
from weft.language.hangul import SYLLABLE
from weft.language.patterns import needing_pattern, pattern
from weft.language.terms import STOP_WORDS, plain, word_terms, words
from weft.offline.question.names import key_of, spans_beside
from weft.offline.question.question import spelt
from weft.offline.units.kinds import AskedKind, kind_of
from weft.offline.units.read_unit import PREFIX_OF_WORD
from weft.retrieval.hits import QuestionTerm

Doubles = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]

# In a small base "many" is rare, in the language it is not: the two are mixed.
_RARE = 0.75
_OVER = 0.3
_ASKING_WEIGHT = 0.15
ASKING = frozenset(
    """many much long often get gets got list name named names kind kinds type types tell give show
    find call called know known use used say said mean means happen happened take took make made
    describe explain currently""".split()
)
_FOCUS = needing_pattern(
    r"\b(?:what|which|how many|how much|whose)\b(?:\s+(?:is|are|was|were|of))*(?:\s+(?:the|an?))?"
    r"((?:\s+[\w'-]+){1,3})",
    *("what", "which", "how", "whose"),
    flags=re.IGNORECASE,
)
_FOCUS_WORDS = 2
# "the X of Y", "Y's X", "Y의 X": what is asked of something named.
_ATTRIBUTE = needing_pattern(
    r"\b(?:the|an?)\s+((?:[\w-]+\s+)?[\w-]+)\s+(?:of|for)\s+(?:\S+\s*){1,5}\??$"
    r"|[A-Z0-9]\w*['’]s?\s+((?:[\w-]+\s+)?[\w-]+)\?*$"
    rf"|의\s+({SYLLABLE}{{2,}}?)(?:은|는|이|가|을|를)\s+[^의]*$",
    *("of", "for", "'", "’", "의"),
    flags=re.IGNORECASE,
)
_PREFIXED = needing_pattern(PREFIX_OF_WORD, "-", flags=re.IGNORECASE)
_FOREIGN = 0.8
_LAST_LATIN = "\u0250"
_CAPITAL = pattern(r"[A-ZÀ-Þ]|.*\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitQuestion:
    """A question's stems in order, each once, with what is known of them.

    `weights` are float64[stems], `unseen` marks those that no readable passage has, `names` those
    of names and figures, `focus` those of the thing asked for. `is_latin` tells whether the local
    embedder reads most of it; `spans` are the keys of the names that it gives whole.
    """

    stems: tuple[str, ...]
    weights: Doubles
    unseen: Marks
    names: Marks
    focus: Marks
    kind: AskedKind
    is_latin: bool
    spans: tuple[str, ...]

    @property
    def is_foreign(self) -> bool:
        """Tell whether hardly a word of it stands anywhere: then nothing found speaks of it."""
        return float(self.weights[self.unseen].sum()) > _FOREIGN * self.total

    @property
    def is_of_strangers(self) -> bool:
        """Tell whether it is foreign and names what stands nowhere: no other words say that."""
        return self.is_foreign and bool((self.unseen & self.names).any())

    @property
    def total(self) -> float:
        """Return what all stems weigh together, never zero."""
        return float(self.weights.sum()) or 1.0


def read_question(text: str, known: Sequence[QuestionTerm]) -> UnitQuestion:
    """Return a question as it is compared; `known` says how rare its words are in the documents."""
    by_stem = {term.stem: term for term in known}
    said: dict[str, tuple[str, str]] = {}
    for word in words(_PREFIXED.sub(lambda match: match[0].replace("-", ""), text)):
        for stem in word_terms(word):
            said.setdefault(spelt(stem), (stem, word))
    stems, written = tuple(said), [word for _, word in said.values()]
    terms = [by_stem.get(stem) for stem, _ in said.values()]
    focus = _focus(text)
    first = next(iter(words(text)), "")
    return UnitQuestion(
        stems=stems,
        weights=np.array(
            [
                _weight(stem, word, term.idf if term else 1.0)
                for (stem, word), term in zip(said.values(), terms, strict=True)
            ],
            dtype=np.float64,
        ),
        unseen=np.array([term is not None and not term.df for term in terms], dtype=bool),
        names=np.array([one != first and bool(_CAPITAL.match(one)) for one in written], dtype=bool),
        focus=np.array([one in focus for one in stems], dtype=bool),
        kind=kind_of(text),
        is_latin=_is_latin(text),
        spans=tuple(key for span in spans_beside(text, ()) if (key := key_of(span))),
    )


def _weight(stem: str, word: str, idf: float) -> float:
    usual = frequencies().get(stem, _RARE)
    weight = 0.5 * usual + 0.5 * min(idf, usual + _OVER)
    return weight * (_ASKING_WEIGHT if plain(word) in ASKING else 1.0)


def _is_latin(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(char < _LAST_LATIN for char in letters) > len(letters)


def _focus(text: str) -> frozenset[str]:
    """Return the stems of the thing behind "what" or "how many", or of what is asked of another."""
    match = _FOCUS.search(text)
    found: list[str] = []
    for word in words(match[1]) if match else ():
        if plain(word) in STOP_WORDS:
            break
        found.extend(word_terms(word))
    if not found and (of := _ATTRIBUTE.search(text)):
        found = [stem for word in words(of[of.lastindex or 0]) for stem in word_terms(word)]
    return frozenset(map(spelt, found[:_FOCUS_WORDS]))


@lru_cache(maxsize=1)
def frequencies() -> Mapping[str, float]:
    """Return the idf, 0 to 1, of the commonest English stems; all others are rare."""
    return {
        str(stem): float(idf) for stem, idf in sheet("weft.offline.units", "frequencies").items()
    }
