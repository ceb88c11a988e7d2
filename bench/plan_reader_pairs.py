"""Questions of tables with the likeliest plans in words, for teaching the reader of plans.

`plan_reader_pairs.py SPLIT...` writes those of the kept cases (`plan_cases.py`) of some splits to
`bench/out/plan_reader.jsonl`, as `learn_reader.py --of plans` reads them: of each question in
English the first plans by the shipped order, and some that are right behind them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from plan_cases import cases
from plan_rows import PlanRows, rows_of
from retrieval_bases import cache_folder

from weft.adapters.onnx.encoder import open_embedder
from weft.language.hangul import has_hangul
from weft.offline.plans.choosing import plan_scorer

PAIRS = Path(__file__).parent / "out" / "plan_reader.jsonl"
FIRST, RIGHT_BEHIND = 10, 2


def pair_row(one: PlanRows) -> dict[str, Any]:
    """Return a question with its plans, as the reader is taught by it."""
    right = one.right[:-1]
    order = np.argsort(-plan_scorer().scores(one.rows[:-1]), kind="stable")
    behind = [n for n in order[FIRST:] if right[n]][:RIGHT_BEHIND]
    kept = [int(n) for n in (*order[:FIRST], *behind)]
    return {
        "question": one.case.text,
        "units": [{"head": [], "text": one.in_words[n]} for n in kept],
        "right": [bool(right[n]) for n in kept],
        "says": [False] * len(kept),
        "there": any(bool(right[n]) for n in kept),
        "book": False,
    }


def main() -> None:
    """Write the pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+")
    wanted = parser.parse_args()
    embedder = open_embedder(cache_folder() / "model")
    count = 0
    with PAIRS.open("w", encoding="utf-8") as file:
        for name in wanted.names:
            for one in rows_of(cases(name), embedder):
                if len(one.in_words) and not has_hangul(one.case.text):
                    file.write(json.dumps(pair_row(one), ensure_ascii=False) + "\n")
                    count += 1
    print(f"{count} questions")


if __name__ == "__main__":
    main()
