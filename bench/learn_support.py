"""Learn the weights by which support is scored: `learn_support.py DATA [--write]`.

Prints the AUROC on WiCE's dev claims by weights that have not seen them (10 folds, ten shufflings)
for several strengths, then, with `--write`, learns from all of them and writes the weights that the
product ships.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from answers_wice import auroc, page_of
from regression import Doubles, learn

from weft.verification.likeness import FEATURES
from weft.verification.support import likeness_features

STRENGTH = 0.03
FOLDS = 10
SHUFFLES = 10
WEIGHTS = Path(__file__).parents[1] / "src" / "weft" / "verification" / "likeness.json"


def load(data: Path) -> tuple[Doubles, npt.NDArray[np.bool_]]:
    """Return float64[claims, features], and which of the claims are supported."""
    with gzip.open(data / "wice" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    found = [likeness_features(row["claim"], page_of(row["evidence"])) for row in rows]
    return np.array(found), np.array([row["label"] == "supported" for row in rows])


def folded(rows: Doubles, right: npt.NDArray[np.bool_], strength: float) -> float:
    """Return the mean AUROC over shufflings, each claim scored by weights that have not seen it."""
    found = []
    for seed in range(SHUFFLES):
        fold = np.random.default_rng(seed).permutation(len(rows)) % FOLDS
        scores = np.zeros(len(rows))
        for at in range(FOLDS):
            learnt = learn(rows[fold != at], right[fold != at], strength=strength)
            scores[fold == at] = learnt.scores(rows[fold == at])
        found.append(auroc(scores, right))
    return float(np.mean(found))


def main() -> None:
    """Learn, report, and write if asked to."""
    rows, right = load(Path(sys.argv[1]))
    for name, column in zip(FEATURES, rows.T, strict=True):
        print(f"{name:22} alone {100 * auroc(column, right):5.1f}")
    for strength in (0.003, 0.01, 0.03, 0.1, 1.0):
        print(f"C {strength:<6} 10 folds {100 * folded(rows, right, strength):5.1f}")
    if "--write" in sys.argv:
        body = learn(rows, right, strength=STRENGTH).body(FEATURES)
        WEIGHTS.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
