"""Histories of a few documents, and all that an entity view holds, for laws of the index."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from weft.domain.document import Span
from weft.index.columns import columns_of
from weft.index.entities import Entities
from weft.index.local_facts import local_facts
from weft.index.named_view import NamedView
from weft.index.segment import DocumentRow, PassageRow
from weft.index.snapshot import Changes, Snapshot, apply
from weft.index.walks.graph import walk
from worlds import SENTENCES

QUESTION = "Li Wei of Apollo and Hopper"
Op = tuple[int, tuple[int, ...], int]
operations = st.lists(
    st.tuples(
        st.integers(0, 6),
        st.lists(st.integers(0, len(SENTENCES) - 1), max_size=3).map(tuple),
        st.sampled_from([1, 2, 3]),
    ),
    min_size=1,
    max_size=24,
)


def row(number: int, chosen: tuple[int, ...], acl: int) -> DocumentRow:
    """Return a document of one passage a sentence chosen, each followed by the first of all."""
    passages = []
    for index, at in enumerate(chosen):
        said = [SENTENCES[at], SENTENCES[chosen[0]]]
        text = " ".join(said)
        spans = [Span(start=0, end=len(said[0])), Span(start=len(said[0]) + 1, end=len(text))]
        facts = local_facts(f"Doc {number}", text, sentences=spans)
        passages.append(
            PassageRow(
                chunk_id=f"{number}-{index}",
                chunk_index=index,
                acl_class=acl,
                stems=[stem for stem, _ in facts.terms],
                counts=np.array([count for _, count in facts.terms], dtype=np.int32),
                vector=None,
                sentence_vectors=None,
                facts=columns_of(facts),
            )
        )
    return DocumentRow(id=f"doc{number}", source="s", type="file", passages=passages)


def changed(snapshot: Snapshot, version: int, op: Op) -> Snapshot:
    """Apply one change: a document without sentences is deleted."""
    number, chosen, acl = op
    documents = [row(number, chosen, acl)] if chosen else []
    gone = frozenset() if chosen else frozenset({f"doc{number}"})
    changes = Changes(version=version, documents=documents, gone=gone)
    return apply(snapshot, changes, name=f"s{version}")


def arrays(entities: Entities) -> list[bytes]:
    counts, mentions, links = entities.counts, entities.mentions, entities.links
    return [
        values.tobytes()
        for values in (
            *(counts.lower, counts.upper, counts.common),
            *(counts.spans, counts.definitions, counts.known),
            *(mentions.ptr, mentions.columns["key"], mentions.columns["sentence"]),
            *(links.ptr, links.columns["key"], links.columns["weight"]),
            *(entities.df, entities.weight),
        )
    ]


def shown(seen: NamedView) -> object:
    """Return all of a view in strings, passages in order of their document: free of numbers."""
    found = []
    walked = walk(seen.graph, slots={}, keys=dict.fromkeys(seen.asked(QUESTION), 1.0))
    for slot in np.flatnonzero(seen.view.readable).tolist():
        mentions = sorted((seen.lexicon.text(key), at) for key, at in seen.mentions(slot))
        own = sorted(map(seen.lexicon.text, seen.defined(slot)))
        keys = sorted(
            (seen.lexicon.text(key), int(seen.entities.df[key]), float(seen.graph.idf[key]).hex())
            for key in seen.keys(slot).tolist()
        )
        found.append((seen.view.order(slot), mentions, own, keys, walked[slot].tobytes()))
    return sorted(found)
