"""Which tables a caller may read beside some passages, loaded whole or not at all.

What is computed from a part of a table would be wrong: one of which a row went away while it was
read is left out.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from weft.domain.evidence import Evidence
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId, digest
from weft.domain.scope import Scope
from weft.index.tables import Mask
from weft.index.view import View
from weft.language.patterns import pattern
from weft.language.terms import stem, words
from weft.ports.knowledge import DocumentFilter, Knowledge, StoredChunk
from weft.ports.store import Base
from weft.retrieval.search import allowed_slots, matching
from weft.retrieval.tables.places import Place, TableKind, place_of

if TYPE_CHECKING:
    from weft.retrieval.tables.table import TypedTable

MOST_ROWS = 1_000_000
MOST_CELLS = 20_000_000
_MOST_NAMED = 12
_MOST_PASSAGES = 2_000
_MOST_PAGES = 500
_WRITTEN = pattern(r"(.+)#table\d+(?:##.*)?", 16)
# Over more documents than this, only what a search led to is looked at.
_FEW = 50_000
_BATCH = 5_000
# What is told of tables that nobody asked about yet: of so many, of texts fewer, of large ones the
# first rows.
_MOST_OUTLINED, _MOST_TEXTS = 60, 40
_MOST_WHOLE, _FIRST_ROWS = 2_000, 50


# A document and its slots, in order of passages.
_Row = tuple[str, list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesWanted:
    """Which tables are looked for: those beside some evidence, those that stems name, and `names`.

    `within` is what narrows the run's documents.
    """

    evidence: Sequence[Evidence] = ()
    stems: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    within: DocumentFilter = field(default_factory=DocumentFilter)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOutline:
    """A table, or the first rows of one that has `count` of them."""

    table: TypedTable
    count: int


class TableShelf:
    """Keeps the tables that were read last, as long as what they were read from stands.

    One is shared by all callers: a table is kept under the passages that it is made of, so two who
    may read different rows have different tables.
    """

    def __init__(self, most_cells: int = MOST_CELLS) -> None:
        """Take how many cells are kept in memory."""
        self._most = most_cells
        self._versions: WeakKeyDictionary[Knowledge, int] = WeakKeyDictionary()
        self._held: WeakKeyDictionary[Knowledge, OrderedDict[str, tuple[TypedTable, ...]]] = (
            WeakKeyDictionary()
        )
        # Under what the tables of a whole view are held: a plan names what was described before.
        self._keys: WeakKeyDictionary[Knowledge, tuple[View, dict[Place, str]]] = (
            WeakKeyDictionary()
        )

    async def tables(
        self, bases: Sequence[Base], scope: Scope, wanted: TablesWanted
    ) -> tuple[TypedTable, ...]:
        """Return the readable tables that are wanted, in order of base and place."""
        found: list[TypedTable] = []
        for base in bases:
            view = await base.knowledge.view(scope)
            own = [one for one in wanted.evidence if one.knowledge_base == base.name]
            allowed = allowed_slots(view, scope, await matching(base, scope, wanted.within))
            keys = self._keys_of(base, view) if allowed is view.readable else {}
            if (again := self._again(base, keys, wanted)) is not None:
                found += again
                continue
            places = await asyncio.to_thread(_places, view, allowed, evidence=own, wanted=wanted)
            keys.update(dict.fromkeys(_named(wanted) - places.keys(), ""))
            for place, slots in places.items():
                ids = _chunk_ids(view, slots)
                keys[place], own_tables = await self._of(
                    base, scope, view=view, place=place, ids=ids
                )
                found += own_tables
        return tuple(one for one in found if not wanted.names or one.name in wanted.names)

    async def outlines(
        self, bases: Sequence[Base], scope: Scope, within: DocumentFilter
    ) -> tuple[TableOutline, ...]:
        """Return the first readable tables of some bases, of large ones only the first rows."""
        found: list[TableOutline] = []
        for base in bases:
            view = await base.knowledge.view(scope)
            allowed = allowed_slots(view, scope, await matching(base, scope, within))
            places = await asyncio.to_thread(_first_places, view, allowed)
            for place, slots in places.items():
                few = slots if len(slots) <= _MOST_WHOLE else slots[:_FIRST_ROWS]
                ids = _chunk_ids(view, few)
                _, tables = await self._of(base, scope, view=view, place=place, ids=ids)
                count = 0 if len(few) == len(slots) else len(slots)
                found += [TableOutline(table=one, count=count or len(one.rows)) for one in tables]
        return tuple(found)

    def holds(self, table: TypedTable) -> bool:
        """Tell whether a table is one of those that are kept."""
        held = list(self._held.values())
        return any(table is one for bases in held for row in list(bases.values()) for one in row)

    def _keys_of(self, base: Base, view: View) -> dict[Place, str]:
        """Return under what the tables of this very view are held, as far as they were read."""
        known = self._keys.get(base.knowledge)
        if known is None or known[0] is not view:
            known = self._keys[base.knowledge] = (view, {})
        return known[1]

    def _again(
        self, base: Base, keys: Mapping[Place, str], wanted: TablesWanted
    ) -> list[TypedTable] | None:
        """Return the tables that are named alone, if all of them are held; None if one is not.

        A name that the view has no table for is known by an empty key.
        """
        if wanted.evidence or wanted.stems or not wanted.names:
            return None
        held = self._held.get(base.knowledge, OrderedDict())
        named = [keys.get(place) for place in sorted(_named(wanted))]
        if any(key is None or (key and key not in held) for key in named):
            return None
        read = [key for key in named if key]
        for key in read:
            held.move_to_end(key)
        return [one for key in read for one in held[key]]

    async def _of(
        self, base: Base, scope: Scope, *, view: View, place: Place, ids: Sequence[ChunkId]
    ) -> tuple[str, tuple[TypedTable, ...]]:
        """Return the tables of some passages, and the key that they are held under from now on."""
        held = self._held.setdefault(base.knowledge, OrderedDict())
        if self._versions.get(base.knowledge) != view.version:
            # What was read of an earlier version may hold what is deleted since.
            held.clear()
            self._versions[base.knowledge] = view.version
        key = digest(*place, *ids)
        if key in held:
            held.move_to_end(key)
            return key, held[key]
        stored: list[StoredChunk] = []
        for at in range(0, len(ids), _BATCH):
            stored += await base.knowledge.chunks(scope, ids[at : at + _BATCH])
        if len(stored) < len(ids):
            return key, ()
        # Here, because most knowledge bases have no tables.
        from weft.retrieval.tables.rows.reading import tables_at

        found = await asyncio.to_thread(tables_at, base.name, place, stored=stored)
        held[key] = found
        while sum(one.cells for row in held.values() for one in row) > self._most and len(held) > 1:
            held.popitem(last=False)
        return key, found


def _places(
    view: View, allowed: Mask, *, evidence: Sequence[Evidence], wanted: TablesWanted
) -> Mapping[Place, list[int]]:
    """Return the allowed slots of each wanted table in order of document and passage."""
    places = _named(wanted)
    seeds = {place for one in evidence if (place := place_of(one.document_id)) is not None}
    seeds |= {place for place in places if place[0] is not TableKind.WRITTEN}
    texts = {str(one.document_id) for one in evidence if has_rows(one)}
    texts |= {key for kind, key in places if kind is TableKind.WRITTEN}
    known = _Wanted(view, seeds=seeds, stems=wanted.stems)
    rows: dict[Place, list[_Row]] = {}
    for document, held in documents_of_view(view):
        place = known.place(document)
        if place is None and document not in texts:
            continue  # most documents: their slots are not looked at
        row = [slot for slot in held if allowed[slot]]
        if place is not None and row:
            rows.setdefault(place, []).append((document, row))
        if document in texts and 0 < len(row) <= _MOST_PASSAGES:
            rows[TableKind.WRITTEN, document] = [(document, row)]
    return {
        place: _in_order(own)
        for place, own in rows.items()
        if len(own) <= (_MOST_PAGES if place[0] is TableKind.PAGES else MOST_ROWS)
    }


def _first_places(view: View, allowed: Mask) -> Mapping[Place, list[int]]:
    """Return the allowed slots of the first tables of records, and of the first texts."""
    rows: dict[Place, list[_Row]] = {}
    texts = 0
    for document, held in documents_of_view(view):
        place = place_of(document)
        if place is None or place[0] is not TableKind.RECORDS:
            texts += 1
            place = (TableKind.WRITTEN, str(document)) if texts <= _MOST_TEXTS else None
        row = [slot for slot in held if allowed[slot]]
        if place is None or not row or (place not in rows and len(rows) >= _MOST_OUTLINED):
            continue
        rows.setdefault(place, []).append((document, row))
    return {
        place: slots
        for place, slots in ((place, _in_order(own)) for place, own in rows.items())
        if place[0] is TableKind.RECORDS or len(slots) <= _MOST_PASSAGES
    }


def _in_order(rows: Iterable[_Row]) -> list[int]:
    """Return the slots of some documents by document and passage: those of each are in order."""
    return [slot for _, row in sorted(rows) for slot in row]


def _chunk_ids(view: View, slots: Sequence[int]) -> list[ChunkId]:
    """Return the passages that slots lead to, looked up a segment at a time: they may be many."""
    places, start = np.asarray(slots, dtype=np.int64), 0
    found = np.zeros(len(places), dtype="S32")
    for live in view.snapshot.segments:
        here = (places >= start) & (places < start + live.segment.size)
        found[here] = live.segment.chunk_ids[places[here] - start]
        start += live.segment.size
    return [ChunkId(one.decode()) for one in found.tolist()]


def has_rows(evidence: Evidence) -> bool:
    """Tell whether a passage of a text has rows between bars."""
    return not evidence.document_id.startswith("record:") and "|" in evidence.text


def _place_named(name: str) -> Place:
    """Return the place of a table by its name, as `tables_at` gives names."""
    if match := _WRITTEN.fullmatch(name):
        return TableKind.WRITTEN, match[1]
    if name.endswith("/"):
        return TableKind.PAGES, name.removesuffix("/")
    return TableKind.RECORDS, name.partition("#")[0]


def _named(wanted: TablesWanted) -> set[Place]:
    return {_place_named(name) for name in wanted.names}


class _Wanted:
    """Which tables of records and pages are wanted: those of the seeds, and a few named ones."""

    def __init__(self, view: View, *, seeds: set[Place], stems: frozenset[str]) -> None:
        self._seeds = seeds
        count = sum(len(live.segment.documents) for live in view.snapshot.segments)
        self._stems = stems if count <= _FEW else frozenset[str]()
        self._known: dict[Place, bool] = dict.fromkeys(seeds, True)

    def place(self, document: str) -> Place | None:
        """Return the table of a document if it is wanted."""
        place = place_of(document)
        if place is None or (not self._stems and place not in self._seeds):
            return None
        if place not in self._known:
            room = sum(self._known.values()) < len(self._seeds) + _MOST_NAMED
            self._known[place] = room and not self._stems.isdisjoint(_stems_named_by(place[1]))
        return place if self._known[place] else None


def _stems_named_by(key: str) -> frozenset[str]:
    """Return the stems of the last part of a family's key, a file's ending left out."""
    name = key.rpartition("/")[2].rpartition(".")
    return frozenset(stem(word.casefold()) for word in words(name[0] or name[2]))


def documents_of_view(view: View) -> Iterator[tuple[str, range]]:
    """Yield every document with its slots, in order of chunks."""
    start = 0
    for live in view.snapshot.segments:
        first = (live.segment.first + start).tolist()
        for at, (document, _, _) in enumerate(live.segment.documents):
            yield document, range(first[at], first[at + 1])
        start += live.segment.size
