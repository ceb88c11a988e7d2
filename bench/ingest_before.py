"""The same folder brought in by an earlier version of Weft and by this one, in turns.

`python bench/ingest_before.py REVISION [--files 60] [--rounds 3] [--folder DIR]`: each time in a
process and a workspace of its own, with the local embedder. Prints seconds by the clock and of the
processor, the ratio of the two versions, and how many of the vectors of the same texts are equal
to the bit.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from documents import gather

ROOT = Path(__file__).parents[1]
MODEL = Path(__file__).parent / "out" / "cache" / "model"
_CHILD = """
import json, sys, time
from pathlib import Path
from weft import Weft
with Weft.open(Path(sys.argv[1]), home=Path(sys.argv[2])) as weft:
    wall, cpu = time.perf_counter(), time.process_time()
    weft.sync()
    print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu]))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BroughtIn:
    """What a version took, in seconds, and the vectors of each text that it made."""

    wall: float
    cpu: float
    vectors: dict[str, bytes]


def unpacked(revision: str, scratch: Path) -> Path:
    """Return the sources of a revision."""
    packed = subprocess.run(
        ["git", "-C", str(ROOT), "archive", revision, "src"], check=True, stdout=subprocess.PIPE
    ).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(scratch / "before", filter="data")
    return scratch / "before" / "src"


def bring_in(source: Path, folder: Path, home: Path) -> BroughtIn:
    """Bring a folder into a new workspace by the version whose sources are named."""
    (home / "cache").mkdir(parents=True)
    (home / "cache" / "model").symlink_to(MODEL)
    told = subprocess.run(
        [sys.executable, "-c", _CHILD, str(folder), str(home)],
        env={**os.environ, "PYTHONPATH": str(source)},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    wall, cpu = json.loads(told.splitlines()[-1])
    vectors = dict[str, bytes]()
    for path in (home / "kb").rglob("*.db"):
        with sqlite3.connect(path) as base:
            rows = base.execute("SELECT doc_id || ' ' || text, vector, sentence_vectors FROM chunk")
            vectors |= {str(text): bytes(one) + bytes(more) for text, one, more in rows}
    return BroughtIn(wall=wall, cpu=cpu, vectors=vectors)


def show(before: Sequence[BroughtIn], after: Sequence[BroughtIn]) -> None:
    """Print what both took, and what they have in common."""
    print(f"{'median of ' + str(len(after)):<28}{'before':>10}{'now':>10}{'ratio':>8}")
    for name in ("wall", "cpu"):
        one, other = (statistics.median(getattr(t, name) for t in took) for took in (before, after))
        print(f"{name + ', s':<28}{one:>10.2f}{other:>10.2f}{one / other:>8.2f}")
    shared = before[0].vectors.keys() & after[0].vectors.keys()
    equal = sum(before[0].vectors[text] == after[0].vectors[text] for text in shared)
    print(f"chunks {len(before[0].vectors)} and {len(after[0].vectors)}, {len(shared)} of the same")
    print(f"text, of which {equal} have equal vectors")


def main() -> None:
    """Bring the folder in by both versions in turns, and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision")
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    wanted = parser.parse_args()
    if not MODEL.is_dir():
        sys.exit(f"The embedder's model is not in {MODEL}; put it there by weft model install.")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        folder = wanted.folder or scratch / "documents"
        if wanted.folder is None:
            gather(folder, wanted.files)
        versions = {"before": unpacked(wanted.revision, scratch), "now": ROOT / "src"}
        took: dict[str, list[BroughtIn]] = {name: [] for name in versions}
        for turn in range(wanted.rounds):
            for version, source in versions.items():
                took[version].append(bring_in(source, folder, scratch / f"{version}{turn}"))
                print(f"  {version} {took[version][-1].wall:.1f} s", file=sys.stderr, flush=True)
        show(took["before"], took["now"])


if __name__ == "__main__":
    main()
