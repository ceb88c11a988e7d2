"""Names as they are compared: one spelling for what is written in many ways."""

from __future__ import annotations

import re
import unicodedata

_HANGUL_FIRST, _HANGUL_LAST = "가", "힣"
_BATCHIM_PERIOD = 28
_MARKED_LETTERS_END = "\u0400"  # Latin and Greek: beyond them a mark makes another letter
_APOSTROPHES = str.maketrans(dict.fromkeys("‘’ʼ`´", "'"))
_POSSESSIVE = re.compile(r"(?:'s|(?<=s)')$")
_INITIALS = re.compile(r"\b([^\W\d_])\.(?=[^\W\d_](?:\.|\b))")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
# A full stop between digits tells 1.5 from 15; + and # tell C++ and C# from C.
_SQUEEZED = re.compile(r"(?:(?<!\d)\.|\.(?!\d)|(?<![\w+])\+|(?<!\w)#|[^\w\s.+#%$€£¥₩&@]|_)+")
_SPACE = re.compile(r"\s+")

# Never the end of a name: long particles, and 를 and 을, which agree with the sound before them.
_PARTICLES = (
    "에서는", "에게서", "으로서", "으로써", "이라는", "이라고", "에서", "에게", "께서",
    "으로", "라는", "라고", "까지", "부터", "처럼", "에는",
)  # fmt: skip


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


def strip_particle(word: str) -> str:
    """Return a Korean word without a particle that cannot belong to a name, else the word."""
    for particle in _PARTICLES:
        if word.endswith(particle) and len(word) >= len(particle) + 2:
            return word[: -len(particle)]
    if len(word) >= 3 and agrees(word[:-1], word[-1]) and word[-1] in "를을":
        return word[:-1]
    return word


def agrees(stem: str, particle: str) -> bool:
    """Tell whether a one-syllable Korean particle may follow the sound that a stem ends with."""
    if not stem or not is_hangul(stem[-1]):
        return True
    closed = (ord(stem[-1]) - ord(_HANGUL_FIRST)) % _BATCHIM_PERIOD != 0
    if particle in "은이을과":
        return closed
    return not closed if particle in "는가를와" else True


def is_hangul(char: str) -> bool:
    """Tell whether a character is a Korean syllable."""
    return _HANGUL_FIRST <= char <= _HANGUL_LAST


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
    if last and all(is_hangul(char) for char in last):
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
