"""Words that mean one thing: as a column's name and in a question of it, or as what a cell says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain

from weft.domain.outside.shipped import shipped_text
from weft.language.hangul import has_hangul
from weft.language.months import names_of_days
from weft.language.terms import plain, stem

_GRADED = (("iest", "y"), ("ier", "y"), ("est", ""), ("est", "e"), ("er", ""), ("er", "e"))
_SHORTEST, _SHORTEST_KOREAN = 3, 2
_LONGEST_CODE = 3
# Names that without their capital are words of another meaning.
_PROPER = frozenset(
    {"may", "march", "sun", "sat", "wed", "mon", "turkey", "chad", "jersey", "polish"}
)
_NONE: frozenset[int] = frozenset()


@lru_cache(maxsize=65536)
def kin_of(word: str) -> frozenset[int]:
    """Return what a word may mean, as numbers that other words of the same meaning have too."""
    key = plain(word)
    if has_hangul(key):
        begins = [key[:size] for size in range(len(key), _SHORTEST_KOREAN - 1, -1)]
        return next((_kin()[one] for one in (*begins, key) if one in _kin()), _NONE)
    return frozenset[int]().union(*(_kin().get(form, _NONE) for form in _forms(key)))


@lru_cache(maxsize=1)
def kin_words() -> frozenset[str]:
    """Return the plain words of the sheet as they are written there."""
    return frozenset(word for words in _lines("kin.txt") for word in words)


def same_names(said: str) -> tuple[str, ...]:
    """Return the other names of what some words name, codes in capitals among them.

    A code is one only in capitals: "us" is no country.
    """
    key = said if _is_code(said) else plain(said)
    # "may" is a month only with its capital.
    return () if key in _PROPER and said.islower() else _names().get(key, ())


def _forms(key: str) -> Iterator[str]:
    """Yield the stem of a word, and of an adjective those of what it is a degree of."""
    yield stem(key)
    for ending, other in _GRADED:
        if key.endswith(ending) and len(key) - len(ending) >= _SHORTEST:
            bare = key.removesuffix(ending) + other
            yield stem(bare)
            if len(bare) > _SHORTEST and bare[-1] == bare[-2]:
                yield stem(bare[:-1])  # biggest, hottest


def _is_code(said: str) -> bool:
    return said.isascii() and said.isupper() and len(said) <= _LONGEST_CODE


def _lines(name: str) -> Iterator[list[str]]:
    text = shipped_text("weft.language", name)
    for line in text.splitlines():
        if line and not line.startswith("#"):
            yield line.split(", ")


@lru_cache(maxsize=1)
def _kin() -> Mapping[str, frozenset[int]]:
    """Return the sheet: stems, or a Korean word's beginning, to the lines that have them."""
    found: dict[str, set[int]] = {}
    for number, words in enumerate(_lines("kin.txt")):
        for word in words:
            found.setdefault(word if has_hangul(word) else stem(plain(word)), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


@lru_cache(maxsize=1)
def _names() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for names in chain(_lines("same.txt"), names_of_days()):
        for name in names:
            key = name if _is_code(name) else plain(name)
            others = tuple(other for other in names if other != name)
            found[key] = (*found.get(key, ()), *others)
    return found
