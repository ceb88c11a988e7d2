"""Where only the leading passages are looked at closely: hidden documents still change nothing."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.domain.document import Span
from weft.index.columns import columns_of
from weft.index.local_facts import local_facts
from weft.index.segment import DocumentRow, PassageRow
from weft.index.snapshot import Changes, apply, empty
from weft.index.view import View, view
from weft.language.terms import terms
from weft.retrieval import first_stage as first
from weft.retrieval import second_hop as hop
from weft.retrieval.first_stage import SearchQuestion
from weft.retrieval.hits import Query
from weft.retrieval.ranker import shipped
from weft.retrieval.ranking import begin, described, ranked, stages_of
from worlds import DIMENSIONS, SENTENCES, vector

QUESTION = "Who leads the service Apollo of Hopper in Seoul?"
World = list[tuple[int, int, int]]
worlds = st.lists(
    st.tuples(
        st.integers(0, len(SENTENCES) - 1),
        st.integers(0, len(SENTENCES) - 1),
        st.sampled_from([1, 2]),
    ),
    min_size=4,
    max_size=24,
)


def row(number: int, said: tuple[int, int], acl: int) -> DocumentRow:
    """Return a document of two sentences; many have the same, so that scores tie."""
    parts = [SENTENCES[at] for at in said]
    text = " ".join(parts)
    spans = [Span(start=0, end=len(parts[0])), Span(start=len(parts[0]) + 1, end=len(text))]
    facts = local_facts("", text, sentences=spans)
    passage = PassageRow(
        chunk_id=f"c{number}",
        chunk_index=0,
        acl_class=acl,
        stems=[stem for stem, _ in facts.terms],
        counts=np.array([count for _, count in facts.terms], dtype=np.int32),
        vector=vector(text),
        sentence_vectors=np.stack([vector(part) for part in parts]),
        facts=columns_of(facts),
    )
    return DocumentRow(id=f"doc{number:02}", source="s", type="file", passages=[passage])


def seen(documents: list[DocumentRow], *, each: int) -> View:
    """Return the view of class 1 after the documents came a few at a time."""
    snapshot = empty(DIMENSIONS)
    for version, start in enumerate(range(0, len(documents), each), start=1):
        some = documents[start : start + each]
        changes = Changes(version=version, documents=some, gone=frozenset())
        snapshot = apply(snapshot, changes, name=f"s{version}")
    return view(snapshot, [1])


def answers(shown: View) -> list[tuple[object, ...]]:
    """Return the ranking in full: documents, scores to the bit, and what led to each."""
    asked = SearchQuestion(
        text=QUESTION,
        stems=frozenset(terms(QUESTION)),
        vector=vector(SENTENCES[3]),
        weights=Query(text=QUESTION).weights,
    )
    begun = begin(shown, asked)
    stages = stages_of(begun, [vector(text) for text in begun.requeries])
    found = ranked(stages, shipped(), allowed=shown.readable)
    told = [described(stages, asked, slot=slot, score=score) for slot, score in found]
    return [(one.place, one.score.hex(), one.cosine.hex(), one.path) for one in told]


@settings(max_examples=60, deadline=None)
@given(world=worlds, near=st.integers(1, 6), each=st.integers(1, 24), data=st.data())
def test_the_border_of_the_shortcut_goes_by_what_is_readable(
    world: World, near: int, each: int, data: st.DataObject
) -> None:
    rows = [row(at, (one, other), acl) for at, (one, other, acl) in enumerate(world)]
    order = data.draw(st.permutations(rows))
    readable = [one for one in rows if one.passages[0].acl_class == 1]
    with patch.object(first, "NEAR", near), patch.object(hop, "NEAR", near):
        assert answers(seen(order, each=each)) == answers(seen(readable, each=len(rows)))


def test_a_passage_beyond_the_border_is_judged_by_its_own_vector() -> None:
    rows = [row(at, (at % len(SENTENCES), 3), 1) for at in range(8)]
    shown = seen(rows, each=8)
    with patch.object(first, "NEAR", 1), patch.object(hop, "NEAR", 1):
        begun = begin(
            shown,
            SearchQuestion(
                text=QUESTION,
                stems=frozenset(terms(QUESTION)),
                vector=vector(SENTENCES[3]),
                weights=Query(text=QUESTION).weights,
            ),
        )
    nearer = begun.first.sentence > begun.first.passage
    assert nearer.sum() == 1
    assert begun.first.sentence[nearer][0] > 0.99
