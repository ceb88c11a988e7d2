"""Search, bare methods and changes of a view in knowledge bases of different sizes.

`bench_scale.py [DATA] [SIZE ...]` (10,000, 20,000 and 100,000 passages): each size in a process of
its own, its arrays mapped from files as the product maps them. A question takes the product's two
hops with its own embedder; bare BM25 and bare vectors are asked the same question beside it.
Writes `bench/out/scale.json`.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from retrieval_bases import SETS, embedding, questions
from scale_bases import base, document_row, newcomers

from weft.index.named_view import named_view
from weft.index.scoring import bm25, cosines, scaled
from weft.index.snapshot import Changes, LiveSegment, Snapshot, apply
from weft.index.view import View, best, view
from weft.language.terms import terms
from weft.ports.embedder import Embedder
from weft.retrieval.first_stage import SearchQuestion
from weft.retrieval.hits import Query
from weft.retrieval.identifiers import named_in
from weft.retrieval.ranking import begin
from weft.retrieval.search import Narrowing, _asked, _finish

OUT = Path(__file__).parent / "out" / "scale.json"
SIZES = (10_000, 20_000, 100_000)
_QUESTIONS = 60
_CHANGES = 60
_WARM = 8
# The machine may be shared: a question's time is the least of so many.
_ROUNDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Median and 95th percentile in ms."""

    p50: float
    p95: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one size showed; `first` is what the first question after a change takes more.

    `cpu` is the processor time of a search, of all threads, which other processes disturb less.
    `rss_mb` is the memory of the process, mapped files included; `load` the machine's at the end.
    """

    size: int
    search: Times
    without_embedding: Times
    cpu: Times
    bm25: Times
    dense: Times
    add: Times
    delete: Times
    acl: Times
    add_cpu: Times
    delete_cpu: Times
    acl_cpu: Times
    first: Times
    rss_mb: float
    rss_anonymous_mb: float
    load: float


def times(ms: Sequence[float]) -> Times:
    """Return the percentiles of some times."""
    return Times(
        p50=round(float(np.percentile(ms, 50)), 1), p95=round(float(np.percentile(ms, 95)), 1)
    )


def asked_questions(data: Path) -> list[str]:
    """Return questions of all the sets in turn."""
    each = [questions(data, name, "dev")[: _QUESTIONS // len(SETS)] for name in SETS]
    return [one.text for some in zip(*each, strict=True) for one in some]


async def searched(seen: View, embedder: Embedder, question: str) -> tuple[float, float]:
    """Return the ms of the product's two hops over one base, and those outside the embedder."""
    began = time.perf_counter()
    query = Query(text=question)
    asked = await _asked(embedder, query)
    embedded = time.perf_counter() - began
    begun = await asyncio.to_thread(begin, seen, asked)
    waited = time.perf_counter()
    vectors = list(await embedder.queries(begun.requeries)) if begun.requeries else []
    embedded += time.perf_counter() - waited
    narrowing = Narrowing(allowed=seen.readable, named=named_in(question), holding=[])
    await asyncio.to_thread(_finish, "Scale", begun, vectors, narrowing, query)
    whole = time.perf_counter() - began
    return 1000 * whole, 1000 * (whole - embedded)


async def bare(seen: View, embedder: Embedder, question: str, *, method: str) -> float:
    """Return the ms of one bare method, with the embedding of the question where it needs one."""
    began = time.perf_counter()
    if method == "bm25":
        scores = scaled(bm25(seen, terms(question)), seen.readable)
    else:
        vector = (await embedder.queries([question]))[0]
        scores = scaled(seen.rows(lambda rows: cosines(rows, vector)), seen.readable)
    best(seen, scores, limit=60, above=0.0)
    return 1000 * (time.perf_counter() - began)


class Changed:
    """A view that follows changes, and what each kind of change took."""

    def __init__(self, snapshot: Snapshot, seen: View) -> None:
        """Begin with a view of the snapshot."""
        self.snapshot = snapshot
        self.seen = seen
        kinds = ("add", "delete", "acl")
        self.ms: dict[str, list[float]] = {f"{k}{c}": [] for k in kinds for c in ("", "_cpu")}

    def change(self, kind: str, changes: Changes) -> None:
        """Take in a change: the next snapshot, its view, and all names of the view."""
        began, busy = time.perf_counter(), time.process_time()
        self.snapshot = apply(self.snapshot, changes, name=f"s{changes.version}")
        self.seen = view(self.snapshot, [1, 2], after=self.seen)
        named_view(self.seen)
        self.ms[kind].append(1000 * (time.perf_counter() - began))
        self.ms[f"{kind}_cpu"].append(1000 * (time.process_time() - busy))


def change_often(held: Changed, new: LiveSegment, asked: SearchQuestion) -> list[float]:
    """Delete, add and give to other readers in turn; return what first questions took more."""
    rng = np.random.default_rng(3)
    live = held.snapshot.segments[0]
    chosen = rng.choice(len(live.segment.documents), size=(_CHANGES, 2), replace=False)
    more: list[float] = []
    version = held.snapshot.version
    for number, (one, other) in enumerate(chosen.tolist()):
        gone = frozenset({live.segment.documents[one][0]})
        steps = (
            ("delete", [], gone),
            ("add", [document_row(new, number, acl=1)], frozenset[str]()),
            ("acl", [document_row(live, other, acl=2)], frozenset[str]()),
        )
        for at, (kind, documents, leaving) in enumerate(steps, start=version + 1 + 3 * number):
            held.change(kind, Changes(version=at, documents=documents, gone=leaving))
        spent = []
        for _ in range(2):
            began = time.perf_counter()
            begin(held.seen, asked)
            spent.append(1000 * (time.perf_counter() - began))
        more.append(max(spent[0] - spent[1], 0.0))
    return more


async def ask_all(seen: View, embedder: Embedder, asked: Sequence[str]) -> dict[str, list[float]]:
    """Ask every question in every way, one after the other; return its best time of each way."""
    found: dict[str, list[float]] = {}
    for at, question in enumerate([*asked[:_WARM], *asked]):
        tries = [await _once(seen, embedder, question) for _ in range(_ROUNDS)]
        if at >= _WARM:
            for name in tries[0]:
                found.setdefault(name, []).append(min(one[name] for one in tries))
    return found


async def _once(seen: View, embedder: Embedder, question: str) -> dict[str, float]:
    began = time.process_time()
    whole, rest = await searched(seen, embedder, question)
    own = {"search": whole, "rest": rest, "cpu": 1000 * (time.process_time() - began)}
    for method in ("bm25", "dense"):
        own[method] = await bare(seen, embedder, question, method=method)
    return own


def measure(data: Path, size: int) -> Row:
    """Measure one size in this process."""
    embedder = embedding()
    snapshot = asyncio.run(base(data, size, embedder))
    seen = view(snapshot, [1, 2])
    named_view(seen)
    asked = asked_questions(data)
    found = asyncio.run(ask_all(seen, embedder, asked))
    memory = _memory()
    held = Changed(snapshot, seen)
    new = asyncio.run(newcomers(data, embedder))
    first = change_often(held, new, asyncio.run(_asked(embedder, Query(text=asked[0]))))
    return Row(
        size=size,
        search=times(found["search"]),
        without_embedding=times(found["rest"]),
        cpu=times(found["cpu"]),
        bm25=times(found["bm25"]),
        dense=times(found["dense"]),
        **{kind: times(ms) for kind, ms in held.ms.items()},
        first=times(first),
        rss_mb=memory["VmRSS"],
        rss_anonymous_mb=memory["RssAnon"],
        load=round(os.getloadavg()[0], 1),
    )


def _memory() -> dict[str, float]:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    pairs = (line.split(":") for line in lines if line.endswith("kB"))
    return {name: round(int(value.split()[0]) / 1024, 0) for name, value in pairs}


def show(rows: Sequence[dict[str, object]]) -> None:
    """Print p50 / p95 in ms, a column a size, and how many times as long as a bare method."""
    print(f"{'':20}" + "".join(f"{row['size']:>19}" for row in rows))
    for kind in [field.name for field in fields(Row) if field.type == "Times"]:
        cells = "".join(f"{'{p50} / {p95}'.format(**row[kind]):>19}" for row in rows)  # type: ignore[arg-type]
        print(f"{kind:20}{cells}")
    for row in rows:
        whole = row["search"]["p50"]  # type: ignore[index]
        ratios = [
            f"{whole / max(row[method]['p50'], 0.1):.1f} x {method}"  # type: ignore[index]
            for method in ("bm25", "dense")
        ]
        memory = f"{row['rss_mb']:.0f} MB, {row['rss_anonymous_mb']:.0f} MB of them not mapped"
        print(f"{row['size']:>9}  {', '.join(ratios)}; {memory}; load {row['load']}")


def main() -> None:
    """Measure each size in a process of its own, print and write."""
    data = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    sizes = [int(size) for size in sys.argv[2:]] or list(SIZES)
    rows: list[dict[str, object]] = []
    for size in sizes:
        for verb in ("make", "measure"):
            command = [sys.executable, __file__, verb, str(data), str(size)]
            told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        rows.append(json.loads(told.stdout))
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    show(rows)


def child(verb: str, data: Path, size: int) -> None:
    """Make the base of a size, or measure it and print the row as JSON."""
    if verb == "make":
        asyncio.run(base(data, size, embedding()))
    else:
        print(json.dumps(asdict(measure(data, size))))


if __name__ == "__main__":
    if sys.argv[1:2] in (["make"], ["measure"]):
        child(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
