"""The one analyser of text, for every backend: words, stems, and what is kept whole.

NFKC, case folding, English stems by Snowball, Korean and other CJK as character bigrams,
identifiers (issue keys, versions, paths) kept whole beside their parts.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import Stemmer

from weft.language.hangul import FIRST, JAMO
from weft.language.legible import pieces
from weft.language.patterns import pattern

VERSION = "terms-1"

_WORD = pattern(r"[^\W_]+(?:['’][^\W\d_]+)?")
_IDENTIFIER = pattern(
    r"[A-Z][A-Z0-9]+-\d+|[\w.+-]+@[\w-]+\.[\w.-]+|[\w-]+(?:[./\\_][\w-]+)+|[A-Za-z]+[-_][\w-]*\d\w*"
)
_JOINT = pattern(r"[-@./\\_]")
_CJK = pattern(
    f"[{JAMO}\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff{FIRST}-\ud7af\uf900-\ufaff]+"
)
STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are as at be because been before
being below between both but by can could did do does doing down during each few for from
further had has have having he her here hers herself him himself his how i if in into is it
its itself just me more most my myself no nor not of off on once only or other our ours
ourselves out over own per same she should so some such than that the their theirs them
themselves then there these they this those through to too under until up upon us very was
we were what when where which while who whom whose why will with would you your yours
yourself yourselves""".split()
)

_stemmers = threading.local()


def fold(text: str) -> str:
    """Return the text in NFKC and without case."""
    return unicodedata.normalize("NFKC", text).casefold()


@lru_cache(maxsize=65536)
def plain(word: str) -> str:
    """Return a word folded, without accents, apostrophes and possessive ending."""
    folded = fold(word).replace("’", "'")
    if folded.endswith("'s"):
        folded = folded[:-2]
    folded = folded.replace("'", "")
    if folded.isascii():
        return folded
    parts = unicodedata.normalize("NFD", folded)
    kept = "".join(char for char in parts if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", kept)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the English Snowball stem of a folded word."""
    if not word.isascii():
        return word
    stemmer = getattr(_stemmers, "english", None)
    if stemmer is None:
        stemmer = _stemmers.english = Stemmer.Stemmer("english", 0)
    result: str = stemmer.stemWord(word)
    return result


@lru_cache(maxsize=65536)
def _word_terms(word: str) -> tuple[str, ...]:
    folded = plain(word)
    if folded in STOP_WORDS or not folded:
        return ()
    if not folded.isascii() and _CJK.search(folded):
        return tuple(_bigrams(folded))
    return (stem(folded),)


def _bigrams(word: str) -> Iterator[str]:
    at = 0
    for match in _CJK.finditer(word):
        if match.start() > at:
            yield stem(word[at : match.start()])
        run = match.group()
        if len(run) == 1:
            yield run
        for left in range(len(run) - 1):
            yield run[left : left + 2]
        at = match.end()
    if at < len(word):
        yield stem(word[at:])


def word_terms(word: str) -> tuple[str, ...]:
    """Return the terms of one word: its stem or its bigrams, none for a stop word."""
    return _word_terms(word)


def identifiers(text: str) -> list[str]:
    """Return the identifiers in a text, folded: issue keys, paths, dotted names, versions, mail."""
    # No identifier is without one of these signs or has a space: most words need no second look.
    joined = (part for token in text.split() if _JOINT.search(token) for part in pieces(token))
    found = (fold(match[0]).strip(".-_") for part in joined for match in _IDENTIFIER.finditer(part))
    return [identifier for identifier in found if identifier]


def words(text: str) -> list[str]:
    """Return the words of a text as they stand there."""
    return _WORD.findall(text)


def terms(text: str) -> list[str]:
    """Return all terms of a text in order, with repetitions: stems, bigrams, then identifiers."""
    found: list[str] = []
    for word in words(unicodedata.normalize("NFKC", text)):
        found.extend(_word_terms(word))
    found.extend(identifiers(text))
    return found
