"""Where a question says what it asks of: "in the rat growth study", "the bank's 2023 report"."""

from __future__ import annotations

import re

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


def is_source(word: str) -> bool:
    """Tell whether a word is one for what may be asked of: data, table, survey."""
    return _ONE_SOURCE.fullmatch(word) is not None


def source_spans(text: str) -> list[tuple[int, int]]:
    """Return where a question says what it asks of, as offsets."""
    return [match.span() for match in _FROM_SOURCE.finditer(text)]
