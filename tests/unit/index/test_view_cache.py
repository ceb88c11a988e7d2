"""Views of a snapshot as they are made: what questions may go by meanwhile."""

from __future__ import annotations

import pytest

from index_histories import changed
from weft.index import named_view
from weft.index.entities import Entities
from weft.index.view import View
from weft.index.view_cache import ViewCache
from weft.index.walks.graph import PassageGraph, graph_of

_CLASSES = (1,)


def test_the_last_complete_view_is_there_until_the_next_one_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache = ViewCache(0)
    first = changed(cache.nothing(), 1, (0, (0,), 1))
    cache.complete(first, _CLASSES)
    complete = cache.last(_CLASSES)
    assert complete is not None
    assert complete.snapshot is first
    seen: list[View | None] = []

    def watched(entities: Entities, passages: int) -> PassageGraph:
        seen.append(cache.last(_CLASSES))
        return graph_of(entities, passages)

    monkeypatch.setattr(named_view, "graph_of", watched)
    second = changed(first, 2, (1, (1,), 1))
    cache.complete(second, _CLASSES)
    assert seen == [complete]
    after = cache.last(_CLASSES)
    assert after is not None
    assert after.snapshot is second
    assert after.former == []
