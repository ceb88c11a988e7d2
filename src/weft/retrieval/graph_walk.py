"""The graph stage: a walk from the question's entities and the best two passages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.domain.frozen import dataclass
from weft.index.named_view import NamedView
from weft.index.scoring import scaled
from weft.index.view import Doubles, best
from weft.index.walks.graph import walk
from weft.retrieval.first_stage import FirstStage

SEEDS = 2
ENTITY_MASS = 8.0
WALKED = 0.65
_LEAST = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphStage:
    """The question's keys, the seeds, and the scores of every slot: the walk's and the base's."""

    keys: Sequence[int]
    seeds: Sequence[int]
    walked: Doubles
    base: Doubles


def graph_stage(named_view: NamedView, question: str, *, first: FirstStage) -> GraphStage:
    """Return the walk's scores mixed with the first stage's."""
    view = named_view.view
    keys = named_view.asked(question)
    seeds = best(view, first.mixed, limit=SEEDS, above=0.0)
    masses = np.square(first.mixed[seeds])
    slots = dict(zip(seeds, (masses / masses.sum()).tolist(), strict=True)) if seeds else {}
    idf = named_view.graph.idf[keys] if keys else np.zeros(0)
    whole = float(idf.sum())
    entities = dict(zip(keys, (ENTITY_MASS * idf / whole).tolist(), strict=True)) if whole else {}
    reached = walk(named_view.graph, slots=slots, keys=entities)
    walked = scaled(np.log(reached + _LEAST), view.readable)
    return GraphStage(
        keys=keys,
        seeds=seeds,
        walked=walked,
        base=WALKED * walked + (1.0 - WALKED) * first.mixed,
    )
