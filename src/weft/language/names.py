"""Names as they are compared: one spelling for what is written in many ways."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from weft.language.hangul import is_syllable
from weft.language.particles import strip_particle
from weft.language.patterns import pattern

_MARKED_LETTERS_END = "\u0400"  # Latin and Greek: beyond them a mark makes another letter
_APOSTROPHES = str.maketrans(dict.fromkeys("‘’ʼ`´", "'"))
_POSSESSIVE = pattern(r"(?:'s|(?<=s)')$")
_INITIALS = pattern(r"\b([^\W\d_])\.(?=[^\W\d_](?:\.|\b))")
_THOUSANDS = pattern(r"(?<=\d),(?=\d{3}(?!\d))")
# A full stop between digits tells 1.5 from 15; + and # tell C++ and C# from C.
_SQUEEZED = pattern(r"(?:(?<!\d)\.|\.(?!\d)|(?<![\w+])\+|(?<!\w)#|[^\w\s.+#%$€£¥₩&@]|_)+")
_SPACE = pattern(r"\s+")
_CALLED = r"(?:[^\W\d_a-z][^\W\d_]*(?:[-'’][^\W\d_]+)*)"
# What most people are called, with a title, initials, or the surname first.
_PERSON = pattern(
    rf"(?:(?:Mrs?|Ms|Miss|Dr|Prof)\.? )?(?:{_CALLED}(?:\. ?| )){{1,2}}{_CALLED}"
    rf"|(?:Mrs?|Ms|Miss|Dr|Prof)\.? {_CALLED}|{_CALLED}, {_CALLED}(?: {_CALLED})?\.?"
)
_FEWEST_PEOPLE, _MOSTLY = 3, 0.7


def normalise(surface: str) -> str:
    """Return the name of a surface: folded, without accents, article, possessive or particles.

    Pure and idempotent; empty when the surface holds no letter, digit or sign that tells names
    apart. An indefinite article stays, since `A. Smith` would lose an initial with it.
    """
    if surface.isascii() and surface.replace(" ", "").isalnum():
        return _plain(surface)
    name = surface
    while (shorter := _once(name)) != name:
        name = shorter
    return name


def are_people(texts: Iterable[str]) -> bool:
    """Tell whether most of some names look like those of people: "Ann Lee", "Lee, A."."""
    given = [text.strip() for text in texts]
    count = sum(_PERSON.fullmatch(one) is not None for one in given)
    return count >= _FEWEST_PEOPLE and count >= _MOSTLY * len(given)


def _plain(surface: str) -> str:
    """Do the same for letters, digits and spaces of ASCII alone, which most names are made of."""
    words = surface.lower().split()
    first = next((at for at, word in enumerate(words) if word != "the"), len(words) - 1)
    return " ".join(words[first:])


def _once(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold().translate(_APOSTROPHES).strip()
    folded = _POSSESSIVE.sub("", _without_accents(folded)).replace("'", "")
    folded = _THOUSANDS.sub("", _INITIALS.sub(r"\1", folded))
    words = _SPACE.sub(" ", _SQUEEZED.sub(" ", folded)).strip()
    words = words.removeprefix("the ").strip() or words
    *rest, last = words.split(" ")
    if last and all(is_syllable(char) for char in last):
        last = strip_particle(last)
    return " ".join([*rest, last])


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    kept: list[str] = []
    for char in unicodedata.normalize("NFD", text):
        marked = kept and kept[-1] < _MARKED_LETTERS_END
        if not (marked and unicodedata.category(char) == "Mn"):
            kept.append(char)
    return unicodedata.normalize("NFKC", "".join(kept))
