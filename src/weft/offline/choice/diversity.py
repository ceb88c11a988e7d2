"""A say for each of the best passages, where a question goes over several documents.

The sentence that answers is often the best of the second passage, and less like the question than
three of the first: along a bridge, the first passage has most of the question's words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

from rapidfuzz import fuzz

from weft.offline.evidence.passages import Candidate, ReadPassage

# So many documents, if a passage of theirs was found so surely: measured on development questions.
BEST = 2
SURELY = 0.4
_SAME = 90.0


def spread(
    picked: Sequence[Candidate],
    ranked: Sequence[Candidate],
    *,
    passages: Sequence[ReadPassage],
    bridged: Container[str] | None,
    most: int,
) -> list[Candidate]:
    """Return the sentences picked, with the best one of each best document among them.

    `ranked` are all sentences, best first. Where there are as many as `most`, it takes the place
    of one that can be spared. With `bridged`, only for these passages.
    """
    kept = list(picked)
    best = _best(passages)
    for passage in best:
        if passage.hit.score < SURELY or any(_document(one) == passage.document for one in kept):
            continue
        if bridged is not None and passage.evidence_id not in bridged:
            continue
        said = next((one for one in ranked if _document(one) == passage.document), None)
        at = _place(kept, {one.document for one in best})
        if said is None or any(says_again(said, one) for one in kept):
            continue  # another document has said it for this one
        if len(kept) < most:
            kept.append(said)
        elif at is not None:
            kept[at] = said
    return kept


def says_again(candidate: Candidate, other: Candidate) -> bool:
    """Tell whether a sentence is nearly another one, or a part of it in the same passage."""
    if candidate.evidence_id == other.evidence_id and candidate.text in other.text:
        return True
    return fuzz.ratio(candidate.text, other.text) >= _SAME


def _best(passages: Sequence[ReadPassage]) -> list[ReadPassage]:
    """Return the best found passage of each of the first documents."""
    ordered = sorted(passages, key=lambda passage: -passage.hit.score)
    first = {one.document: one for one in reversed(ordered)}
    return sorted(first.values(), key=lambda passage: -passage.hit.score)[:BEST]


def _place(kept: Sequence[Candidate], best: Container[tuple[str, str]]) -> int | None:
    """Return where one more goes: the last that is of no best document, or not alone of its own."""
    several = Counter(map(_document, kept))
    for at in range(len(kept) - 1, 0, -1):
        document = _document(kept[at])
        if several[document] > 1 or document not in best:
            return at
    return None


def _document(candidate: Candidate) -> tuple[str, str]:
    evidence = candidate.hit.evidence
    return evidence.knowledge_base, evidence.document_id
