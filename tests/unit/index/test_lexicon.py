"""Numbers of words and keys: those of a merged segment are carried over, and are the same."""

from __future__ import annotations

from threading import Thread
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from index_histories import Op, changed, operations
from weft.index.named_view import named_view
from weft.index.snapshot import empty, merged_segments
from weft.index.view import view


@settings(max_examples=60, deadline=None)
@given(ops=operations, full=st.integers(2, 8), skip=st.integers(1, 4))
def test_a_merged_segment_is_numbered_as_its_strings_are(
    ops: list[Op], full: int, skip: int
) -> None:
    snapshot = empty(0)
    lexicon = snapshot.lexicon
    with patch.multiple("weft.index.snapshot", FULL=full, MOST_SMALL=2):
        for version, op in enumerate(ops, start=1):
            snapshot = changed(snapshot, version, op)
            if version % skip == 0:
                named_view(view(snapshot, [1, 2, 3]))
    thinned = [
        merged_segments([live], f"{live.segment.name}-thin", lexicon=lexicon)
        for live in snapshot.segments
    ]
    for live in (*snapshot.segments, *thinned):
        facts = live.segment.facts
        words, keys = lexicon.numbers(live.segment.name, facts)
        assert words.tolist() == [lexicon.word(text) for text in facts.words]
        assert keys.tolist() == [lexicon.key(text) for text in facts.keys]


def test_who_merges_does_not_wait_for_who_counts() -> None:
    """What cannot be numbered now is numbered when it is asked for, and the same."""
    snapshot = changed(empty(0), 1, (1, (0, 1, 2), 1))
    named_view(view(snapshot, [1]))
    (live,), lexicon = snapshot.segments, snapshot.lexicon
    with lexicon.lock:
        merging = Thread(
            target=merged_segments, args=([live], "again"), kwargs={"lexicon": lexicon}
        )
        merging.start()
        merging.join(timeout=60)
        assert not merging.is_alive()
    facts = live.segment.facts
    assert lexicon.numbers("again", facts)[0].tolist() == [lexicon.word(one) for one in facts.words]
