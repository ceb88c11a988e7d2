"""Words that questions of rows have: for sizes, for people, for what they ask of ("the survey")."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import sheet
from weft.language.patterns import pattern

_SOURCE = (
    r"(?:data(?: ?set|base)?|tables?|surveys?|stud(?:y|ies)|trials?|experiments?|list(?:ing)?"
    r"|records?|files?|sheets?|spreadsheet|statistics|stats|reports?|questionnaire|census"
    r"|register|series|samples?|summary|catalogue|catalog|overview|archive|inventory|log)"
)
# No word of a question's own, so that "how many orders of the list" begins at "of".
_PLAIN_WORD = (
    r"(?:(?!(?:in|from|of|by|for|on|at|to|with|per|how|what|which|who|where|when|is|are|was|were"
    r"|did|does|do|has|have|had|and|or|that|many|much|give|list|tell|show)\b)[\w'’.-]+\s+)"
)
_FROM_SOURCE = pattern(
    r"\b(?:in|from|of|by|for|on|within|per|across|according to|based on)"
    rf"\s+(?:the|this|that|our|your)\s+{_PLAIN_WORD}{{0,4}}?{_SOURCE}\b"
    rf"|^\W*(?:the\s+)?{_PLAIN_WORD}{{1,4}}{_SOURCE}\s*[-:,–—]",
    re.I,
)


_ONE_SOURCE = pattern(_SOURCE, re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeWords:
    """Words for a size: those for more and for less of it, and what its column may be called.

    `units` are those that no other size has.
    """

    more: frozenset[str]
    less: frozenset[str]
    names: frozenset[str]
    dated: bool = False
    units: frozenset[str] = frozenset()


@lru_cache(maxsize=1)
def _sheet() -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = sheet("weft.offline.plans", "words")
    return loaded


@lru_cache(maxsize=1)
def measures() -> tuple[SizeWords, ...]:
    """Return the sizes that a question may speak of."""
    return tuple(
        SizeWords(
            more=frozenset(row["more"]),
            less=frozenset(row["less"]),
            names=frozenset(row["names"]),
            dated=bool(row.get("dated", False)),
            units=frozenset(row.get("units", ())),
        )
        for row in _sheet()["measures"]
    )


@lru_cache(maxsize=1)
def person_words() -> frozenset[str]:
    """Return the words for whoever rows are about, whatever else is said of them."""
    return frozenset(_sheet()["persons"])


def light_words() -> frozenset[str]:
    """Return the words that a question has beside what it asks."""
    return frozenset(_sheet()["light"])


def asked_names(what: str) -> frozenset[str]:
    """Return what a column may be called that `where`, `when`, `who` or `cost` asks for."""
    return frozenset(_sheet()["asks"][what])


def more_words() -> frozenset[str]:
    """Return the words that point to the most, whatever is measured."""
    return frozenset(_sheet()["more"])


def less_words() -> frozenset[str]:
    """Return the words that point to the least, whatever is measured."""
    return frozenset(_sheet()["less"])


def is_source(word: str) -> bool:
    """Tell whether a word is one for what may be asked of: data, table, survey."""
    return _ONE_SOURCE.fullmatch(word) is not None


def source_spans(text: str) -> list[tuple[int, int]]:
    """Return where a question says what it asks of, as offsets."""
    return [match.span() for match in _FROM_SOURCE.finditer(text)]
