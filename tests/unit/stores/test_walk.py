"""References are followed hop by hop, each edge once."""

from __future__ import annotations

from weft.domain.ids import DocumentId
from weft.stores.walk import Walk

EDGES = {
    ("a", "b"): ["mentions"],
    ("b", "c"): ["links", "mentions"],
    ("c", "d"): ["links"],
    ("d", "e"): ["links"],
}


def walked(depth: int) -> list[tuple[str, str, tuple[str, ...]]]:
    walk = Walk([DocumentId("b")], depth)
    while walk.frontier:
        near = set(walk.frontier)
        walk.add((s, t, kinds) for (s, t), kinds in EDGES.items() if near & {s, t})
    return [(one.source, one.target, one.kinds) for one in walk.references()]


def test_one_hop_gives_the_edges_of_the_start_alone() -> None:
    assert walked(1) == [("a", "b", ("mentions",)), ("b", "c", ("links", "mentions"))]


def test_a_walk_makes_one_hop_at_least_and_three_at_most() -> None:
    assert walked(0) == walked(1)
    assert walked(9) == walked(3)
    assert [edge[:2] for edge in walked(3)] == [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")]


def test_a_walk_from_nowhere_is_over() -> None:
    assert not Walk([], 3).frontier
