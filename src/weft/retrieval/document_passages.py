"""All passages of some documents, in their order, for reading on where a search found a piece."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

import numpy as np

from weft.domain.ids import ChunkId, DocumentId
from weft.domain.scope import Scope
from weft.index.view import View
from weft.ports.knowledge import DocumentFilter
from weft.ports.store import Base
from weft.retrieval.hits import Hit
from weft.retrieval.ranking import ScoredSlot
from weft.retrieval.search import allowed_slots, evidence_of, matching

MOST_PASSAGES = 60
EVERYTHING = DocumentFilter()


async def pages(
    bases: Sequence[Base],
    scope: Scope,
    documents: Collection[tuple[str, DocumentId]],
    *,
    within: DocumentFilter = EVERYTHING,
) -> list[Hit]:
    """Return the readable passages of some documents (knowledge base, id), few in all.

    Documents that `within` does not keep are left out. The passages were not searched for: score
    and cosines are 0 and none.
    """
    found: list[Hit] = []
    for base in bases:
        wanted = frozenset(str(document) for name, document in documents if name == base.name)
        among = await matching(base, scope, within)
        wanted = wanted if among is None else wanted & among
        if not wanted:
            continue
        view = await base.knowledge.view(scope)
        candidates = await asyncio.to_thread(_candidates, view, scope, wanted)
        ids = [ChunkId(candidate.place.chunk_id) for candidate in candidates]
        stored = {one.chunk.id: one for one in await base.knowledge.chunks(scope, ids)}
        for candidate in candidates:
            one = stored.get(ChunkId(candidate.place.chunk_id))
            if one is not None:
                evidence = evidence_of(base.name, one, candidate=candidate)
                found.append(Hit(evidence=evidence, score=0.0, cosine=0.0, cosines=()))
    return found


def _candidates(view: View, scope: Scope, wanted: frozenset[str]) -> list[ScoredSlot]:
    slots = np.flatnonzero(allowed_slots(view, scope, wanted)).tolist()
    slots.sort(key=view.order)
    return [
        ScoredSlot(place=view.place(slot), score=0.0, cosine=0.0, cosines=(), path=("read on",))
        for slot in slots[:MOST_PASSAGES]
    ]
