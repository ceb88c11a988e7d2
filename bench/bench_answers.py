"""What answers are worth: shown, right, refused, checked; through the product's own question path.

`bench_answers.py [DATA] [SPLIT] [--only sets|corruptions|wice] [--limit N] [--set NAME]
[--examples N] [--details] [--folds]`: writes `bench/out/answers.json`; parts that were not run stay
there as they were.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from answers_planting import plant, show_planted
from answers_wice import measure_wice
from retrieval_bases import SETS

OUT = Path(__file__).parent / "out" / "answers.json"
PARTS = ("corruptions", "wice", "sets")


def main() -> None:
    """Measure the parts that are wanted, print them and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("split", nargs="?", default="dev")
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--limit", type=int, default=0, help="questions or claims; errors a kind")
    parser.add_argument("--set", choices=SETS, action="append", dest="names")
    parser.add_argument("--examples", type=int, default=0, help="print so many failures of a kind")
    parser.add_argument(
        "--details", action="store_true", help="write a line a question to bench/out"
    )
    parser.add_argument("--folds", action="store_true", help="weights that it did not teach")
    wanted = parser.parse_args()
    for part in PARTS:
        if wanted.only in (None, part):
            began = time.perf_counter()
            _write(MEASURES[part](wanted))
            print(f"{part}: {time.perf_counter() - began:.0f} s\n")


def _corruptions(wanted: argparse.Namespace) -> dict[str, Any]:
    tally = plant(wanted.data, limit=wanted.limit)
    show_planted(tally, wanted.examples)
    planted, accepted = tally.rows()
    return {
        "corruptions": [asdict(row) for row in planted],
        "accepted_originals": tally.pooled(),
        "accepted": [asdict(row) for row in accepted],
    }


def _wice(wanted: argparse.Namespace) -> dict[str, Any]:
    row = measure_wice(wanted.data, wanted.split, limit=wanted.limit)
    print(row)
    return {"wice": asdict(row)}


def _sets(wanted: argparse.Namespace) -> dict[str, Any]:
    from answers_sets import measure_sets, show_means

    names = wanted.names or SETS
    details = OUT.parent if wanted.details else None
    asked = measure_sets(
        wanted.data,
        wanted.split,
        names=names,
        limit=wanted.limit,
        details=details,
        by_folds=wanted.folds,
    )
    rows = asyncio.run(asked)
    show_means(rows)
    return {"sets": [asdict(row) for row in rows]}


MEASURES = {"corruptions": _corruptions, "wice": _wice, "sets": _sets}


def _joined(held: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of all sets: where only some were asked, those of the others stay."""
    rows = {row["dataset"]: row for row in (*held, *new)}
    return [rows[name] for name in SETS if name in rows]


def _write(found: dict[str, Any]) -> None:
    """Put new figures in place of the former ones of the same parts."""
    held = json.loads(OUT.read_text(encoding="utf-8")) if OUT.exists() else {}
    if "sets" in found:
        found["sets"] = _joined(held.get("sets", []), found["sets"])
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps({**held, **found}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
