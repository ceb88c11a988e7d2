"""Whether two things are both what a question says: "Are A and B both Danish directors?"

"Yes" where a sentence about each says all of it. "No" only by the country: what calls a thing Dutch
and not Danish says so, while a thing may be much that its passage does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from weft.domain.frozen import dataclass
from weft.language.patterns import pattern
from weft.language.terms import STOP_WORDS, plain, word_terms, words
from weft.offline.chains.chains import Desktop
from weft.offline.chains.pairs import read_pair
from weft.offline.choice.computed import Computed
from weft.offline.evidence.passages import Candidate
from weft.offline.evidence.values import countries, country
from weft.offline.question.names import key_of
from weft.offline.question.question import occurs

_BE = pattern(r"(?:are|were|is|was)\b", re.IGNORECASE)
_DEFINES = pattern(r"\b(?:is|was|are|were)\s+(?:an?|the|one of)\b", re.IGNORECASE)
_ASIDE = pattern(r"\([^()]*\)")
# What compares is read elsewhere; what denies or wants a choice has no plain yes.
_OTHER = pattern(r"\b(?:same|similar|different|not|never|no longer|or|than|still)\b", re.IGNORECASE)
# Behind these a thing's own kind is over: "a friend of film directors" is none.
_BEYOND = pattern(
    r"\b(?:of|for|in|at|on|with|by|from|to|who|whom|whose|which|that|where)\b", re.IGNORECASE
)
_AGAIN = pattern(r"(?:He|She|It|They)\b")
_SMALL = frozenset({"both", "all", "each", "considered", "known", "based", "also", "type", "kind"})
_FIRST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    """What things are said to be: countries by number, the stems of all other words.

    `own` are the stems of what must be the thing's own kind: the last word before "of", "for" ...;
    where there is none of these at all, so must be the countries (`is_plain`).
    """

    countries: frozenset[int]
    stems: frozenset[str]
    own: frozenset[str]
    is_plain: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    is_so: bool
    sentence: Candidate


def both_are(question: str, desk: Desktop) -> Computed | None:
    """Return whether two things are both of a sort; None where that is not asked, or not said."""
    pair = read_pair(question)
    sort = read_sort(pair.rest) if pair and not pair.chooses and _BE.match(question) else None
    if pair is None or sort is None:
        return None
    found = [_judged(name, sort, desk) for name in pair.names]
    said = [one for one in found if one is not None]
    if all(one.is_so for one in said) and len(said) < len(found):
        return None
    short = "yes" if all(one.is_so for one in said) else "no"
    return Computed(short=short, sentences=tuple(one.sentence for one in said))


def read_sort(rest: str) -> Sort | None:
    """Return what is said of two things behind their names, None where it is no sort of thing."""
    if _OTHER.search(rest):
        return None
    known, left = countries(rest)
    sort = Sort(
        countries=known,
        stems=_stems(left),
        own=_stems(" ".join(_told(_before(left))[-1:])),
        is_plain=not _BEYOND.search(left),
    )
    return sort if sort.stems or known else None


def _told(text: str) -> list[str]:
    content = (plain(word) for word in words(text))
    return [word for word in content if word not in STOP_WORDS | _SMALL]


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem for word in _told(text) for stem in word_terms(word))


def _before(text: str) -> str:
    beyond = _BEYOND.search(text)
    return text[: beyond.start()] if beyond else text


def _judged(name: str, sort: Sort, desk: Desktop) -> _Verdict | None:
    """Return whether a thing is of a sort; of several of one name, all must not be for a "no"."""
    ends = desk.known.get(key_of(name), ())
    against: list[Candidate] = []
    for end in ends:
        sentences = desk.sentences(end)
        said = next((one for at, one in enumerate(sentences) if _says(one, sort, place=at)), None)
        if said is not None:
            return _Verdict(is_so=True, sentence=said)
        against += _belying(sentences, sort)
    whole = bool(ends) and len(against) == len(ends)
    return _Verdict(is_so=False, sentence=against[0]) if whole else None


def _says(sentence: Candidate, sort: Sort, *, place: int) -> bool:
    """Tell whether a sentence defines its thing as one of the sort."""
    defines = _DEFINES.search(sentence.text)
    if defines is None or not (place < _FIRST or _AGAIN.match(sentence.text)):
        return False
    kind = _before(sentence.text[defines.end() :])
    known, _ = countries(kind if sort.is_plain else _ASIDE.sub(" ", sentence.text))
    own = _stems(kind)
    return (
        sort.countries <= known
        and all(occurs(stem, own) for stem in sort.own)
        and all(occurs(stem, sentence.stems) for stem in sort.stems)
    )


def _belying(sentences: Sequence[Candidate], sort: Sort) -> Iterator[Candidate]:
    """Yield the sentence that defines a thing as one of other countries alone."""
    defining = next((one for one in sentences[:_FIRST] if _DEFINES.search(one.text)), None)
    if defining is None or not sort.countries or not sort.is_plain:
        return  # who is called Dutch may well have been born in Denmark
    value = country([defining])
    known, _ = countries(defining.text)
    if value is not None and sort.countries.isdisjoint(known):
        yield defining
