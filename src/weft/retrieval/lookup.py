"""Passages that define a name, for going on from one document to the next by what it names."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from weft.domain.ids import ChunkId
from weft.domain.scope import Scope
from weft.index.scoring import cosines
from weft.index.segment import Floats
from weft.index.sight import Sight, sight
from weft.index.tables import Mask
from weft.ports.knowledge import DocumentFilter
from weft.retrieval.hits import Base, Hit
from weft.retrieval.ranking import Candidate
from weft.retrieval.search import allowed_slots, evidence_of, matching

MOST_PASSAGES = 8
PER_NAME = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Names to be looked up, the most wanted first, and the question's vector if there is one.

    `within` is what narrows the run's documents.
    """

    names: Sequence[str]
    vector: Floats | None = None
    within: DocumentFilter = field(default_factory=DocumentFilter)


async def lookup(
    bases: Sequence[Base], scope: Scope, wanted: Wanted
) -> Mapping[str, tuple[Hit, ...]]:
    """Return for each name the readable passages that define it, few in all; none is an answer.

    Names are compared as the entity index spells them: plain words, one space between.
    """
    found: dict[str, list[Hit]] = {name: [] for name in wanted.names}
    for base in bases:
        view = await base.knowledge.view(scope)
        seen = await asyncio.to_thread(sight, view)
        among = await matching(base, scope, wanted.within)
        places = _places(seen, wanted, allowed_slots(view, scope, among))
        ids = [ChunkId(candidate.place.chunk_id) for _, candidate in places]
        stored = {one.chunk.id: one for one in await base.knowledge.chunks(scope, ids)}
        for name, candidate in places:
            one = stored.get(ChunkId(candidate.place.chunk_id))
            if one is not None:
                found[name].append(
                    Hit(
                        evidence=evidence_of(base.name, one, candidate=candidate),
                        score=candidate.score,
                        cosine=candidate.cosine,
                        cosines=candidate.cosines,
                    )
                )
    return {name: tuple(hits) for name, hits in found.items()}


def _places(seen: Sight, wanted: Wanted, allowed: Mask) -> list[tuple[str, Candidate]]:
    """Return the passages that define the names, as far as there is room for them."""
    found: list[tuple[str, Candidate]] = []
    for name in wanted.names:
        key = seen.lexicon.key(name)
        if key < 0 or len(found) >= MOST_PASSAGES:
            continue
        slots = [slot for slot in seen.defining(key).tolist() if allowed[slot]]
        slots.sort(key=seen.view.order)
        found += [(name, _candidate(seen, slot, name, wanted.vector)) for slot in slots[:PER_NAME]]
    return found[:MOST_PASSAGES]


def _candidate(seen: Sight, slot: int, name: str, vector: Floats | None) -> Candidate:
    view, cosine = seen.view, 0.0
    own: tuple[float, ...] = ()
    if vector is not None and len(vector) == view.snapshot.dimensions:
        own = tuple(cosines(view.sentence_vectors(slot), vector).tolist())
        cosine = float(cosines(view.vector(slot)[None], vector)[0])
    return Candidate(
        place=view.place(slot), score=0.0, cosine=cosine, cosines=own, path=(f"defines {name}",)
    )
