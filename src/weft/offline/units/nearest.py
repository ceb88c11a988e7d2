"""What is nearest to a question, where no sentence answers it."""

from __future__ import annotations

from collections.abc import Sequence

from weft.agents.answering import DraftSentence
from weft.domain.evidence import Evidence
from weft.offline.units.order import rank_units
from weft.offline.units.unit_features import FoundUnit
from weft.retrieval.hits import Hit

MOST = 3


def nearest_of(question: str, evidence: Sequence[Evidence]) -> list[DraftSentence]:
    """Return the units of some evidence that are nearest to a question, the best first.

    Nothing is known of how the evidence was found but its order.
    """
    entries = [
        (one.id, Hit(evidence=one, score=1.0 / (1 + rank), cosine=0.0, cosines=()))
        for rank, one in enumerate(evidence)
    ]
    return drafted(rank_units(question, (), entries=entries).units[:MOST])


def drafted(units: Sequence[FoundUnit]) -> list[DraftSentence]:
    """Return units as sentences that cite their passages."""
    return [DraftSentence(text=one.text, evidence_ids=[one.evidence_id]) for one in units]
