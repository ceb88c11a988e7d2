"""One base's answer to a question: the stages in order, each a pure function of a view."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.domain.frozen import dataclass
from weft.index.named_view import NamedView, named_view
from weft.index.scoring import cosines
from weft.index.segment import Floats
from weft.index.tables import Mask
from weft.index.view import Doubles, PassagePlace, View, best
from weft.retrieval.features import StageResults, pool, raw_features, standing
from weft.retrieval.first_stage import FirstStage, SearchQuestion, first_stage
from weft.retrieval.graph_walk import GraphStage, graph_stage
from weft.retrieval.hits import Explanation, Step
from weft.retrieval.ranker import Ranker
from weft.retrieval.second_hop import Leap, leaps, second_hop
from weft.retrieval.shape import shape

_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSlot:
    """A slot that scored well, with the figures that its hit will carry."""

    place: PassagePlace
    score: float
    cosine: float
    cosines: tuple[float, ...]
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstHop:
    """The first hop over one base, and where the second one starts."""

    named_view: NamedView
    asked: SearchQuestion
    first: FirstStage
    graph: GraphStage
    leaps: Sequence[Leap]

    @property
    def requeries(self) -> list[str]:
        """Return the questions of the second hop, in order."""
        return [bridge.text for leap in self.leaps for bridge in leap.bridges]


def begin(view: View, asked: SearchQuestion, *, titles: bool = True) -> FirstHop:
    """Return the first hop: full text and vectors, the walk, and the re-queries."""
    seen = named_view(view, titles=titles)
    first = first_stage(seen, asked)
    graph = graph_stage(seen, asked.text, first=first)
    return FirstHop(
        named_view=seen,
        asked=asked,
        first=first,
        graph=graph,
        leaps=leaps(seen, asked, first=first, graph=graph),
    )


def stages_of(begun: FirstHop, vectors: Sequence[Floats]) -> StageResults:
    """Return all stages, once the re-queries are embedded."""
    hop = second_hop(
        begun.named_view,
        begun.leaps,
        base=begun.graph.base,
        vectors=vectors,
        trust=begun.asked.trust,
    )
    return StageResults(named_view=begun.named_view, first=begun.first, graph=begun.graph, hop=hop)


def ranked(
    stages: StageResults, ranker: Ranker, *, allowed: Mask, favour: Doubles | None = None
) -> list[tuple[int, float]]:
    """Return the allowed slots with their scores (0 to 1), best first.

    `favour` is added to what the ranker says of a slot, and puts the slot into the pool.
    """
    view = stages.named_view.view
    within = pool(stages, view.readable)
    chosen = within if allowed is view.readable else pool(stages, allowed)
    if favour is not None:
        lifted = np.where(allowed & (favour > 0), favour + stages.graph.base, 0.0)
        chosen = list(dict.fromkeys([*chosen, *best(view, lifted, limit=20, above=0.0)]))
    if not chosen:
        return []
    scores = _scores(stages, ranker, chosen, within=within)
    if favour is not None:
        scores = scores + favour[chosen]
    sure = 1.0 / (1.0 + np.exp(-scores))
    pairs = zip(chosen, scores.tolist(), sure.tolist(), strict=True)
    ordered = sorted(pairs, key=lambda pair: (-pair[1], *view.order(pair[0])))
    return [(slot, share) for slot, _, share in ordered]


def _scores(
    stages: StageResults, ranker: Ranker, chosen: Sequence[int], *, within: Sequence[int]
) -> Doubles:
    """Return float64[len(chosen)], compared with the pool of all readable passages."""
    pooled = raw_features(stages, within, within=within)
    raw = pooled if chosen is within else raw_features(stages, chosen, within=within)
    rows = np.concatenate([raw, standing(raw, pooled, usual=ranker.usual)], axis=1)
    kind = shape(stages, within, raw=pooled) if within else ranker.gate.mean
    return ranker.scores(rows, kind)


def described(
    stages: StageResults, asked: SearchQuestion, *, slot: int, score: float
) -> ScoredSlot:
    """Return what is known of a slot."""
    view, vector = stages.named_view.view, asked.vector
    own: tuple[float, ...] = ()
    if vector is not None:
        own = tuple(cosines(view.sentence_vectors(slot), vector).tolist())
    return ScoredSlot(
        place=view.place(slot),
        score=score,
        cosine=0.0 if vector is None else float(stages.first.passage[slot]),
        cosines=own,
        path=_path(stages, asked, slot),
    )


def _path(stages: StageResults, asked: SearchQuestion, slot: int) -> tuple[str, ...]:
    """Return in words what led to a slot: its words, its vectors, a name, a bridge."""
    seen, first = stages.named_view, stages.first
    found = ["full text"] if first.text[slot] > 0 else []
    found += ["vectors"] if asked.vector is not None else []
    named = set(seen.keys(slot).tolist())
    found += [f"names {seen.lexicon.text(key)}" for key in stages.graph.keys if key in named]
    way = int(stages.hop.via[slot])
    seed, bridge = stages.hop.ways[way] if way >= 0 else (slot, "")
    if stages.graph.base[seed] > stages.graph.base[slot]:  # no passage leads to a better one
        found.append(f"{seen.view.place(seed).document_id} → {bridge}")
    return tuple(found)


def explanation(begun: FirstHop, stages: StageResults, *, name: str) -> Explanation:
    """Return what each stage found in the base of that name."""
    seen, hop = begun.named_view, stages.hop
    scores = (
        ("full text", begun.first.text_scaled),
        ("passage vectors", begun.first.passage_scaled),
        ("sentence vectors", begun.first.sentence_scaled),
        ("mixed", begun.first.mixed),
        ("walk from names", begun.graph.walked),
        ("second hop", hop.joint),
    )
    return Explanation(
        knowledge_base=name,
        names=tuple(
            (seen.lexicon.text(key), int(seen.entities.df[key])) for key in begun.graph.keys
        ),
        stages=tuple((label, _steps(seen.view, values)) for label, values in scores),
        requeries=tuple(
            (seen.view.place(leap.slot).document_id, bridge.name, bridge.text)
            for leap in begun.leaps
            for bridge in leap.bridges
        ),
    )


def _steps(view: View, scores: Doubles) -> tuple[Step, ...]:
    found = []
    for slot in best(view, scores, limit=_SHOWN, above=0.0):
        place = view.place(slot)
        found.append(
            Step(
                document_id=place.document_id,
                chunk_id=place.chunk_id,
                score=float(scores[slot]),
            )
        )
    return tuple(found)
