"""Snapshots and views: any way of getting to a version shows the same, to the bit."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.index.merging import merge
from weft.index.scoring import bm25, cosines, idf, mixed, scaled
from weft.index.segment import DocumentRow, PassageRow
from weft.index.snapshot import (
    FEW_SMALL,
    FULL,
    MOST_SMALL,
    Changes,
    Snapshot,
    apply,
    compacted,
    empty,
)
from weft.index.view import top, view
from weft.language.terms import terms
from worlds import DIMENSIONS, SENTENCES, vector

Ops = list[tuple[int, int, int]]


def row(number: int, variant: int, acl: int) -> DocumentRow:
    said = [SENTENCES[(number + variant) % len(SENTENCES)], SENTENCES[variant % len(SENTENCES)]]
    passages = []
    for index, text in enumerate(said):
        counted: dict[str, int] = {}
        for term in terms(text):
            counted[term] = counted.get(term, 0) + 1
        stems = sorted(counted)
        passages.append(
            PassageRow(
                chunk_id=f"{number}-{variant}-{index}",
                chunk_index=index,
                acl_class=acl,
                stems=stems,
                counts=np.array([counted[stem] for stem in stems], dtype=np.int32),
                vector=vector(text),
                sentence_vectors=np.stack([vector(text + "!")] * (index + 1)),
            )
        )
    return DocumentRow(id=f"doc{number}", source="s", type="file", passages=passages)


def play(ops: Ops) -> Snapshot:
    """Apply one change a version: variant 0 deletes the document."""
    snapshot = empty(DIMENSIONS)
    for version, (number, variant, acl) in enumerate(ops, start=1):
        documents = [row(number, variant, acl)] if variant else []
        gone = frozenset() if variant else frozenset({f"doc{number}"})
        changes = Changes(version=version, documents=documents, gone=gone)
        snapshot = apply(snapshot, changes, name=f"s{version}")
    return snapshot


def whole(ops: Ops) -> Snapshot:
    """Build the last state of each document at once."""
    last = {number: (variant, acl) for number, variant, acl in ops}
    documents = [row(number, *rest) for number, rest in sorted(last.items()) if rest[0]]
    changes = Changes(version=len(ops), documents=documents, gone=frozenset())
    return apply(empty(DIMENSIONS), changes, name="whole")


def shown(snapshot: Snapshot, classes: set[int]) -> list[object]:
    seen = view(snapshot, classes)
    asked = vector("question")
    scores = mixed(
        [
            (0.4, scaled(bm25(seen, terms("Apollo outage Li Wei")), seen.readable)),
            (0.35, scaled(seen.rows(lambda rows: cosines(rows, asked)), seen.readable)),
            (0.25, scaled(seen.best_sentences(lambda r: cosines(r, asked)), seen.readable)),
        ]
    )
    found = top(seen, scores, allowed=seen.readable, limit=50)
    ranked = [
        (place.chunk_id, scores[slot].tobytes(), seen.sentence_vectors(slot).tobytes())
        for slot, place in found
    ]
    return [seen.passages, seen.total_length, ranked]


operations = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 4), st.sampled_from([1, 2, 3])),
    min_size=1,
    max_size=30,
)


@settings(max_examples=60)
@given(
    ops=operations,
    classes=st.sets(st.sampled_from([1, 2, 3])),
    full=st.sampled_from([2, 5, FULL]),
    small=st.sampled_from([1, 3, FEW_SMALL]),
)
def test_every_history_shows_its_last_state(
    ops: Ops, classes: set[int], full: int, small: int
) -> None:
    with patch.multiple("weft.index.snapshot", FULL=full, MOST_SMALL=small):
        played = play(ops)
        assert shown(played, classes) == shown(whole(ops), classes)
        assert shown(compacted(played, most=1), classes) == shown(played, classes)


@given(ops=operations)
def test_what_is_full_is_merged_no_more(ops: Ops) -> None:
    with patch.multiple("weft.index.snapshot", FULL=4, MOST_SMALL=2):
        sizes = [live.segment.size for live in play(ops).segments]
    assert max(sizes, default=0) <= 8
    assert sum(size < 4 for size in sizes) <= 3


def test_what_came_at_once_lies_in_parts_of_whole_documents() -> None:
    with patch.multiple("weft.index.snapshot", FULL=4):
        snapshot = whole([(n, 1, 1) for n in range(7)])
    assert [live.segment.size for live in snapshot.segments] == [4, 4, 4, 2]
    assert len({live.segment.name for live in snapshot.segments}) == 4


@settings(max_examples=40)
@given(ops=operations, kept=st.sets(st.integers(0, 6), min_size=1))
def test_one_segment_is_thinned_as_several_are_merged(ops: Ops, kept: set[int]) -> None:
    (live,) = whole([*ops, (6, 1, 1)]).segments
    alive = np.array([int(live.segment.documents[d][0][3:]) in kept for d in live.segment.document])
    nothing = np.zeros(live.segment.size, dtype=np.bool_)
    alone, _ = merge("one", [(live.segment, alive)])
    beside, _ = merge("one", [(live.segment, alive), (live.segment, nothing)])
    assert repr(alone) == repr(beside)


@settings(max_examples=60)
@given(ops=operations, classes=st.sets(st.sampled_from([1, 2, 3])))
def test_a_view_is_the_world_without_the_rest(ops: Ops, classes: set[int]) -> None:
    last = {number: (variant, acl) for number, variant, acl in ops}
    readable = [(n, *rest) for n, rest in sorted(last.items()) if rest[1] in classes]
    assert shown(play(ops), classes) == shown(whole(readable), classes)


def test_a_part_without_life_is_let_go_and_many_parts_become_one() -> None:
    snapshot = play([(n, 1, 1) for n in range(2 * MOST_SMALL)])
    assert len(snapshot.segments) <= MOST_SMALL
    assert len(compacted(snapshot, most=FEW_SMALL).segments) <= FEW_SMALL
    assert view(snapshot, [1]).passages == 4 * MOST_SMALL
    assert play([(0, 1, 1), (0, 0, 1)]).segments == ()


def test_a_rare_term_weighs_more() -> None:
    assert idf(100, 1) > idf(100, 50) > idf(100, 100) > 0


@pytest.mark.parametrize("values", [[], [0.5], [0.5, 0.5]])
def test_scores_that_are_all_equal_become_nothing(values: list[float]) -> None:
    mask = np.ones(len(values), dtype=np.bool_)
    assert scaled(np.array(values), mask).tolist() == [0.0] * len(values)


def test_a_row_has_its_product_wherever_it_stands() -> None:
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((501, 384)).astype(np.float32)
    asked = rng.standard_normal(384).astype(np.float32)
    alone = np.concatenate([cosines(rows[i : i + 1], asked) for i in range(len(rows))])
    order = rng.permutation(len(rows))
    assert cosines(rows, asked).tobytes() == alone.tobytes()
    assert cosines(rows[order], asked).tobytes() == alone[order].tobytes()
