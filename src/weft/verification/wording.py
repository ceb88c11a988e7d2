"""The words of a sentence as a check of support needs them: numbers, names, negations, relations.

Everything is canonical, so that "Twelve", "12" and "1,200" against "1200" compare as people do.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache

from weft.domain.outside.shipped import shipped_text
from weft.language import months
from weft.language.hangul import SYLLABLES, has_hangul
from weft.language.patterns import korean_pattern, pattern
from weft.language.terms import STOP_WORDS, plain, stem
from weft.verification.figures import canonical
from weft.verification.korean import is_negative, read_word
from weft.verification.lexicon import lexicon
from weft.verification.words import Word, WordKind

__all__ = ["Word", "WordKind", "opposites", "read_words"]

_TOKEN = pattern(
    r"(?<![\w.])[-−]?\d+(?:[.,:/-]\d+)*(?:st|nd|rd|th)?(?![^\W_])"
    r"|[^\W\d_](?:\.[^\W\d_])+(?![^\W_])|[^\W_]+(?:['’][^\W\d_]+)?|[<>=!~]=|[<>≤≥%$€£¥₩°]"
)
_BREAK = pattern(r"[,;:()\[\]—–]|\s-\s|[。！？]")
_BESIDE_HANGUL = korean_pattern(rf"(?<=\d)(?=[{SYLLABLES}])")
_BESIDE_UNIT = pattern(r"(?<=\d)(?=(?:km|cm|mm|kg|mb|gb|kb|ms|ft|mi|m|g|t|lb|lbs|h|min|s)\b)", re.I)
_CUT_SHORT = pattern(r"\wn't$")
_WHOLE_VERBS = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_SIGNS = frozenset("<>≤≥%$€£¥₩°") | {"<=", ">=", "==", "!=", "~="}
_ORDINAL = pattern(r"^(\d+)(?:st|nd|rd|th)$")
_THOUSANDS = pattern(r"(?<=\d),(?=\d{3}(?!\d))")


def read_words(sentence: str) -> list[Word]:
    """Return the words of a sentence, in order; figures and dates are in one canonical form."""
    return list(_read(sentence))


@lru_cache(maxsize=2048)
def _read(sentence: str) -> tuple[Word, ...]:
    text = unicodedata.normalize("NFKC", sentence).replace("’", "'").replace("−", "-")
    text = _BESIDE_UNIT.sub(" ", _BESIDE_HANGUL.sub(" ", text))
    found: list[Word] = []
    tokens = list(_TOKEN.finditer(text))
    end = depth = 0
    for place, match in enumerate(tokens):
        broken = not found or bool(_BREAK.search(text[end : match.start() + 1]))
        figure = _has_figure([token.group() for token in tokens], place)
        new = _words(match.group(), figure=figure, broken=broken, first=not found)
        depth = max(0, depth + _opened(text[end : match.start()]))
        found += [replace(word, bracketed=True) for word in new] if depth else new
        found[-1] = _numbered(found)
        end = match.end()
    return tuple(canonical(found))


def _opened(between: str) -> int:
    """Return how many brackets open between two words, less those that close."""
    return sum(between.count(mark) for mark in "([") - sum(between.count(mark) for mark in ")]")


def _has_figure(tokens: list[str], place: int) -> bool:
    """Tell whether a figure stands beside a token, or before it and an "of"."""
    before = tokens[max(0, place - 2) : place]
    if before and before[-1] != "of":
        before = before[-1:]
    return any(other[:1].isdigit() for other in before + tokens[place + 1 : place + 2])


def _numbered(found: list[Word]) -> Word:
    """Read the "I" of "World War I" as a part of the name."""
    last = found[-1]
    if (
        last.surface == "I"
        and len(found) > 1
        and found[-2].kind is WordKind.NAME
        and not last.broken
    ):
        return replace(last, kind=WordKind.NAME)
    return last


def opposites(key: str) -> frozenset[str]:
    """Return the stems that mean the opposite of a stem."""
    return _opposites().get(key, frozenset())


def _words(surface: str, *, figure: bool, broken: bool, first: bool) -> list[Word]:
    """Return the words of a token: "doesn't" is two, and so is "Anna's"."""
    folded = surface.casefold()
    if _CUT_SHORT.search(folded):
        verb = folded[:-3]
        verb = _WHOLE_VERBS.get(verb, verb)
        said = _word(verb, figure=False, broken=broken, first=first)
        return [said, Word(surface=surface, key="not", form="not", kind=WordKind.NEGATION)]
    if folded == "cannot":
        return [
            _word("can", figure=False, broken=broken, first=first),
            Word(surface=surface, key="not", form="not", kind=WordKind.NEGATION),
        ]
    if folded.endswith("'s") and len(folded) > 2:
        owner = _word(surface[:-2], figure=figure, broken=broken, first=first)
        return [owner, Word(surface="'s", key="'s", form="'s", kind=WordKind.RELATION)]
    return [_word(surface, figure=figure, broken=broken, first=first)]


def _word(surface: str, *, figure: bool, broken: bool, first: bool) -> Word:
    folded = plain(surface).replace(".", "") if surface[:1].isalpha() else plain(surface)
    number = _number(folded, figure=figure)
    if number:
        return Word(surface=surface, key=number, form=number, kind=WordKind.NUMBER, broken=broken)
    if has_hangul(surface):
        return read_word(surface, broken=broken)
    kind, key = _kind(surface, folded, first=first)
    return Word(surface=surface, key=key, form=folded, kind=kind, broken=broken, first=first)


def _kind(surface: str, folded: str, *, first: bool) -> tuple[WordKind, str]:
    known = lexicon()
    acronym = len(surface) > 1 and surface.isupper() and not first
    if known.has("negations", folded) or is_negative(folded):
        return WordKind.NEGATION, folded
    if acronym:
        return WordKind.NAME, stem(folded)
    if known.has("small", folded) or surface in _SIGNS or known.has("modals", folded):
        return WordKind.RELATION, folded
    if folded in STOP_WORDS:
        return WordKind.FILLER, folded
    if any(char.isdigit() for char in surface):
        return WordKind.NAME, folded
    return (WordKind.NAME if surface[0].isupper() else WordKind.WORD), stem(folded)


def _number(folded: str, *, figure: bool) -> str:
    ordinal = _ORDINAL.match(folded)
    if ordinal:
        return f"{ordinal[1]}th"
    if folded.lstrip("-")[:1].isdigit() and not folded[-1:].isalpha():
        return _THOUSANDS.sub("", folded)
    if folded in months.ALSO_WORDS and not figure:
        return ""
    return lexicon().figures.get(folded) or _month(folded)


def _month(folded: str) -> str:
    number = months.NUMBERS.get(folded)
    return f"month:{number}" if number else ""


@lru_cache(maxsize=1)
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    text = shipped_text("weft.verification", "antonyms.txt")
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        left, right = (stem(word) for word in line.split())
        found.setdefault(left, set()).add(right)
        found.setdefault(right, set()).add(left)
    return {key: frozenset(values) for key, values in found.items()}
