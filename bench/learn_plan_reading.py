"""Learn what it weighs whether the reader finds a plan meant, on questions that did not teach it.

`learn_plan_reading.py SPLIT... [--write]`: reads the first plans of the kept cases of some splits
(`plan_cases.py`) with their questions, and prints how many are right when a share of all questions
may be wrong: by the order alone, and with the reader by weights that the other half of the tables
gave. With `--write` it puts what all of them give into `src/weft/offline/plans/reading.json`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from plan_cases import cases
from plan_rows import PlanRows, rows_of
from retrieval_bases import cache_folder
from table_scoring import Worth

from weft.adapters.onnx.cross_reader import MiniLmReader
from weft.adapters.onnx.encoder import open_embedder
from weft.language.hangul import has_hangul
from weft.offline.plans.choosing import log_chances, plan_scorer
from weft.offline.plans.reading import how_many_likely, shipped_plan_reading

WEIGHTS = Path(__file__).parents[1] / "src" / "weft" / "offline" / "plans" / "reading.json"
WRONG = (0.03, 0.05, 0.08)
# What is tried.
SURE = tuple(round(0.02 * step, 2) for step in range(31))
NONE = tuple(round(0.1 * step - 2.0, 1) for step in range(26))

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A question's plans: float64[plans + 1] of the order, and what the reader says of each.

    `read` is None where nothing was read.
    """

    rows: PlanRows
    scores: Doubles
    read: Doubles | None

    def chances(self, weights: Sequence[float]) -> Doubles:
        """Return float64[plans + 1], the chances by what the reader and no plan weigh."""
        sure, none = weights
        if self.read is None:
            return np.exp(log_chances(self.scores))
        return np.exp(log_chances(self.scores + np.append(sure * self.read, none)))

    def told(self, weights: Sequence[float]) -> tuple[float, bool, bool]:
        """Return the chance of what would be told, whether it is right, and whether wrong."""
        sums: dict[str, float] = {}
        for short, chance in zip((*self.rows.shorts, ""), self.chances(weights), strict=True):
            sums[short] = sums.get(short, 0.0) + float(chance)
        best = max(sums, key=lambda short: sums[short])
        if not best:
            return 0.0, False, False
        has_answer = self.rows.case.question.answer is not None
        worth = self.rows.worth[self.rows.shorts.index(best)]
        right = has_answer and worth is Worth.RIGHT
        return sums[best], right, not right


def read_by(reader: MiniLmReader, one: PlanRows) -> Read:
    """Return what the reader says of a question's plans."""
    scores, count = plan_scorer().scores(one.rows), len(one.in_words)
    if not count or has_hangul(one.case.text):
        return Read(rows=one, scores=scores, read=None)
    order = np.argsort(-scores[:-1], kind="stable")
    order = order[: how_many_likely(np.append(scores[order], scores[-1]))]
    found = reader.read_plans(one.case.text, [one.in_words[n] for n in order])
    assert found is not None, "the reader cannot be opened"
    read = np.full(count, found[:, 1].min())
    read[order] = found[:, 1]
    return Read(rows=one, scores=scores, read=read)


def learnt(every: Sequence[Read]) -> tuple[float, float]:
    """Return the weights under which the right plans are likeliest."""

    def lost(weights: Sequence[float]) -> float:
        mass = [float(one.chances(weights)[one.rows.right].sum()) for one in every]
        return -float(np.mean(np.log(np.maximum(mass, 1e-9))))

    return min(((sure, none) for sure in SURE for none in NONE), key=lost)


def show(name: str, told: Sequence[tuple[float, bool, bool]]) -> None:
    """Print how many are right where a share is wrong."""
    falling = sorted(told, key=lambda one: -one[0])
    right = np.cumsum([one[1] for one in falling])
    wrong = np.cumsum([one[2] for one in falling])
    cells = [int(right[wrong <= part * len(told)].max(initial=0)) for part in WRONG]
    print(f"{name:<24}" + "".join(f"{cell:>8}" for cell in cells))


def main() -> None:
    """Learn, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    folder = cache_folder() / "model"
    embedder = open_embedder(folder)
    reader = MiniLmReader(folder, embedder)
    every = [
        read_by(reader, one) for name in wanted.names for one in rows_of(cases(name), embedder)
    ]
    tables = sorted({one.rows.case.question.table for one in every})
    half = {name: at % 2 for at, name in enumerate(tables)}
    sides = [[one for one in every if half[one.rows.case.question.table] == n] for n in (0, 1)]
    weights = [learnt(sides[1 - n]) for n in (0, 1)]
    print(f"{f'right of {len(every)}, wrong':<24}" + "".join(f"{part:>8.0%}" for part in WRONG))
    show("by the order alone", [one.told((0.0, 0.0)) for one in every])
    show("with the reader", [one.told(weights[n]) for n in (0, 1) for one in sides[n]])
    sure, none = learnt(every)
    print(f"halves {weights}, all {(sure, none)}")
    if wanted.write:
        how = shipped_plan_reading()
        body = {"most": how.most, "least": how.least, "sure": sure, "none": none}
        WEIGHTS.write_text(json.dumps(body) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
