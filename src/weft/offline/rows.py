"""Whether a question may ask of rows, and which passages stand among some."""

from __future__ import annotations

import re

from weft.domain.evidence import Evidence
from weft.language.blocks.lines import label_of
from weft.language.markup import pieces_of
from weft.language.patterns import pattern
from weft.language.terms import terms
from weft.retrieval.tables.shelf import has_rows

_OVER_ROWS = pattern(
    r"\b(?:how many|number of|which|what|who|whom|whose|where|list|than)\b"
    r"|^\s*(?:name|show)\b|,[^,]*\bor\b"
    r"|몇|어느|어떤|무엇|누구|누가|어디|가장|제일|더|목록|얼마",
    re.IGNORECASE,
)
_OF_ALL = pattern(
    r"\b(?:totals?|sum|average|mean|median|altogether|combined)\b|합계|총합|총액|평균",
    re.IGNORECASE,
)
_MARKS = pattern(r"\*\*|__")


def goes_over_rows(question: str) -> bool:
    """Tell whether a question may ask for what is counted, listed or compared over rows."""
    return bool(_OVER_ROWS.search(question))


def is_worked_out_of_rows(question: str, row: str) -> bool:
    """Tell whether a figure over rows is asked for that a row does not give under that name.

    One row's amount is no total of them.
    """
    said = row.casefold()
    asked = [match.group().casefold() for match in _OF_ALL.finditer(question)]
    return bool(asked) and not any(word in said for word in asked)


def naming_stems(question: str) -> frozenset[str]:
    """Return the stems by which a question may name a file or a folder of rows."""
    return frozenset(terms(question))


def is_among_rows(evidence: Evidence) -> bool:
    """Tell whether a passage is a row, has rows, or labels lines as the pages of a folder may."""
    if evidence.document_id.startswith("record:"):
        return True
    return has_rows(evidence) or any(map(_is_labelled, evidence.text.splitlines()))


def _is_labelled(line: str) -> bool:
    return all(label_of(_MARKS.sub("", piece)) for piece in pieces_of(line))
