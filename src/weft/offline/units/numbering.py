"""Things that only a number tells apart: depot 14 is not depot 28, nor version 6.4 version 6.3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from weft.language.months import BEGINNINGS
from weft.language.patterns import needing_pattern, pattern
from weft.language.terms import STOP_WORDS, plain, word_terms
from weft.offline.units.order import RankedUnits
from weft.offline.units.unit_features import FoundUnit

_NUMBERED = needing_pattern(
    r"(?<![\w-])(?P<name>[^\W\d_]{3,})(?:\s+(?:no\.?\s?|#\s?)?|-)"
    r"(?P<number>[0-9]+(?:\.[0-9]+)*)(?![\w%]|[,:][0-9])",
    *"0123456789",
    flags=2,
)
_KEY = pattern(r"\b[A-Z][A-Z0-9]+-\d+\b")
_NUMBER = pattern(r"\d+(?:\.\d+)*")
_SHORTEST = 3


def numbered_things(text: str) -> frozenset[tuple[str, str]]:
    """Return what is named with a number behind it: the stem of its name, and the number."""
    return frozenset(_numbered(text))


def _numbered(text: str) -> Iterator[tuple[str, str]]:
    for match in _NUMBERED.finditer(text):
        name = plain(match["name"])
        if name in STOP_WORDS or name[:_SHORTEST] in BEGINNINGS:
            continue  # "in 2023", "May 2023"
        for stem in word_terms(name)[:1]:
            yield stem, match["number"]


def is_of_another_number(question: str, unit: FoundUnit) -> bool:
    """Tell whether a unit speaks of what a question names by a number, but of another number."""
    asked = numbered_things(question)
    if not asked:
        return False
    evidence = unit.hit.evidence
    said = numbered_things(unit.text)
    numbers = _NUMBER.findall(f"{evidence.title} {evidence.section or ''} {unit.text}")
    return any(
        said_of and not any(_is_one(number, other) for other in (*said_of, *numbers))
        for stem, number in asked
        for said_of in [[other for name, other in said if name == stem]]
    )


def _is_one(number: str, other: str) -> bool:
    """Tell whether two numbers may name one thing: Python 3 is Python 3.11 as well."""
    one, two = number.split("."), other.split(".")
    return all(a == b for a, b in zip(one, two, strict=False))


def heeding_numbers(question: str, ranked: RankedUnits) -> tuple[RankedUnits, bool]:
    """Return units with those of another number last, and whether the first may answer still.

    It may not where one of another number was taken for it, and none has the number that is asked;
    nor where the key of an issue is asked for that stands in no passage.
    """
    asked = numbered_things(question)
    keys = _KEY.findall(question)
    texts = {one.hit.evidence.id: _whole(one) for one in ranked.units} if keys else {}
    has_keys = all(any(key in text for text in texts.values()) for key in keys)
    other = [bool(asked) and is_of_another_number(question, unit) for unit in ranked.units]
    if not any(other):
        return ranked, has_keys
    order = sorted(range(len(other)), key=other.__getitem__)
    units = tuple(ranked.units[at] for at in order)
    if other[0] and not _has_asked(asked, units[0]):
        return ranked, False  # what is nearest stays so: it is shown, and not told
    scores = tuple(ranked.scores[at] for at in order) if ranked.scores else ()
    return replace(ranked, units=units, scores=scores), has_keys


def _has_asked(asked: frozenset[tuple[str, str]], unit: FoundUnit) -> bool:
    evidence = unit.hit.evidence
    said = numbered_things(f"{evidence.title}\n{evidence.section or ''}\n{unit.text}")
    return any(stem == name and _is_one(one, two) for stem, one in asked for name, two in said)


def _whole(unit: FoundUnit) -> str:
    evidence = unit.hit.evidence
    return f"{evidence.title}\n{evidence.uri}\n{evidence.text}"
