"""Learn the ranker's weights on dev questions: `learn_ranker.py DATA [SPLIT] [--write]`.

Prints recall by 5 folds (over questions, over articles where one passage answers) and by weights
learnt on the other sets, beside plain methods and one linear ranker taught on several hops alone;
with `--write` it first learns from all questions and writes the weights that the product ships.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from regression import Doubles, learn
from retrieval_bases import EVERY, SETS, SINGLE_PASSAGE
from retrieval_features import Pooled, pooled, recall

from weft.retrieval.features import FEATURES, FeatureScale, standing
from weft.retrieval.ranker import Ranker, ShapeGate
from weft.retrieval.shape import SHAPE

C = 0.03
GATE_C = 0.01
FOLDS = 5
DEPTHS = (2, 5, 10)
WEIGHTS = Path(__file__).parents[1] / "src" / "weft" / "retrieval" / "weights.json"
# Where one passage answers, the walk's own scores do not carry over to other articles.
_WALK = [FEATURES.index(name) + more for name in ("ppr", "ppr_rr") for more in (0, len(FEATURES))]

Recalls = dict[tuple[str, bool], list[tuple[float, ...]]]
Scoring = Callable[[Pooled], Doubles]


def learnt(pools: Sequence[Pooled]) -> Ranker:
    """Return a ranker that was learnt from some pools: the gate first, then what it mixes."""
    usual, gate = _usual(pools), _gate(pools)
    designs = [_mixed(_rows(pool, usual), gate.single(pool.shape)) for pool in pools]
    found = learn(
        np.concatenate(designs),
        np.concatenate([wanted(pool) for pool in pools]),
        strength=C,
        importance=_even(pools, EVERY),
    )
    weights, size = found.weights / found.scale, 2 * len(FEATURES)
    return Ranker(
        usual=usual,
        gate=gate,
        single=weights[:size],
        several=weights[size:-1],
        lean=float(weights[-1]),
        intercept=found.intercept - float(weights @ found.mean),
    )


def _gate(pools: Sequence[Pooled]) -> ShapeGate:
    """Return a gate learnt from some pools; both kinds count alike."""
    shapes = np.array([pool.shape for pool in pools])
    flat = ShapeGate(
        mean=shapes.mean(axis=0),
        deviation=np.maximum(shapes.std(axis=0), 1e-9),
        weights=np.zeros(0),
        intercept=0.0,
    )
    single = np.array([pool.dataset in SINGLE_PASSAGE for pool in pools])
    much = np.array([1.0 / _count(pools, pool.dataset) for pool in pools])
    for kind in (single, ~single):
        much[kind] *= 0.5 * len(pools) / much[kind].sum()
    terms = np.array([flat.terms(shape) for shape in shapes])
    found = learn(terms, single, strength=GATE_C, importance=much)
    weights = found.weights / found.scale
    return ShapeGate(
        mean=flat.mean,
        deviation=flat.deviation,
        weights=weights,
        intercept=found.intercept - float(weights @ found.mean),
    )


def linear(pools: Sequence[Pooled]) -> Scoring:
    """Return one linear ranker, without a gate."""
    usual = _usual(pools)
    found = learn(
        np.concatenate([_rows(pool, usual) for pool in pools]),
        np.concatenate([wanted(pool) for pool in pools]),
        strength=C,
    )
    return lambda pool: found.scores(_rows(pool, usual))


def gated(pools: Sequence[Pooled]) -> Scoring:
    """Return the product's ranker."""
    ranker = learnt(pools)
    return lambda pool: ranker.scores(_rows(pool, ranker.usual), pool.shape)


def _several_alone(pools: Sequence[Pooled]) -> Scoring:
    return linear([pool for pool in pools if pool.dataset in SETS])


def wanted(pool: Pooled) -> Doubles:
    """Return 1 for each passage that holds a part of the answer, else 0."""
    return np.array([passage in pool.question.gold for passage in pool.passages], dtype=float)


def _usual(pools: Sequence[Pooled]) -> FeatureScale:
    every = np.concatenate([pool.raw for pool in pools])
    return FeatureScale(mean=every.mean(axis=0), deviation=every.std(axis=0))


def _rows(pool: Pooled, usual: FeatureScale) -> Doubles:
    return np.concatenate([pool.raw, standing(pool.raw, pool.raw, usual=usual)], axis=1)


def _mixed(rows: Doubles, share: float) -> Doubles:
    """Return the rows weighed by the share of one passage and of several, and that share."""
    single = share * rows
    single[:, _WALK] = 0.0
    column = np.full((len(rows), 1), share)
    return np.concatenate([single, (1.0 - share) * rows, column], axis=1)


def _count(pools: Sequence[Pooled], name: str) -> int:
    return sum(pool.dataset == name for pool in pools)


def _even(pools: Sequence[Pooled], names: Sequence[str]) -> Doubles:
    """Return how much each passage counts, so that a set counts as much as any other."""
    counts = {name: _count(pools, name) for name in names if _count(pools, name)}
    much = {name: len(pools) / (len(counts) * count) for name, count in counts.items()}
    return np.concatenate([np.full(len(pool.passages), much[pool.dataset]) for pool in pools])


def plain(pools: Sequence[Pooled], method: str) -> Recalls:
    """Return each question's recalls by a method that learns nothing."""
    found: Recalls = {}
    for pool in pools:
        _add(found, pool, pool.plain[method])
    return found


def folded(pools: Sequence[Pooled], learner: Callable[[Sequence[Pooled]], Scoring]) -> Recalls:
    """Return each question's recalls by weights that have seen neither it nor its article."""
    ids = sorted({_group(pool) for pool in pools})
    np.random.default_rng(0).shuffle(ids)
    fold = {key: at % FOLDS for at, key in enumerate(map(tuple, ids))}
    return _held_out(pools, learner, lambda pool: fold[_group(pool)])


def transferred(pools: Sequence[Pooled], learner: Callable[[Sequence[Pooled]], Scoring]) -> Recalls:
    """Return each question's recalls by weights from the other sets."""
    return _held_out(pools, learner, lambda pool: EVERY.index(pool.dataset))


def _held_out(
    pools: Sequence[Pooled],
    learner: Callable[[Sequence[Pooled]], Scoring],
    part: Callable[[Pooled], int],
) -> Recalls:
    found: Recalls = {}
    for at in sorted({part(pool) for pool in pools}):
        scores = learner([pool for pool in pools if part(pool) != at])
        for pool in pools:
            if part(pool) == at:
                order = np.argsort(-scores(pool), kind="stable")
                _add(found, pool, [pool.passages[place] for place in order])
    return found


def _group(pool: Pooled) -> tuple[str, str]:
    return pool.dataset, pool.question.article or pool.question.id


def _add(found: Recalls, pool: Pooled, order: Sequence[str]) -> None:
    recalls = tuple(recall(order, pool.question.gold, depth) for depth in DEPTHS)
    found.setdefault((pool.dataset, pool.titles), []).append(recalls)


def show(label: str, found: Mapping[tuple[str, bool], Sequence[tuple[float, ...]]]) -> None:
    """Print the recalls of each set and the means of both kinds, titles on and unused."""
    for titles in (True, False):
        means = {name: 100 * np.mean(found[name, titles], axis=0) for name in EVERY}
        kinds = [np.mean([means[one] for one in kind], axis=0) for kind in (SETS, SINGLE_PASSAGE)]
        cells = [_cell(each) for each in (*means.values(), *kinds)]
        print(f"{label:22}{'on' if titles else 'unused':8}" + "".join(f"{c:17}" for c in cells))


def _cell(means: Doubles) -> str:
    return "/".join(f"{mean:.1f}" for mean in means)


def report(pools: Sequence[Pooled]) -> None:
    """Print the table."""
    heads = (*EVERY, "several hops", "one passage")
    print(f"{'R@2/R@5/R@10':22}{'titles':8}" + "".join(f"{head:17}" for head in heads))
    for method in ("bm25", "dense", "hybrid"):
        show(method, plain(pools, method))
    show("hops alone, 5-fold", folded(pools, _several_alone))
    show("linear, 5-fold", folded(pools, linear))
    show("gated, 5-fold", folded(pools, gated))
    show("gated, other sets", transferred(pools, gated))


def write(ranker: Ranker) -> None:
    """Write the weights as the product reads them."""
    usual, gate = ranker.usual, ranker.gate
    body = {
        "features": list(FEATURES),
        "shape": list(SHAPE),
        "usual": {"mean": usual.mean.tolist(), "deviation": usual.deviation.tolist()},
        "gate": {
            "mean": gate.mean.tolist(),
            "deviation": gate.deviation.tolist(),
            "weights": gate.weights.tolist(),
            "intercept": gate.intercept,
        },
        "single": ranker.single.tolist(),
        "several": ranker.several.tolist(),
        "lean": ranker.lean,
        "intercept": ranker.intercept,
    }
    WEIGHTS.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Learn, report, and write if asked to."""
    names = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    split = names[1] if len(names) > 1 else "dev"
    pools = asyncio.run(pooled(Path(names[0]), split))
    if "--write" in sys.argv:
        write(learnt(pools))
    report(pools)


if __name__ == "__main__":
    main()
