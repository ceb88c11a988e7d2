"""What is computed over some slots equals to the bit what a pass over all of them gives."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.index.scoring import cosines
from weft.index.segment import DocumentRow, PassageRow
from weft.index.snapshot import Changes, apply, empty
from weft.index.vectors import best_sentences, greatest, leading, passage_vectors
from weft.index.view import View, view

WIDTH = 384  # that of the product's embedder: other widths take other ways through the arithmetic
DOCUMENTS = 40


def row(number: int, rng: np.random.Generator) -> DocumentRow:
    """Return a document of one passage with 0 to 4 sentences, every third one of another class."""
    sentences = rng.standard_normal((number % 5, WIDTH), dtype=np.float32)
    passage = PassageRow(
        chunk_id=f"c{number}",
        chunk_index=0,
        acl_class=1 + (number % 3 == 0),
        stems=["a"],
        counts=np.ones(1, dtype=np.int32),
        vector=rng.standard_normal(WIDTH, dtype=np.float32),
        sentence_vectors=sentences if len(sentences) else None,
    )
    return DocumentRow(id=f"doc{number:02}", source="s", type="file", passages=[passage])


def world() -> View:
    """Return a view of some of the documents, in segments of different sizes."""
    rng = np.random.default_rng(5)
    rows = [row(number, rng) for number in range(DOCUMENTS)]
    snapshot = empty(WIDTH)
    for version, (first, last) in enumerate([(0, 21), (21, 22), (22, DOCUMENTS)], start=1):
        changes = Changes(version=version, documents=rows[first:last], gone=frozenset())
        snapshot = apply(snapshot, changes, name=f"s{version}")
    return view(snapshot, [1])


@given(chosen=st.sets(st.integers(0, DOCUMENTS - 1)), seed=st.integers(0, 9))
def test_gathered_rows_give_the_same_bits(chosen: set[int], seed: int) -> None:
    seen = world()
    question = np.random.default_rng(seed).standard_normal(WIDTH, dtype=np.float32)
    slots = np.array(sorted(chosen), dtype=np.int64)
    all_passages = seen.rows(lambda rows: cosines(rows, question))
    assert (
        cosines(passage_vectors(seen, slots), question).tobytes() == all_passages[slots].tobytes()
    )
    all_sentences = seen.best_sentences(lambda rows: cosines(rows, question))
    assert (
        best_sentences(seen, slots, question=question).tobytes() == all_sentences[slots].tobytes()
    )


@given(
    levels=st.lists(st.integers(0, 4), min_size=DOCUMENTS, max_size=DOCUMENTS),
    limit=st.integers(1, DOCUMENTS),
)
def test_the_border_goes_by_readable_scores_and_keeps_ties(levels: list[int], limit: int) -> None:
    seen = world()
    scores = np.array(levels, dtype=np.float64)
    chosen = leading(seen, scores, limit=limit)
    readable = np.flatnonzero(seen.readable)
    assert set(chosen) <= set(readable)
    assert len(chosen) >= min(limit, len(readable))
    border = scores[chosen].min()
    assert set(chosen) == {slot for slot in readable if scores[slot] >= border}
    assert (scores[readable] > border).sum() < limit
    hidden = np.where(seen.readable, scores, 99.0)
    assert leading(seen, hidden, limit=limit).tolist() == chosen.tolist()


def test_the_greatest_of_few_are_all() -> None:
    assert greatest(np.array([1.0, 3.0, 3.0]), limit=3).tolist() == [0, 1, 2]
    assert greatest(np.array([1.0, 3.0, 3.0]), limit=1).tolist() == [1, 2]
