"""A view and what it names go with the last who looks at them."""

from __future__ import annotations

import gc
import weakref

from index_histories import changed
from weft.index.named_view import named_view
from weft.index.snapshot import empty
from weft.index.view import view


def test_names_go_with_their_view() -> None:
    """Arrays of a large base would stay until somebody looks for rings of objects."""
    seen = view(changed(empty(0), 1, (1, (0, 1, 2), 1)), [1])
    named = named_view(seen)
    assert named_view(seen).names is named.names
    counted = weakref.ref(named.entities.df)
    gc.disable()
    try:
        del seen, named
        assert counted() is None
    finally:
        gc.enable()
