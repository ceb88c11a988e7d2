"""A view with all that its passages name: made once for a view, then kept with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

import numpy as np

from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.index.columns import columns_of
from weft.index.entities import Entities, SlotNames, build, resolve, unpack_keys
from weft.index.gazetteer import Names, named
from weft.index.lexicon import Lexicon
from weft.index.local_facts import local_facts
from weft.index.rows import Rows
from weft.index.tables import Ints, Longs, offsets, rows_of, stable_order
from weft.index.view import View
from weft.index.walks.graph import PassageGraph, graph_of


@dataclass(frozen=True, slots=True, kw_only=True)
class NameGraph:
    """The entities of a view's passages, and the graph of both.

    `figures` are what was computed of all of it once, by name; `holders` are the slots of each
    key, side by side, and where those of each begin, once they were asked for.
    """

    entities: Entities
    graph: PassageGraph
    figures: dict[str, float] = field(default_factory=dict, compare=False, repr=False)
    holders: list[tuple[Longs, Longs]] = field(default_factory=list, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedView:
    """A view together with what its passages name.

    The view keeps the names and not this, which leads back to it: a ring of arrays would stay in
    memory until somebody looks for rings.
    """

    view: View
    names: NameGraph

    @property
    def entities(self) -> Entities:
        """Return the entities of the passages."""
        return self.names.entities

    @property
    def graph(self) -> PassageGraph:
        """Return the graph of passages and entities."""
        return self.names.graph

    @property
    def lexicon(self) -> Lexicon:
        """Return the lexicon that numbers the keys."""
        return self.view.snapshot.lexicon

    def keys(self, slot: int) -> Ints:
        """Return the keys that a slot's passage names or defines, ascending."""
        rows = self.entities.links
        return rows.columns["key"][rows.ptr[slot] : rows.ptr[slot + 1]]

    def defined(self, slot: int) -> frozenset[int]:
        """Return the keys that a slot's passage defines."""
        rows = slice(self.entities.links.ptr[slot], self.entities.links.ptr[slot + 1])
        columns = self.entities.links.columns
        return frozenset(columns["key"][rows][columns["weight"][rows] == 2].tolist())

    def mentions(self, slot: int) -> Sequence[tuple[int, int]]:
        """Return (key, sentence) of each mention of a slot, the sentence -1 in the title."""
        rows = slice(self.entities.mentions.ptr[slot], self.entities.mentions.ptr[slot + 1])
        columns = self.entities.mentions.columns
        return list(
            zip(columns["key"][rows].tolist(), columns["sentence"][rows].tolist(), strict=True)
        )

    def named(self, slots: Longs) -> tuple[Longs, Ints, Ints]:
        """Return all that some slots name or define: place among the slots, key, and weight.

        The weight is 2 where a passage defines the key, else 1.
        """
        rows, place = rows_of(self.entities.links, slots)
        columns = self.entities.links.columns
        return place, columns["key"][rows], columns["weight"][rows]

    def having(self, keys: Iterable[int]) -> dict[int, Longs]:
        """Return for each key the slots whose passages name or define it, ascending."""
        slots, ptr = self._holders()
        return {key: slots[ptr[key] : ptr[key + 1]] for key in keys}

    def _holders(self) -> tuple[Longs, Longs]:
        """Return the slots of each key side by side, and where those of each begin."""
        if not self.names.holders:
            links = self.entities.links
            order = stable_order(links.columns["key"])
            slots = np.repeat(np.arange(len(links.ptr) - 1), np.diff(links.ptr))[order]
            self.names.holders.append((slots, offsets(self.entities.df)))
        return self.names.holders[0]

    def defining(self, key: int) -> Longs:
        """Return the slots whose passages define a key, ascending."""
        links = self.entities.links
        defined = (links.columns["key"] == key) & (links.columns["weight"] == 2)
        slots: Longs = np.searchsorted(links.ptr, np.flatnonzero(defined), side="right") - 1
        return slots

    def asked(self, question: str) -> Sequence[int]:
        """Return the keys that a question names and some passage has, in order of their text.

        The same extractor reads questions and passages.
        """
        lexicon = self.lexicon
        span = Span(start=0, end=len(question))
        facts = columns_of(local_facts("", question, sentences=[span]))
        words = np.array([self._word(word) for word in facts.words], dtype=np.int32)
        tokens = _rows(
            word=words[np.array(facts.places, dtype=np.int64)],
            flagged=np.array(facts.flags, dtype=np.int32),
            sentence=np.zeros(len(facts.places), dtype=np.int32),
        )
        rows = [row for row in facts.spans if 0 <= lexicon.key(row[0]) < len(self.entities.df)]
        spans = _rows(
            key=np.array([lexicon.key(row[0]) for row in rows], dtype=np.int32),
            sentence=np.zeros(len(rows), dtype=np.int32),
            reading=np.array([row[2] for row in rows], dtype=np.int32),
            word0=np.array([self._word(row[3]) for row in rows], dtype=np.int32),
        )
        counts = self.entities.counts
        none = Names(
            place=np.zeros(0, np.int64), sentence=np.zeros(0, np.int32), key=np.zeros(0, np.int32)
        )
        read = SlotNames(
            slots=np.zeros(1, dtype=np.int64),
            tokens=tokens,
            spans=named(spans, lexicon, common=counts.common),
            definitions=none,
        )
        mentions, _ = resolve(read, lexicon, known=counts.known, titles=True)
        keys = set(unpack_keys(mentions).tolist())
        found = [key for key in keys if self.entities.df[key]]
        return sorted(found, key=lexicon.text)

    def _word(self, text: str) -> int:
        """Return the number of a word that this view has counted, else -1."""
        number = self.lexicon.word(text)
        return number if number < len(self.entities.counts.common) else -1


def _rows(**columns: Ints) -> Rows:
    size = len(next(iter(columns.values())))
    return Rows(place=np.zeros(size, dtype=np.int64), columns=columns)


def named_view(view: View, *, titles: bool = True) -> NamedView:
    """Return a view with its names, from the view itself if it was made before.

    Without `titles`, they name no entities: for measuring alone.
    """
    with view.lock:
        held = view.kept.get(titles)
        if isinstance(held, NameGraph):
            return NamedView(view=view, names=held)
        with view.snapshot.lexicon.lock:
            entities = _entities(view, titles)
        made = NameGraph(entities=entities, graph=graph_of(entities, view.passages))
        view.kept[titles] = made
        # Not before: until now questions may go by an earlier view, and that is found here.
        view.former.clear()
        return NamedView(view=view, names=made)


def counted_of(view: View, *, titles: bool = True) -> Entities | None:
    """Return what is counted of a view already, None before."""
    held = view.kept.get(titles)
    if isinstance(held, NameGraph):
        return held.entities
    return held if isinstance(held, Entities) else None


def _entities(view: View, titles: bool) -> Entities:
    own = counted_of(view, titles=titles)
    if own is not None:
        return own
    for former in view.former:
        held = counted_of(former, titles=titles)
        if held is not None:
            # Here, because most questions find nothing changed.
            from weft.index.entity_updates import MaskedSnapshot, update

            before = MaskedSnapshot(snapshot=former.snapshot, readable=former.readable)
            now = MaskedSnapshot(snapshot=view.snapshot, readable=view.readable)
            return update(held, before=before, now=now)
    return build(view.snapshot, view.readable, titles=titles)
