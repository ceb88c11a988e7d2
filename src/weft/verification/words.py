"""A word of a sentence, and when two words say the same."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache

from weft.domain.frozen import dataclass
from weft.verification.lexicon import lexicon

_SHORTEST = 3
_UNDOUBLED = "bdgklmnprt"


class WordKind(StrEnum):
    """What a word is to a check of support."""

    WORD = "word"
    NAME = "name"
    NUMBER = "number"
    NEGATION = "negation"
    RELATION = "relation"
    FILLER = "filler"


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word: as it stands there, by its stem, as it is compared, and its kind.

    `broken`: a comma, a colon, a bracket or the beginning stands before it; `first`: it begins the
    sentence, so that its capital says nothing; `bracketed`: it stands in brackets; `led`: an
    article before it was taken off; `role`: what a Korean particle makes of it.
    """

    surface: str
    key: str
    form: str
    kind: WordKind
    broken: bool = False
    first: bool = False
    bracketed: bool = False
    led: bool = False
    role: str = ""

    @property
    def is_content(self) -> bool:
        """Tell whether it names a thing, a deed or a figure."""
        return self.kind in (WordKind.WORD, WordKind.NAME, WordKind.NUMBER)

    @property
    def is_exact(self) -> bool:
        """Tell whether it must stand in the source as it is."""
        return self.kind in (WordKind.NAME, WordKind.NUMBER)


def same(claim: Word, source: Word) -> bool:
    """Tell whether a word of a claim says what a word of its source says."""
    if claim.role != source.role:
        return False
    if claim.form == source.form:
        return True
    if WordKind.NUMBER in (claim.kind, source.kind) or not (claim.is_content and source.is_content):
        return False
    if claim.kind is WordKind.NAME and source.kind is WordKind.NAME:
        return False
    return alike(claim.form, source.form)


def alike(left: str, right: str) -> bool:
    """Tell whether two folded words are forms of one word, or listed as synonyms."""
    if left == right:
        return True
    if left.endswith("ing") != right.endswith("ing"):
        return False
    mine, theirs = _lemmas(left), _lemmas(right)
    if mine & theirs:
        return True
    synonyms = lexicon().synonyms
    groups = [
        {group for form in forms for group in synonyms.get(form, ())} for forms in (mine, theirs)
    ]
    return bool(groups[0] & groups[1])


@lru_cache(maxsize=65536)
def _lemmas(form: str) -> frozenset[str]:
    """Return what a form may be a form of: "stopped" of "stopp", "stop" and "stoppe"."""
    irregular = lexicon().lemmas.get(form)
    if irregular:
        return frozenset({irregular, form})
    return frozenset({form, *(base for base in _bases(form) if len(base) >= _SHORTEST)})


def _bases(form: str) -> Iterator[str]:
    if form.endswith("s") and not form.endswith(("ss", "us", "is")):
        yield form[:-1]
        if form.endswith("es"):
            yield form[:-2]
        if form.endswith("ies"):
            yield form[:-3] + "y"
    for ending in ("ed", "ing"):
        if form.endswith(ending):
            base = form[: -len(ending)]
            yield base
            yield base + "e"
            if base.endswith("i"):
                yield base[:-1] + "y"
            if base[-1:] == base[-2:-1] and base[-1:] in _UNDOUBLED:
                yield base[:-1]
