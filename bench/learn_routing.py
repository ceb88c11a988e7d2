"""Learn the router's weights from questions with the answers that a person would accept.

`python bench/learn_routing.py [FOLDER]`: FOLDER holds `router.jsonl` and `semantic.jsonl`. Prints
how many are right by folds, each question being told by weights learned without it, and writes
`src/weft/offline/routing/weights.json`, learned on all of them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from weft.domain.route import GraphSide, Specialist
from weft.offline.routing.router import softmax
from weft.offline.routing.signs import Doubles, names, signs_of

HERE = Path(__file__).parent / "routing"
OUT = Path(__file__).parents[1] / "src/weft/offline/routing/weights.json"
SETS = {
    "specialists": ("router.jsonl", tuple(map(str, Specialist))),
    "sides": ("semantic.jsonl", tuple(map(str, GraphSide))),
}
_FOLDS, _STEPS, _RATE = 10, 600, 0.5
# Tried by folds: how strongly weights are held near zero.
_HOLDS = (0.003, 0.01, 0.03)


def learn(rows: Doubles, wanted: Doubles, hold: float) -> tuple[Doubles, Doubles]:
    """Return weights float64[choices, signs] and intercepts that fit shares of each choice."""
    weights = np.zeros((wanted.shape[1], rows.shape[1]))
    intercepts = np.zeros(wanted.shape[1])
    speed, speed0 = np.zeros_like(weights), np.zeros_like(intercepts)
    for _ in range(_STEPS):
        off = (softmax(rows @ weights.T + intercepts) - wanted) / len(rows)
        speed = 0.9 * speed - _RATE * (off.T @ rows + hold * weights)
        speed0 = 0.9 * speed0 - _RATE * off.sum(axis=0)
        weights, intercepts = weights + speed, intercepts + speed0
    return weights, intercepts


def read(path: Path, choices: tuple[str, ...]) -> tuple[list[dict[str, object]], Doubles, Doubles]:
    """Return the questions, their signs, and what share each choice is to have."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    rows = np.stack([signs_of(line["question"]) for line in lines])
    wanted = np.array([[one in line["accept"] for one in choices] for line in lines], dtype=float)
    return lines, rows, wanted / wanted.sum(axis=1, keepdims=True)


def by_folds(rows: Doubles, wanted: Doubles, hold: float) -> Doubles:
    """Return the scores that each question has by weights learned without its fold."""
    fold = np.random.default_rng(7).permutation(len(rows)) % _FOLDS
    scores = np.zeros_like(wanted)
    for number in range(_FOLDS):
        weights, intercepts = learn(rows[fold != number], wanted[fold != number], hold)
        scores[fold == number] = rows[fold == number] @ weights.T + intercepts
    return scores


def main() -> None:
    """Learn both, print by folds, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=HERE)
    parser.add_argument("--details", action="store_true", help="Show what is wrong by folds.")
    asked = parser.parse_args()
    body = {}
    for kind, (name, choices) in SETS.items():
        lines, rows, wanted = read(asked.folder / name, choices)
        found = {hold: by_folds(rows, wanted, hold) for hold in _HOLDS}
        right = {
            hold: float(np.mean(wanted[np.arange(len(rows)), scores.argmax(axis=1)] > 0))
            for hold, scores in found.items()
        }
        hold = max(right, key=lambda one: (right[one], one))
        print(f"{kind}: {len(lines)} questions, right by folds " + ", ".join(
            f"{100 * share:.1f} % ({one})" for one, share in right.items()
        ))  # fmt: skip
        if asked.details:
            for line, told, share in zip(lines, found[hold].argmax(axis=1), wanted, strict=True):
                if not share[told]:
                    print(f"  {choices[told]:<8}{line['accept']} {line['question']}")
        weights, intercepts = learn(rows, wanted, hold)
        body[kind] = {
            "choices": choices,
            "signs": names(),
            "weights": np.round(weights, 3).tolist(),
            "intercepts": np.round(intercepts, 3).tolist(),
        }
    OUT.write_text(json.dumps(body) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
