"""Whose documents these are: a name that stands in several titles names nothing in particular."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weft.language.terms import plain, word_terms
from weft.offline.evidence.passages import ReadPassage, stems_of

# Who writes of their own organisation rarely names it.
_OURS = re.compile(r"\b(?:we|our|us|ours)\b|우리|당사|저희", re.IGNORECASE)


def is_organisation(name: str, passages: Sequence[ReadPassage]) -> bool:
    """Tell whether a name is that of whoever wrote the documents: it stands in several titles."""
    stems = frozenset(word_terms(plain(name)))
    bearing = {p.document for p in passages if stems <= stems_of(p.hit.evidence.title)}
    return len(bearing) > 1 and any(_OURS.search(p.hit.evidence.text) for p in passages)
