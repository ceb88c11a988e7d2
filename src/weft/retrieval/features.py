"""The pool of candidates and what is known of each, as numbers for the ranker."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.domain.frozen import dataclass
from weft.index.named_view import NamedView
from weft.index.tables import Longs, Mask
from weft.index.view import Doubles, best
from weft.retrieval.first_stage import FirstStage
from weft.retrieval.graph_walk import GraphStage
from weft.retrieval.second_hop import SecondHop

FEATURES = (
    "bm25",
    "dense",
    "maxsent",
    "fs_rr",
    "ppr",
    "qdef",
    "qment",
    "qment_def_any",
    "cov",
    "covw",
    "len",
    "ppr_rr",
    "fs",
    "g_bm",
    "g_bmlink",
    "r2_link",
    "r2_any",
    "r2_sent",
    "r2_bm",
    "r2_linksum",
)
_POOL = 60
_FEW = 20
_NOTHING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureScale:
    """The features' usual means and deviations (float64[20]), as they were learnt."""

    mean: Doubles
    deviation: Doubles


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResults:
    """All that was found for a question."""

    named_view: NamedView
    first: FirstStage
    graph: GraphStage
    hop: SecondHop


def pool(stages: StageResults, allowed: Mask) -> list[int]:
    """Return the allowed slots worth ranking, about 80, in order of the base score.

    What leads by words or by the first stage is always among them, whatever the walk says.
    """
    hop, view = stages.hop, stages.named_view.view
    lists = (
        (stages.graph.base, 60),
        (stages.first.mixed, 20),
        (stages.first.text_scaled, 10),
        (stages.graph.walked, 25),
        (hop.text_linked, 10),
        (hop.linked, 12),
        (hop.anything, 8),
        (hop.joint, 12),
        (hop.keyword, 6),
    )
    chosen: set[int] = set()
    for scores, limit in lists:
        chosen.update(best(view, np.where(allowed, scores, 0.0), limit=limit, above=0.0))
    if len(chosen) < _FEW:  # where all are equal, scaled scores say nothing
        for raw in (stages.first.text, stages.first.passage):
            chosen.update(best(view, np.where(allowed, raw, 0.0), limit=_FEW, above=0.0))
    return sorted(chosen, key=lambda slot: (-stages.graph.base[slot], *view.order(slot)))


def raw_features(stages: StageResults, slots: Sequence[int], *, within: Sequence[int]) -> Doubles:
    """Return float64[len(slots), 20].

    `within` is the pool of all readable passages: filters narrow the slots, not what they are
    compared with.
    """
    at, every = np.array(slots, dtype=np.int64), np.array(within, dtype=np.int64)
    first, graph, hop = stages.first, stages.graph, stages.hop
    defines, share, greatest = _named(stages, at)
    counted, weighted = _covered(first, at)
    columns = [
        first.text_scaled[at],
        first.passage_scaled[at],
        first.sentence_scaled[at],
        _ranks(first.mixed, at, every),
        graph.walked[at],
        defines,
        share,
        greatest,
        counted,
        weighted,
        np.array([_log_size(stages.named_view, slot) for slot in slots]),
        _ranks(graph.base, at, every),
        first.mixed[at],
        hop.text[at],
        hop.text_linked[at],
        hop.linked[at],
        hop.anything[at],
        hop.sentence[at],
        hop.keyword[at],
        hop.joint[at],
    ]
    return np.stack(columns, axis=1)


def standing(raw: Doubles, pooled: Doubles, *, usual: FeatureScale) -> Doubles:
    """Return each column moved and scaled as gives the pool mean 0 and deviation 1.

    A small pool is filled up with usual passages: otherwise chance would decide what stands out.
    """
    size, more = len(pooled), max(_POOL - len(pooled), 0)
    own = (pooled.mean(axis=0), pooled.var(axis=0)) if size else (usual.mean, usual.deviation**2)
    mean = (size * own[0] + more * usual.mean) / (size + more)
    spread = size * (own[1] + (own[0] - mean) ** 2)
    spread += more * (usual.deviation**2 + (usual.mean - mean) ** 2)
    deviation = np.sqrt(spread / (size + more))
    varies = deviation > _NOTHING
    return np.asarray((raw - mean) / np.where(varies, deviation, 1.0) * varies)


def _ranks(scores: Doubles, at: Longs, every: Longs) -> Doubles:
    """Return 1 / rank among the pool: one more than those that score higher."""
    ordered = np.sort(scores[every])
    higher = len(every) - np.searchsorted(ordered, scores[at], side="right")
    return np.asarray(1.0 / (1.0 + higher))


def _log_size(named_view: NamedView, slot: int) -> float:
    return float(np.log1p(len(named_view.view.sentence_vectors(slot))))


def _named(stages: StageResults, at: Longs) -> tuple[Doubles, Doubles, Doubles]:
    """Return, of question keys: the greatest idf defined, the idf share and greatest named."""
    keys, named_view = stages.graph.keys, stages.named_view
    idf = named_view.graph.idf[keys] if keys else np.zeros(0)
    defines, share, greatest = (np.zeros(len(at)) for _ in range(3))
    whole = float(idf.sum())
    place, said, weights = named_view.named(at)
    for key, weight in zip(keys, idf.tolist(), strict=True):
        hits = said == key
        named, own = np.zeros(len(at), dtype=np.bool_), np.zeros(len(at), dtype=np.bool_)
        named[place[hits]] = True
        own[place[hits & (weights == 2)]] = True
        defines = np.maximum(defines, own * weight)
        greatest = np.maximum(greatest, named * weight)
        share += named * weight / whole if whole else 0.0
    return defines, share, greatest


def _covered(first: FirstStage, at: Longs) -> tuple[Doubles, Doubles]:
    """Return the share of the question's stems that each passage has, by count and by idf."""
    counted, weighted = np.zeros(len(at)), np.zeros(len(at))
    whole = sum(posting.idf for posting in first.postings.values())
    for posting in first.postings.values():
        has = posting.has(at)
        counted += has / len(first.postings)
        weighted += has * posting.idf / whole
    return counted, weighted
