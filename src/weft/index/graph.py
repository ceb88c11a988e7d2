"""The graph of passages and the entities they name, and Personalised PageRank over it.

Sums are exact and so do not depend on their order: every value is a multiple of 2^-45 before it is
multiplied by 1 or 2 and added.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.index.entities import Entities
from weft.index.tables import Longs, SlotTable

Doubles = npt.NDArray[np.float64]
STEPS = 12
RESTART = 0.15
_FEW = 50
_SHARE = 0.02
_GRAIN = 2.0**45
_DENSE = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageGraph:
    """Edges between slots and entities in 2 to max(50, 2 %) passages, scaled for the walk.

    `idf` is float64[keys], `links` are the entities'. `edge_*` are the kept edges, `number` the
    place of a key among the kept entities or -1, `idf_of` and `weight_of` theirs. An entity of one
    passage gives back all it gets: `own` is that share of each slot.
    """

    idf: Doubles
    links: SlotTable
    edge_slot: Longs
    edge_entity: Longs
    edge_weight: Doubles
    number: Longs
    idf_of: Doubles
    weight_of: Doubles
    degree: Doubles
    own: Doubles


def graph_of(entities: Entities, passages: int) -> PassageGraph:
    """Return the graph of a view of so many passages."""
    df, idf = entities.df, _rarities(entities.df, passages)
    sizes = np.diff(entities.links.ptr)
    slots = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    key, weight = entities.links.columns["key"], entities.links.columns["weight"]
    most = max(_FEW, _SHARE * passages)
    kept = (df > 1) & (df <= most)
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    edges = np.flatnonzero(np.take(kept, key, mode="clip"))
    alone = np.flatnonzero(np.take(df == 1, key, mode="clip"))
    shares = np.take(np.where(df <= most, idf, 0.0), key, mode="clip")
    shares *= weight
    own = np.bincount(slots[alone], shares[alone], len(sizes)).astype(np.float64, copy=False)
    degree = np.bincount(slots, shares, len(sizes)).astype(np.float64, copy=False)
    return PassageGraph(
        idf=idf,
        links=entities.links,
        edge_slot=slots[edges],
        edge_entity=number[key[edges]],
        edge_weight=weight[edges].astype(np.float64),
        number=number,
        idf_of=idf[kept],
        weight_of=entities.weight[kept].astype(np.float64),
        degree=degree,
        own=own,
    )


def walk(graph: PassageGraph, *, slots: Mapping[int, float], keys: Mapping[int, float]) -> Doubles:
    """Return float64[slots]: how much of a walk that restarts at these ends at each slot.

    The masses need not sum to one; a key of too many passages counts for nothing.
    """
    total = math.fsum([*slots.values(), *keys.values()])
    size = len(graph.degree)
    if not total:
        return np.zeros(size)
    restart, entity, alone = np.zeros(size), np.zeros(len(graph.idf_of)), np.zeros(size)
    for slot, mass in slots.items():
        restart[slot] += RESTART * mass / total
    for key, mass in keys.items():
        if graph.number[key] >= 0:
            entity[graph.number[key]] += RESTART * mass / total
        else:
            rows = np.flatnonzero(graph.links.columns["key"] == key)
            if len(rows) == 1:
                slot = np.searchsorted(graph.links.ptr, rows[0], side="right") - 1
                alone[slot] += RESTART * mass / total
    rest = 1.0 - RESTART
    here, there, kept = restart / RESTART, entity / RESTART, alone / RESTART
    reached = graph.degree > 0
    scale, room = (rest * graph.idf_of, rest * graph.own), np.empty(len(graph.edge_slot))
    for step in range(STEPS):
        back = _grained(there / graph.weight_of)
        down = _carried(graph, back, graph.edge_entity, to=graph.edge_slot, room=room)
        last, here = here, restart + rest * (down + kept)
        if step < STEPS - 1:  # the entities' last share leads to no slot any more
            given = np.zeros(size)
            np.divide(last, graph.degree, out=given, where=reached)
            given = _grained(given)
            up = _carried(graph, given, graph.edge_slot, to=graph.edge_entity, room=room)
            there = entity + scale[0] * up
            kept = alone + scale[1] * given
    return here


def _carried(
    graph: PassageGraph, values: Doubles, source: Longs, *, to: Longs, room: Doubles
) -> Doubles:
    """Return what each node on the other side gets over the edges from nodes with these values.

    A walk begins at a few nodes: while it has reached few, only their edges are gone over. `room`
    is float64[edges] to work in.
    """
    size = len(graph.degree) if to is graph.edge_slot else len(graph.idf_of)
    reached, weight = values > 0, graph.edge_weight
    if np.count_nonzero(reached) * _DENSE < len(values):
        edges = np.flatnonzero(np.take(reached, source, mode="clip"))
        source, to, weight = source[edges], to[edges], weight[edges]
    carried = np.take(values, source, mode="clip", out=room[: len(source)])
    carried *= weight
    return np.bincount(to, carried, size).astype(np.float64, copy=False)


def _rarities(df: Longs, passages: int) -> Doubles:
    """Return ln(1 + N / df) / ln(1 + N) for each frequency, 0 where nothing has the key."""
    result = np.zeros(len(df), dtype=np.float64)
    if passages:
        table = np.zeros(int(df.max(initial=0)) + 1)
        counted = np.flatnonzero(np.bincount(df))
        counted = counted[counted > 0]
        # One at a time: vectorised logarithms may round by position.
        table[counted] = [math.log1p(passages / n) / math.log1p(passages) for n in counted.tolist()]
        result = _grained(table)[df]
    return result


def _grained(values: Doubles) -> Doubles:
    return np.asarray(np.rint(values * _GRAIN) / _GRAIN, dtype=np.float64)
