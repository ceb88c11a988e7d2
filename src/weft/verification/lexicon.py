"""The words that a check of support must know, read once from the sheet `lexicon`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import sheet
from weft.language import numerals
from weft.language.particles import ROLES


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportLexicon:
    """Lists and tables of folded words; `sets` by the names they have in the file.

    `figures` gives a written number's value, `measures`, `synonyms` and `lemmas` the one word that
    stands for a group of words, `particles` Korean particles and their roles, longest first.
    """

    sets: Mapping[str, frozenset[str]]
    figures: Mapping[str, str]
    measures: Mapping[str, str]
    synonyms: Mapping[str, frozenset[int]]
    lemmas: Mapping[str, str]
    particles: Sequence[tuple[str, str]]
    endings: Sequence[str]

    def has(self, kind: str, word: str) -> bool:
        """Tell whether a folded word stands in a list; raises `KeyError` for an unknown list."""
        return word in self.sets[kind]


@lru_cache(maxsize=1)
def lexicon() -> SupportLexicon:
    """Return the shipped tables."""
    read: dict[str, Any] = sheet("weft.verification", "lexicon")
    korean: dict[str, Any] = read.pop("korean")
    listed = {name: value.split() for name, value in read.items() if isinstance(value, str)}
    listed |= {name: value.split() for name, value in korean.items() if isinstance(value, str)}
    particles = [(form, role) for role, forms in ROLES.items() for form in forms]
    return SupportLexicon(
        sets={name: frozenset(words) for name, words in listed.items()},
        figures=_figures(),
        measures=_first_of(read["measures"]),
        synonyms=_groups(read["synonyms"]),
        lemmas=_first_of(read["irregular"]),
        particles=sorted(particles, key=lambda known: -len(known[0])),
        endings=sorted(listed["endings"], key=len, reverse=True),
    )


def _figures() -> dict[str, str]:
    return {
        **{word: str(value) for word, value in numerals.VALUES.items()},
        **{word: f"{value}th" for value, word in enumerate(numerals.ORDINALS, start=1)},
        "dozen": "12",
    }


def _first_of(groups: Sequence[str]) -> dict[str, str]:
    return {word: group.split()[0] for group in groups for word in group.split()}


def _groups(groups: Sequence[str]) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(groups):
        for word in group.split():
            found.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}
