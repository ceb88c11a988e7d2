"""What a question names outright: identifiers, and phrases in quotation marks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.domain.frozen import dataclass
from weft.index.tables import Mask
from weft.index.view import Doubles, View
from weft.language.patterns import needing_pattern, pattern
from weft.language.terms import fold, identifiers

OWN = 8.0
SAID = 5.0
_QUOTES = '"“”«»「」『』'
_QUOTED = needing_pattern(f"[{_QUOTES}]([^{_QUOTES}]{{3,200}})[{_QUOTES}]", *_QUOTES)
_PARTS = pattern(r"[#/]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactTerms:
    """Identifiers, folded, and quoted phrases as they stand."""

    identifiers: tuple[str, ...]
    phrases: tuple[str, ...]


def named_in(question: str) -> ExactTerms:
    """Return what a question names outright."""
    found = dict.fromkeys(identifiers(question))
    phrases = dict.fromkeys(match[1].strip() for match in _QUOTED.finditer(question))
    return ExactTerms(
        identifiers=tuple(found), phrases=tuple(phrase for phrase in phrases if len(phrase) > 2)
    )


def favours(view: View, named: ExactTerms, *, holding: Sequence[frozenset[str]]) -> Doubles:
    """Return float64[slots]: what the ranking adds to passages that the question names outright.

    Most to the passages of a document that an identifier stands for, less to those that mention
    it; `holding` has the ids of the chunks with each quoted phrase in their text.
    """
    total = np.zeros(len(view.readable), dtype=np.float64)
    for identifier in named.identifiers:
        own = view.among(lambda row, wanted=identifier: _stands_for(row[0], wanted))  # type: ignore[misc]
        said = np.zeros(len(total), dtype=np.bool_)
        said[view.postings(identifier)[0]] = True
        total += np.where(own, OWN, np.where(said, SAID, 0.0))
    for chunks in holding:
        if chunks:
            total += np.where(_of_chunks(view, chunks), SAID, 0.0)
    return total


def _stands_for(document_id: str, identifier: str) -> bool:
    """Tell whether an identifier is a document's own: its last part, or a path it ends in."""
    folded = fold(document_id)
    return _PARTS.split(folded)[-1] == identifier or folded.endswith(f"/{identifier}")


def _of_chunks(view: View, ids: frozenset[str]) -> Mask:
    """Return bool[slots]: readable, and of one of these chunks."""
    wanted = np.array(sorted(key.encode() for key in ids), dtype="S32")
    parts = [np.isin(live.segment.chunk_ids, wanted) for live in view.snapshot.segments]
    return np.concatenate(parts) & view.readable
