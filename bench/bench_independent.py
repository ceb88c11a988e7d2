"""How often a question of its own is taken for a follow-up: questions put after one another.

`bench_independent.py DATA`: takes the development questions of `squad2` and `selqa` in an order
by chance, puts each after the one before it with a sentence of its passage as the answer, and
counts what the rules make of it where both are of different articles. Nothing is searched.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from weft.agents.rewriting import PastTurn
from weft.language.sentences import whole_sentences
from weft.offline.rewriter import follow_up

SETS = ("squad2", "selqa")
_MOST = 3000
_SEEDS = (1, 2)


def pairs_of(data: Path, name: str) -> list[tuple[PastTurn, str]]:
    """Return turns, each with a question about another article."""
    with gzip.open(data / name / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        passages = {row["id"]: row for row in map(json.loads, lines)}
    told = (data / name / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, told) if row["answers"] and row["supporting_ids"]]
    random.Random(_SEEDS[0]).shuffle(rows)
    found = [
        (_turn(one, passages), other["question"].strip())
        for one, other in pairwise(rows)
        if one["article"] != other["article"]
    ]
    random.Random(_SEEDS[1]).shuffle(found)
    return found[:_MOST]


def _turn(row: Mapping[str, Any], passages: Mapping[str, Any]) -> PastTurn:
    passage = passages[row["supporting_ids"][0]]
    text = passage["text"]
    said = [text[span.start : span.end] for span in whole_sentences(text)]
    holding = [one for one in said if row["answers"][0] in one]
    answer = f"{[*holding, *said][0]} [1]"
    return PastTurn(question=row["question"], answer=answer, titles=(passage["title"],))


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    wanted = parser.parse_args()
    for name in SETS:
        found = [follow_up(text, [turn]) for turn, text in pairs_of(wanted.data, name)]
        leaning = sum(bool(one.about) for one in found)
        pointing = sum(one.points for one in found)
        print(
            f"{name}: {len(found)} questions, {leaning} asked with what the last one was about, "
            f"{pointing} asked of the last documents"
        )


if __name__ == "__main__":
    main()
