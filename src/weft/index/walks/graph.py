"""The graph of passages and the entities they name, and Personalised PageRank over it.

Sums are exact and so do not depend on their order: what is added is whole numbers of 2^-45, and
their sums are too small to be rounded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from weft.domain.frozen import dataclass
from weft.index.entities import Entities
from weft.index.tables import Ints, Longs, SlotTable, stable_order
from weft.index.walks.diagonals import Diagonals, carried, diagonals

Doubles = npt.NDArray[np.float64]
STEPS = 12
RESTART = 0.15
_FEW = 50
_SHARE = 0.02
_GRAIN = 2.0**45


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageGraph:
    """Edges between slots and entities in 2 to max(50, 2 %) passages, scaled for the walk.

    `idf` is float64[keys], `links` are the entities'. `entities_of` has the kept entities of each
    slot, `slots_of` the slots of each of them: twice where the passage defines it. `number` is the
    place of a key among the kept entities or -1, `idf_of` and `weight_of` are theirs. An entity of
    one passage gives back all it gets: `own` is that share of each slot.
    """

    idf: Doubles
    links: SlotTable
    entities_of: Diagonals
    slots_of: Diagonals
    number: Ints
    idf_of: Doubles
    weight_of: Doubles
    degree: Doubles
    own: Doubles


def graph_of(entities: Entities, passages: int) -> PassageGraph:
    """Return the graph of a view of so many passages."""
    df, idf = entities.df, _rarities(entities.df, passages)
    sizes = np.diff(entities.links.ptr)
    # Half as wide as what else numbers slots: most of the time goes by in reading and writing them.
    slots = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    key, weight = entities.links.columns["key"], entities.links.columns["weight"]
    most = max(_FEW, _SHARE * passages)
    kept = (df > 1) & (df <= most)
    number = np.where(kept, np.cumsum(kept, dtype=np.int32) - np.int32(1), np.int32(-1))
    # One byte a key: what all edges are asked by stays close at hand.
    kinds = np.take(kept + 2 * (df == 1).astype(np.int8), key, mode="clip")
    edges, alone = np.flatnonzero(kinds == 1), np.flatnonzero(kinds == 2)
    shares = np.take(np.where(df <= most, idf, 0.0), key, mode="clip")
    shares *= weight
    own = np.bincount(slots[alone], shares[alone], len(sizes)).astype(np.float64, copy=False)
    degree = np.bincount(slots, shares, len(sizes)).astype(np.float64, copy=False)
    times = weight[edges]
    slot, entity = np.repeat(slots[edges], times), np.repeat(number[key[edges]], times)
    by_entity = slot[stable_order(entity)]
    return PassageGraph(
        idf=idf,
        links=entities.links,
        entities_of=diagonals(np.bincount(slot, minlength=len(sizes)), entity),
        slots_of=diagonals(entities.weight[kept], by_entity),
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
    for each in (restart, entity, alone):
        each *= _GRAIN  # from here on all is in grains, which changes no digit of any value
    here: Doubles = _walked(graph, restart, entity, alone=alone)
    here /= _GRAIN
    return here


def _walked(graph: PassageGraph, restart: Doubles, entity: Doubles, *, alone: Doubles) -> Doubles:
    rest = 1.0 - RESTART
    here, there, kept = restart / RESTART, entity / RESTART, alone / RESTART
    of_entities, of_alone = rest * graph.idf_of, rest * graph.own
    degree = np.where(graph.degree > 0, graph.degree, 1.0)  # without any, it gives to nothing
    given, down, up = np.empty_like(here), np.empty_like(here), np.empty_like(there)
    for step in range(STEPS):
        there /= graph.weight_of
        np.rint(there, out=there)
        carried(there, graph.slots_of, to=graph.entities_of, out=down)
        if step < STEPS - 1:  # the entities' last share leads to no slot any more
            np.divide(here, degree, out=given)
            np.rint(given, out=given)
            carried(given, graph.entities_of, to=graph.slots_of, out=up)
            np.multiply(of_entities, up, out=there)
            there += entity
        # What a slot has now: `given` was of what it had before.
        np.add(down, kept, out=here)
        here *= rest
        here += restart
        if step < STEPS - 1:
            np.multiply(of_alone, given, out=kept)
            kept += alone
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
