"""Rows of a store as values."""

from __future__ import annotations

import json

from weft.platform.identity import local_owner
from weft.stores.packing import pack_spans
from weft.stores.rows import to_stored

HEAD = ("doc", 0, "Words.", 0, 6, None, None, 1, pack_spans(()))
TAIL = ("source", "record", "Title", "uri", "v1", '["tenant:*"]', json.dumps({"n": 1}), None, None)


def test_chunks_of_one_document_share_it() -> None:
    """What a wide record says of itself is not held once for each of its chunks."""
    rows = [(f"chunk{number}", *HEAD, *TAIL) for number in range(3)]
    other = ("chunk9", "other", *HEAD[1:], *TAIL)
    found = to_stored(iter([*rows, other]), local_owner())
    assert [*found] == ["chunk0", "chunk1", "chunk2", "chunk9"]
    assert found["chunk0"].document is found["chunk2"].document
    assert found["chunk9"].document.id == "other"
    assert found["chunk0"].document.metadata == {"n": 1}
