"""Learn the ranker's weights on dev questions: `learn_ranker.py DATA [SPLIT] [--write]`.

Prints Recall@5 of 5 folds over questions and of weights learnt on the other two sets, then, with
`--write`, learns from all questions and writes the weights that the product ships.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from regression import Doubles, learn
from retrieval_bases import SETS
from retrieval_features import Pooled, pooled, recall

from weft.retrieval.features import FEATURES
from weft.retrieval.ranker import Ranker

C = 0.03
FOLDS = 5
WEIGHTS = Path(__file__).parents[1] / "src" / "weft" / "retrieval" / "weights.json"


def learnt(pools: Sequence[Pooled]) -> Ranker:
    """Return a ranker that was learnt from the passages of some pools."""
    rows = np.concatenate([pool.rows for pool in pools])
    right = np.concatenate([wanted(pool) for pool in pools])
    found = learn(rows, right, strength=C)
    return Ranker(
        mean=found.mean, scale=found.scale, weights=found.weights, intercept=found.intercept
    )


def wanted(pool: Pooled) -> Doubles:
    """Return 1 for each passage that holds a part of the answer, else 0."""
    return np.array([passage in pool.question.gold for passage in pool.passages], dtype=float)


def score(pools: Sequence[Pooled], ranker: Ranker, k: int = 5) -> list[float]:
    """Return the recall of each question."""
    found = []
    for pool in pools:
        order = np.argsort(-ranker.scores(pool.rows), kind="stable")
        found.append(recall([pool.passages[at] for at in order], pool.question.gold, k))
    return found


def folded(pools: Sequence[Pooled]) -> dict[tuple[str, bool], list[float]]:
    """Return each question's recall by weights that have not seen it."""
    ids = sorted({pool.question.id for pool in pools})
    np.random.default_rng(0).shuffle(ids)
    fold = {key: at % FOLDS for at, key in enumerate(ids)}
    found: dict[tuple[str, bool], list[float]] = {}
    for at in range(FOLDS):
        ranker = learnt([pool for pool in pools if fold[pool.question.id] != at])
        own = [pool for pool in pools if fold[pool.question.id] == at]
        for pool, value in zip(own, score(own, ranker), strict=True):
            found.setdefault((pool.dataset, pool.titles), []).append(value)
    return found


def transferred(pools: Sequence[Pooled]) -> dict[tuple[str, bool], list[float]]:
    """Return each question's recall by weights from the other sets."""
    found: dict[tuple[str, bool], list[float]] = {}
    for name in SETS:
        ranker = learnt([pool for pool in pools if pool.dataset != name])
        own = [pool for pool in pools if pool.dataset == name]
        for pool, value in zip(own, score(own, ranker), strict=True):
            found.setdefault((pool.dataset, pool.titles), []).append(value)
    return found


def row(found: dict[tuple[str, bool], list[float]], titles: bool) -> str:
    """Return the three sets and their mean as a line."""
    means = [100 * float(np.mean(found[name, titles])) for name in SETS]
    return " / ".join(f"{mean:.1f}" for mean in means) + f" = {np.mean(means):.1f}"


def report(pools: Sequence[Pooled]) -> None:
    """Print the table."""
    for label, found in (("5-fold", folded(pools)), ("other two sets", transferred(pools))):
        print(f"{label:15} titles {row(found, True)}   unused {row(found, False)}")


def write(ranker: Ranker) -> None:
    """Write the weights as the product reads them."""
    body = {
        "features": list(FEATURES),
        "mean": ranker.mean.tolist(),
        "scale": ranker.scale.tolist(),
        "coef_raw_then_z": ranker.weights.tolist(),
        "intercept": ranker.intercept,
    }
    WEIGHTS.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Learn, report, and write if asked to."""
    names = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    split = names[1] if len(names) > 1 else "dev"
    pools = asyncio.run(pooled(Path(names[0]), split, ["on", "unused"]))
    report(pools)
    if "--write" in sys.argv:
        write(learnt(pools))


if __name__ == "__main__":
    main()
