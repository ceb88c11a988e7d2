"""Passages that define a name, for going on from one document to the next by what it names."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np

from weft.domain.document import Chunk
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId
from weft.domain.scope import Scope
from weft.index.named_view import NamedView, named_view
from weft.index.scoring import cosines
from weft.index.segment import Floats
from weft.index.tables import Mask
from weft.index.view import View
from weft.language.patterns import pattern
from weft.ports.knowledge import DocumentFilter
from weft.ports.store import Base
from weft.retrieval.hits import Hit
from weft.retrieval.ranking import ScoredSlot
from weft.retrieval.search import allowed_slots, evidence_of, matching

MOST_PASSAGES = 8
PER_NAME = 3
_MOST_TITLED = 50
_FIRST_FIELDS = 3
_MORE = pattern(r"\s*(?:$|[:–—|(\[/]|-\s)")


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupQuery:
    """Names to be looked up, the most wanted first, and the question's vector if there is one.

    `spelt` has some of them as they are written: where no passage defines one of these, documents
    whose title begins with it and rows of tables that it stands at the head of are taken.
    `within` is what narrows the run's documents.
    """

    names: Sequence[str]
    vector: Floats | None = None
    spelt: Mapping[str, str] = field(default_factory=dict)
    within: DocumentFilter = field(default_factory=DocumentFilter)


async def lookup(
    bases: Sequence[Base], scope: Scope, wanted: LookupQuery
) -> Mapping[str, tuple[Hit, ...]]:
    """Return for each name the readable passages that define it, few in all; none is an answer.

    Names are compared as the entity index spells them: plain words, one space between.
    """
    found: dict[str, list[Hit]] = {name: [] for name in wanted.names}
    for base in bases:
        view = await base.knowledge.view(scope)
        seen = await asyncio.to_thread(named_view, view)
        among = await matching(base, scope, wanted.within)
        allowed = allowed_slots(view, scope, among)
        places = _places(seen, wanted, allowed)
        for name in wanted.spelt:
            if name in found and not any(one == name for one, _ in places):
                headed = await _headed(base, scope, wanted.spelt[name], view=view)
                slots = [slot for slot in headed if allowed[slot]][:PER_NAME]
                places += [(name, _candidate(seen, slot, name, wanted.vector)) for slot in slots]
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


def _places(seen: NamedView, wanted: LookupQuery, allowed: Mask) -> list[tuple[str, ScoredSlot]]:
    """Return the passages that define the names, as far as there is room for them."""
    found: list[tuple[str, ScoredSlot]] = []
    for name in wanted.names:
        key = seen.lexicon.key(name)
        if key < 0 or len(found) >= MOST_PASSAGES:
            continue
        slots = [slot for slot in seen.defining(key).tolist() if allowed[slot]]
        slots.sort(key=seen.view.order)
        found += [(name, _candidate(seen, slot, name, wanted.vector)) for slot in slots[:PER_NAME]]
    return found[:MOST_PASSAGES]


async def _headed(base: Base, scope: Scope, spelt: str, *, view: View) -> list[int]:
    """Return the slots that a written name heads: by their title, or by a row's first fields."""
    found = await base.knowledge.find(
        scope, DocumentFilter(contains={"title": spelt}), _MOST_TITLED
    )
    titled = {str(one.id) for one in found if _begins(one.title, spelt)}
    held = await base.knowledge.containing(scope, spelt, _MOST_TITLED)
    stored = await base.knowledge.chunks(scope, held)
    headed = {str(one.chunk.id): str(one.document.id) for one in stored if _heads(one.chunk, spelt)}
    among = allowed_slots(view, scope, frozenset([*titled, *headed.values()]))
    slots = [
        slot
        for slot in np.flatnonzero(among).tolist()
        if view.place(slot).document_id in titled or view.place(slot).chunk_id in headed
    ]
    return sorted(slots, key=view.order)


def _begins(title: str, spelt: str) -> bool:
    """Tell whether a title is a name, or says more of it behind a sign: "Coast: charter"."""
    if not title.casefold().startswith(spelt.casefold()):
        return False
    rest = title[len(spelt) :]
    return _MORE.match(rest) is not None or (rest[:1] == " " and not spelt.isascii())


def _heads(chunk: Chunk, spelt: str) -> bool:
    """Tell whether a name is the value of one of the first fields of a row."""
    lines = (line.strip().casefold() for line in chunk.text.splitlines()[:_FIRST_FIELDS])
    return any(line.endswith(f": {spelt.casefold()}") for line in lines)


def _candidate(seen: NamedView, slot: int, name: str, vector: Floats | None) -> ScoredSlot:
    view, cosine = seen.view, 0.0
    own: tuple[float, ...] = ()
    if vector is not None and len(vector) == view.snapshot.dimensions:
        own = tuple(cosines(view.sentence_vectors(slot), vector).tolist())
        cosine = float(cosines(view.vector(slot)[None], vector)[0])
    return ScoredSlot(
        place=view.place(slot), score=0.0, cosine=cosine, cosines=own, path=(f"defines {name}",)
    )
