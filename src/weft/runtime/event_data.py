"""What events say of results: ids and counts, so that no document's text is on the record."""

from __future__ import annotations

from collections.abc import Sequence

from weft.domain.answer import Answer
from weft.domain.evidence import Evidence


def evidence_data(found: Sequence[Evidence]) -> dict[str, object]:
    """Return the ids of what was found, in its order, and of the documents it comes from."""
    return {
        "evidence": [item.id for item in found],
        "chunks": [item.chunk_id for item in found],
        "documents": sorted({item.document_id for item in found}),
        "knowledge_bases": sorted({item.knowledge_base for item in found}),
    }


def answer_data(answer: Answer) -> dict[str, object]:
    """Return how an answer ended and which chunks it cites, in the order of its sentences."""
    cited = [item for sentence in answer.sentences for item in sentence.citations]
    return {
        "outcome": str(answer.outcome),
        "refused": answer.refused,
        "offline": answer.offline,
        "sentences": len(answer.sentences),
        "chunks": list(dict.fromkeys(item.chunk_id for item in cited)),
        "documents": sorted({item.doc_id for item in cited}),
    }
