"""How often the router's rule hands a question to whom a person would.

`python bench/bench_routing.py [FOLDER]`: FOLDER has `router.jsonl` and `semantic.jsonl`, lines of
`{id, question, accept[]}`, accept in graph|vector|web|table and lpg|rdf|hybrid; the questions of
`bench/routing` that nothing was learned from if none is named. All four specialists are at hand.
Prints a table of who was chosen for whom, and writes `bench/out/routing.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from weft.adapters.onnx.encoder import MiniLm, open_embedder
from weft.agents.routing import GraphSide, Specialist
from weft.offline.routing.router import ReadQuestion, side_for, specialist_for

KEPT = Path(__file__).parent / "routing" / "kept"
CACHE = Path(__file__).parent / "out/cache/model"
OUT = Path(__file__).parent / "out" / "routing.json"


def measured(
    path: Path, told: Callable[[str], str], choices: Sequence[str], *, details: bool
) -> dict[str, int]:
    """Print who was chosen for the questions of a file, and return how many were right."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    counts: Counter[tuple[str, str]] = Counter()
    right = 0
    for line in lines:
        chosen = told(line["question"])
        is_right = chosen in line["accept"]
        right += is_right
        counts[chosen if is_right else line["accept"][0], chosen] += 1
        if details and not is_right:
            print(f"  {chosen:<8}{'|'.join(line['accept']):<14}{line['question']}")
    print(f"{'wanted, chosen':<16}" + "".join(f"{choice:>8}" for choice in choices))
    for wanted in choices:
        row = "".join(f"{counts[wanted, chosen]:>8}" for chosen in choices)
        print(f"{wanted:<16}{row}")
    print(f"{right} of {len(lines)} right ({100 * right / max(len(lines), 1):.1f} %)\n")
    return {"n": len(lines), "right": right}


def read(question: str, embedder: MiniLm | None) -> ReadQuestion:
    """Return a question as the router is given it."""
    if embedder is None:
        return ReadQuestion(text=question)
    (vector,) = asyncio.run(embedder.queries([question]))
    return ReadQuestion(
        text=question, vector=tuple(map(float, vector)), read_by=embedder.fingerprint
    )


def main() -> None:
    """Measure both choices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=KEPT)
    parser.add_argument("--details", action="store_true", help="Show what is wrong.")
    parser.add_argument("--no-embedder", action="store_true", help="Route by words alone.")
    asked = parser.parse_args()
    embedder = None if asked.no_embedder else open_embedder(CACHE)
    found = {
        "router": measured(
            asked.folder / "router.jsonl",
            lambda question: specialist_for(read(question, embedder)).choice,
            tuple(Specialist),
            details=asked.details,
        ),
        "semantic": measured(
            asked.folder / "semantic.jsonl",
            lambda question: side_for(read(question, embedder)).choice,
            tuple(GraphSide),
            details=asked.details,
        ),
    }
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
