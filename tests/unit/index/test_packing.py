"""Names that were kept are those that would be counted anew, and nothing else is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from index_histories import Op, arrays, changed, operations, shown
from weft.index.entities import build
from weft.index.named_view import named_view
from weft.index.packing import PackedNames, array_names, pack, unpack
from weft.index.snapshot import Snapshot, all_alive, empty, merged_segments
from weft.index.strings.texts import Texts, joined_texts
from weft.index.view import View, view

CLASSES = st.sets(st.sampled_from([1, 2, 3]), min_size=1)


def lived(ops: list[Op]) -> Snapshot:
    """Return what a history leaves, without dead slots, as it is when it is saved."""
    snapshot = empty(0)
    for version, op in enumerate(ops, start=1):
        snapshot = changed(snapshot, version, op)
        named_view(view(snapshot, [1, 2, 3]))  # numbers are given to what is deleted later
    segments = (
        merged_segments([live], live.segment.name, lexicon=snapshot.lexicon)
        for live in snapshot.segments
    )
    return replace(snapshot, segments=tuple(segments))


def read_back(packed: PackedNames) -> PackedNames:
    """Return what was packed, its strings as they lie in a file."""
    texts = {name: Texts(joined_texts(held)) for name, held in packed.texts.items()}
    return replace(packed, texts=texts)


def resumed(snapshot: Snapshot, classes: set[int]) -> View:
    """Return a view as another process has it that reads what was kept of it."""
    key = tuple(sorted(classes))
    counted = named_view(view(snapshot, classes)).entities
    lexicon, found = unpack(read_back(pack(snapshot, {key: counted})))
    loaded = [live.segment for live in snapshot.segments]
    segments = tuple(all_alive(one, lexicon.serials(one.size)) for one in loaded)
    seen = view(replace(snapshot, segments=segments, lexicon=lexicon), classes)
    seen.kept[True] = found[key]
    return seen


@settings(max_examples=60, deadline=None)
@given(ops=operations, classes=CLASSES)
def test_what_is_kept_equals_what_is_counted_anew(ops: list[Op], classes: set[int]) -> None:
    snapshot = lived(ops)
    seen = resumed(snapshot, classes)
    fresh = replace(snapshot, lexicon=type(snapshot.lexicon)())
    anew = view(fresh, classes)
    assert shown(named_view(seen)) == shown(named_view(anew))
    assert arrays(named_view(seen).entities) == arrays(build(seen.snapshot, seen.readable))


@settings(max_examples=60, deadline=None)
@given(ops=operations, later=operations, classes=CLASSES)
def test_changes_go_on_from_what_is_kept(ops: list[Op], later: list[Op], classes: set[int]) -> None:
    seen = resumed(lived(ops), classes)
    snapshot = seen.snapshot
    for version, op in enumerate(later, start=100):
        snapshot = changed(snapshot, version, op)
        seen = view(snapshot, classes, after=seen)
    updated = named_view(seen).entities
    assert arrays(updated) == arrays(build(snapshot, seen.readable))


@settings(max_examples=60, deadline=None)
@given(ops=operations)
def test_nothing_of_what_was_deleted_is_kept(ops: list[Op]) -> None:
    snapshot = lived(ops)
    packed = pack(snapshot, {(1,): named_view(view(snapshot, [1])).entities})
    words = {word for live in snapshot.segments for word in live.segment.facts.words}
    keys = {key for live in snapshot.segments for key in live.segment.facts.keys}
    assert set(packed.texts["keys"]) == keys
    within = {word for key in keys for word in key.split(" ")}
    assert words <= set(packed.texts["words"]) <= words | within
    assert sorted(packed.arrays) == sorted(array_names(1))
    assert all(isinstance(values, np.ndarray) for values in packed.arrays.values())
