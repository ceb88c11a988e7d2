"""The entity view by difference: after any history it equals the one built whole, to the bit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from index_histories import Op, arrays, changed, operations, row, shown
from weft.index.entities import build
from weft.index.named_view import named_view
from weft.index.snapshot import Changes, apply, empty
from weft.index.view import view
from weft.index.walks.graph import graph_of, walk


@settings(max_examples=80, deadline=None)
@given(
    ops=operations, classes=st.sets(st.sampled_from([1, 2, 3]), min_size=1), skip=st.integers(1, 4)
)
def test_an_updated_view_equals_one_built_whole(
    ops: list[Op], classes: set[int], skip: int
) -> None:
    snapshot = empty(0)
    seen = view(snapshot, classes)
    named_view(seen)
    for version, op in enumerate(ops, start=1):
        snapshot = changed(snapshot, version, op)
        seen = view(snapshot, classes, after=seen)
        if version % skip == 0 or version == len(ops):  # a view may be passed over
            updated = named_view(seen).entities
            assert arrays(updated) == arrays(build(snapshot, seen.readable))


@settings(max_examples=60, deadline=None)
@given(ops=operations, classes=st.sets(st.sampled_from([1, 2, 3]), min_size=1))
def test_a_view_names_what_the_world_without_the_rest_names(
    ops: list[Op], classes: set[int]
) -> None:
    snapshot = empty(0)
    seen = view(snapshot, classes)
    for version, op in enumerate(ops, start=1):
        snapshot = changed(snapshot, version, op)
        seen = view(snapshot, classes, after=seen)
        named_view(seen)
    last = {number: (chosen, acl) for number, chosen, acl in ops}
    left = [(n, *rest) for n, rest in sorted(last.items()) if rest[0] and rest[1] in classes]
    documents = [row(*one) for one in reversed(left)]
    alone = apply(empty(0), Changes(version=1, documents=documents, gone=frozenset()), name="alone")
    assert shown(named_view(seen)) == shown(named_view(view(alone, classes)))


def test_masses_of_a_walk_stay_whole() -> None:
    ops = [(number, (number, number + 1, number + 2), 1) for number in range(6)]
    snapshot = empty(0)
    for version, op in enumerate(ops, start=1):
        snapshot = changed(snapshot, version, op)
    seen = named_view(view(snapshot, [1]))
    graph = graph_of(seen.entities, seen.view.passages)
    walked = walk(graph, slots={0: 1.0}, keys={})
    assert 0.0 < walked.sum() < 1.0
    assert walked[0] == walked.max()
