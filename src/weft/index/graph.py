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
from weft.index.tables import Ints, Longs

Doubles = npt.NDArray[np.float64]
STEPS = 12
RESTART = 0.15
_FEW = 50
_SHARE = 0.02
_GRAIN = 2.0**45


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Edges between slots and entities in 2 to max(50, 2 %) passages, scaled for the walk.

    `idf` is float64[keys], `links` the slot of each row of the entities' links. `edge_*` are the
    kept edges, `number` the place of a key among the kept entities or -1, `idf_of` and `weight_of`
    theirs. An entity of one passage gives back all it gets: `own` is that share of each slot,
    `alone` the slot of such a key, else -1.
    """

    idf: Doubles
    links: Longs
    edge_slot: Longs
    edge_entity: Ints
    edge_weight: Doubles
    number: Ints
    idf_of: Doubles
    weight_of: Doubles
    degree: Doubles
    own: Doubles
    alone: Longs


def graph_of(entities: Entities, passages: int) -> Graph:
    """Return the graph of a view of so many passages."""
    idf = _rarities(entities.df, passages)
    sizes = np.diff(entities.links.ptr)
    slots = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    key, weight = entities.links.columns["key"], entities.links.columns["weight"]
    most = max(_FEW, _SHARE * passages)
    kept = (entities.df > 1) & (entities.df <= most)
    number = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    edges = np.flatnonzero(kept[key])
    alone = np.flatnonzero(entities.df[key] == 1)
    only = np.full(len(idf), -1, dtype=np.int64)
    only[key[alone]] = slots[alone]
    times = weight.astype(np.float64)
    degree = np.bincount(slots, times * idf[key] * (entities.df[key] <= most), len(sizes)).astype(
        np.float64
    )
    own = np.bincount(slots[alone], times[alone] * idf[key[alone]], len(sizes)).astype(np.float64)
    return Graph(
        idf=idf,
        links=slots,
        edge_slot=slots[edges],
        edge_entity=number[key[edges]],
        edge_weight=times[edges],
        number=number,
        idf_of=idf[kept],
        weight_of=entities.weight[kept].astype(np.float64),
        degree=degree,
        own=own,
        alone=only,
    )


def walk(graph: Graph, *, slots: Mapping[int, float], keys: Mapping[int, float]) -> Doubles:
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
        elif graph.alone[key] >= 0:
            alone[graph.alone[key]] += RESTART * mass / total
    rest = 1.0 - RESTART
    here, there, kept = restart / RESTART, entity / RESTART, alone / RESTART
    reached = graph.degree > 0
    for _ in range(STEPS):
        given = np.zeros(size)
        np.divide(here, graph.degree, out=given, where=reached)
        given = _grained(given)
        back = _grained(there / graph.weight_of)
        up = np.bincount(graph.edge_entity, graph.edge_weight * given[graph.edge_slot], len(there))
        down = np.bincount(graph.edge_slot, graph.edge_weight * back[graph.edge_entity], size)
        here = restart + rest * (down + kept)
        there = entity + rest * graph.idf_of * up
        kept = alone + rest * graph.own * given
    return here


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
