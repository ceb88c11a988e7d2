"""What stands beside a passage: the other rows of its file, the pages of its folder, its document.

Counts and lists need all of a table that the caller may read, not the rows a search finds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum

from weft.domain.evidence import Evidence
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId
from weft.domain.scope import Scope
from weft.index.tables import Mask
from weft.index.view import View
from weft.language.terms import stem, words
from weft.ports.knowledge import DocumentFilter
from weft.ports.store import Base
from weft.retrieval.hits import Hit
from weft.retrieval.ranking import ScoredSlot
from weft.retrieval.search import allowed_slots, evidence_of, matching

MOST_MEMBERS = 500
_MOST_FAMILIES = 12
_MOST_CHUNKS = 60
# A page's fields stand at its head.
_HEAD = 2
# Over more documents than this, only what a search led to is looked at.
_FEW = 50_000


class FamilyKind(StrEnum):
    """What the members of a family are."""

    ROWS = "rows"
    PAGES = "pages"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Passages that stand side by side, in order: all of them that the caller may read.

    `key` is the id of the file, of the folder or of the document, without its kind.
    """

    base: str
    kind: FamilyKind
    key: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SiblingQuery:
    """Whose siblings are wanted: some evidence, and what stems name.

    `whole` are the ids of the documents that are wanted with all their passages; `within` is what
    narrows the run's documents.
    """

    evidence: Sequence[Evidence]
    stems: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    within: DocumentFilter = field(default_factory=DocumentFilter)


async def siblings(bases: Sequence[Base], scope: Scope, beside: SiblingQuery) -> tuple[Family, ...]:
    """Return the families of some evidence, and those that the stems name, inside the scope.

    A family of more than `MOST_MEMBERS` documents is left out: what is computed from a part of
    it would be wrong.
    """
    found: list[Family] = []
    for base in bases:
        view = await base.knowledge.view(scope)
        own = [one for one in beside.evidence if one.knowledge_base == base.name]
        allowed = allowed_slots(view, scope, await matching(base, scope, beside.within))
        slots = await asyncio.to_thread(_members, view, allowed, replace(beside, evidence=own))
        wanted = {
            slot: ChunkId(view.place(slot).chunk_id) for row in slots.values() for slot in row
        }
        stored = {
            one.chunk.id: one
            for one in await base.knowledge.chunks(scope, list(dict.fromkeys(wanted.values())))
        }
        for (kind, key), row in slots.items():
            hits = tuple(
                Hit(
                    evidence=evidence_of(
                        base.name, stored[wanted[slot]], candidate=_beside(view, slot)
                    ),
                    score=0.0,
                    cosine=0.0,
                    cosines=(),
                )
                for slot in row
                if wanted[slot] in stored
            )
            # A passage that went away in between would be missing from a count.
            if len(hits) == len(row):
                found.append(Family(base=base.name, kind=kind, key=key, hits=hits))
    return tuple(found)


def family_of(document_id: str) -> tuple[FamilyKind, str] | None:
    """Return the family that a document is a member of: its file for a row, else its folder."""
    kind, _, place = document_id.partition(":")
    if kind == "record" and "#" in place:
        return FamilyKind.ROWS, place.rpartition("#")[0]
    if kind == "file" and "/" in place:
        return FamilyKind.PAGES, place.rpartition("/")[0]
    return None


def named_stems(key: str) -> frozenset[str]:
    """Return the stems of the last part of a family's key, a file's ending left out."""
    name = key.rpartition("/")[2].rpartition(".")
    return frozenset(stem(word.casefold()) for word in words(name[0] or name[2]))


def _beside(view: View, slot: int) -> ScoredSlot:
    place = view.place(slot)
    return ScoredSlot(place=place, score=0.0, cosine=0.0, cosines=(), path=("beside",))


def _members(
    view: View, allowed: Mask, beside: SiblingQuery
) -> Mapping[tuple[FamilyKind, str], list[int]]:
    """Return the allowed slots of each wanted family in order of document and chunk."""
    families = (family_of(one.document_id) for one in beside.evidence)
    seeds = {family for family in families if family is not None}
    wanted = _Wanted(view, seeds=seeds, stems=beside.stems)
    slots: dict[tuple[FamilyKind, str], list[int]] = {}
    sizes: dict[tuple[FamilyKind, str], int] = {}
    for document, held in documents_of_view(view):
        family = wanted.family(document)
        if family is None and document not in beside.whole:
            continue  # most documents: their slots are not looked at
        row = [slot for slot in held if allowed[slot]]
        if family is not None and row:
            sizes[family] = sizes.get(family, 0) + 1
            own = row if family[0] is FamilyKind.ROWS else row[:_HEAD]
            slots.setdefault(family, []).extend(own)
        if document in beside.whole and 0 < len(row) <= _MOST_CHUNKS:
            slots[FamilyKind.DOCUMENT, document.partition(":")[2]] = row
    return {
        family: sorted(row, key=view.order)
        for family, row in slots.items()
        if sizes.get(family, 0) <= MOST_MEMBERS
    }


class _Wanted:
    """Which families are wanted: those of the seeds, and a few that are named."""

    def __init__(
        self, view: View, *, seeds: set[tuple[FamilyKind, str]], stems: frozenset[str]
    ) -> None:
        self._seeds = seeds
        count = sum(len(live.segment.documents) for live in view.snapshot.segments)
        self._stems = stems if count <= _FEW else frozenset[str]()
        self._known: dict[tuple[FamilyKind, str], bool] = dict.fromkeys(seeds, True)

    def family(self, document: str) -> tuple[FamilyKind, str] | None:
        """Return the family of a document if it is wanted."""
        family = family_of(document)
        if family is None or (not self._stems and family not in self._seeds):
            return None
        if family not in self._known:
            room = sum(self._known.values()) < len(self._seeds) + _MOST_FAMILIES
            self._known[family] = room and not self._stems.isdisjoint(named_stems(family[1]))
        return family if self._known[family] else None


def documents_of_view(view: View) -> Iterator[tuple[str, range]]:
    """Yield every document with its slots, in order of chunks."""
    start = 0
    for live in view.snapshot.segments:
        first = (live.segment.first + start).tolist()
        for at, (document, _, _) in enumerate(live.segment.documents):
            yield document, range(first[at], first[at + 1])
        start += live.segment.size
