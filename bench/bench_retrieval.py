"""Recall and latency of retrieval, where one passage answers and where several do.

`bench_retrieval.py [DATA] [SPLIT] [--first N] [--sets NAME …] [--titled]`: reads
`<set>/corpus.jsonl.gz` and `<set>/<SPLIT>.jsonl`, makes the knowledge bases by the product's ingest
where they are not kept yet, asks every question that has an answer (of `squad2` and `selqa` 200,
articles in turn) through the product's own search, with default settings and the shipped weights,
and writes `bench/out/retrieval.json`. `--titled` leaves out the bases without titles.
With `--first` it asks the first N questions of each set alone and also writes what was found for
each, scores to the bit, to `bench/out/retrieval-rankings.json`: of two versions of the code,
`same_rankings.py` compares these files.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from retrieval_bases import (
    EVERY,
    OWNER,
    SETS,
    SINGLE_PASSAGE,
    Question,
    embedding,
    opened,
    passage_id,
    questions,
)
from retrieval_features import recall, stages_for

from weft.adapters.sqlite.store import SqliteStore
from weft.index.scoring import bm25, cosines, scaled
from weft.index.view import Doubles, View, best
from weft.language.terms import terms
from weft.ports.embedder import Embedder
from weft.ports.store import Base
from weft.retrieval.features import StageResults
from weft.retrieval.hits import Query
from weft.retrieval.ranker import shipped
from weft.retrieval.ranking import ranked
from weft.retrieval.search import search

OUT = Path(__file__).parent / "out" / "retrieval.json"
RANKINGS = OUT.with_name("retrieval-rankings.json")
PUBLISHED = (
    ("BM25 (side script)", 63.4),
    ("MiniLM (side script)", 62.9),
    ("NV-Embed-v2 7B", 80.2),
    ("GraphRAG", 67.7),
    ("LightRAG", 49.5),
    ("HippoRAG 2 (70B model)", 87.1),
)
_METHODS = ("bm25", "dense", "hybrid", "weft")
_DEEP = 60
_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the result: recalls in percent over distinct documents, times in ms."""

    dataset: str
    method: str
    titles: str
    n: int
    r2: float
    r5: float
    r10: float
    mrr: float
    all5: float
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What one question gave: the wanted documents, those found in order, and the time it took."""

    id: str
    gold: frozenset[str]
    order: Sequence[str]
    scores: Sequence[float]
    ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Which questions are asked: of these sets, of each the first so many, or all (None).

    `strict` says whether those of bases without titles, or with titles, or both.
    """

    sets: tuple[str, ...] = EVERY
    first: int | None = None
    strict: tuple[bool, ...] = (False, True)


Rankings = dict[str, dict[str, list[tuple[str, str]]]]


def row(dataset: str, method: str, *, titles: str, asked: Sequence[Asked]) -> Row:
    """Return the means of some questions."""
    distinct = [list(dict.fromkeys(one.order)) for one in asked]

    def mean(values: Sequence[float]) -> float:
        return round(100 * float(np.mean(values)), 2)

    ms = [one.ms for one in asked]
    return Row(
        dataset=dataset,
        method=method,
        titles=titles,
        n=len(asked),
        r2=mean([recall(one.order, one.gold, 2) for one in asked]),
        r5=mean([recall(one.order, one.gold, 5) for one in asked]),
        r10=mean([recall(one.order, one.gold, 10) for one in asked]),
        mrr=mean([_first(order, one.gold) for one, order in zip(asked, distinct, strict=True)]),
        all5=mean([float(recall(one.order, one.gold, 5) == 1.0) for one in asked]),
        p50_ms=round(float(np.percentile(ms, 50)), 1),
        p95_ms=round(float(np.percentile(ms, 95)), 1),
    )


def _first(order: Sequence[str], gold: frozenset[str]) -> float:
    return next((1.0 / at for at, one in enumerate(order, start=1) if one in gold), 0.0)


async def searched(
    store: SqliteStore, embedder: Embedder, asked: Sequence[Question]
) -> list[Asked]:
    """Ask the product's search."""
    base = [Base(name="Set", knowledge=store.knowledge)]
    for one in asked[:5]:  # warm: the first question opens the arrays
        await search(base, embedder, OWNER, query=Query(text=one.text))
    found = []
    for one in asked:
        began = time.perf_counter()
        query = Query(text=one.text, top_k=_SHOWN)
        hits = (await search(base, embedder, OWNER, query=query)).hits
        ms = 1000 * (time.perf_counter() - began)
        order = [passage_id(hit.evidence.document_id) for hit in hits]
        scores = [hit.score for hit in hits]
        found.append(Asked(id=one.id, gold=one.gold, order=order, scores=scores, ms=ms))
    return found


async def staged(
    store: SqliteStore, embedder: Embedder, asked: Sequence[Question], *, titles: bool
) -> dict[str, list[Asked]]:
    """Ask the stages one by one: full text, vectors, their mixture, and all of it."""
    found: dict[str, list[Asked]] = {"bm25": [], "dense": [], "hybrid": [], "weft": []}
    for one in asked:
        began = time.perf_counter()
        stages = await stages_for(store, embedder, one.text, titles=titles)
        view = stages.named_view.view
        best_first = ranked(stages, shipped(), allowed=view.readable)
        ms = 1000 * (time.perf_counter() - began)
        found["weft"].append(_asked(one, stages, dict(best_first), ms))
        for method in ("bm25", "dense", "hybrid"):
            began = time.perf_counter()
            scores = await _alone(view, embedder, one.text, method=method)
            slots = best(view, scores, limit=_DEEP, above=0.0)
            ms = 1000 * (time.perf_counter() - began)
            found[method].append(_asked(one, stages, {at: float(scores[at]) for at in slots}, ms))
    return found


def _asked(one: Question, stages: StageResults, scores: Mapping[int, float], ms: float) -> Asked:
    """Return what a question gave: slots, best first, with their scores."""
    order = _ids(stages, list(scores))
    return Asked(id=one.id, gold=one.gold, order=order, scores=list(scores.values()), ms=ms)


async def _alone(view: View, embedder: Embedder, question: str, *, method: str) -> Doubles:
    """Return the scores of one bare method, the embedding of the question included."""
    parts: list[Doubles] = []
    if method != "dense":
        parts.append(scaled(bm25(view, terms(question)), view.readable))
    if method != "bm25":
        vector = (await embedder.queries([question]))[0]
        parts.append(scaled(view.rows(lambda rows: cosines(rows, vector)), view.readable))
    return sum(parts[1:], parts[0]) / len(parts)


def _ids(stages: StageResults, slots: Sequence[int]) -> list[str]:
    return [passage_id(stages.named_view.view.place(slot).document_id) for slot in slots]


async def measure(data: Path, split: str, wish: Wish) -> tuple[list[Row], Rankings]:
    """Return all rows, the sets under three title conditions, and what was found for whom."""
    embedder = embedding()
    rows: list[Row] = []
    rankings: Rankings = {}
    for name in wish.sets:
        asked = questions(data, name, split)[: wish.first]
        for strict in wish.strict:
            async with AsyncExitStack() as stack:
                store = await opened(stack, data, name, strict=strict, embedder=embedder)
                found = await _measured(store, embedder, asked, strict=strict)
            for (method, titles), each in found.items():
                rows.append(row(name, method, titles=titles, asked=each))
                rankings[f"{name} {method} {titles}"] = {one.id: _to_the_bit(one) for one in each}
            gc.collect()
            print(f"{name} {'strict' if strict else 'titled'}: done", file=sys.stderr)
    return rows, rankings


async def _measured(
    store: SqliteStore, embedder: Embedder, asked: Sequence[Question], *, strict: bool
) -> dict[tuple[str, str], list[Asked]]:
    """Return what was found by method and title condition."""
    label = "strict" if strict else "on"
    alone = await staged(store, embedder, asked, titles=not strict)
    alone["weft"] = await searched(store, embedder, asked)
    found = {(method, label): each for method, each in alone.items()}
    if not strict:
        unused = await staged(store, embedder, asked, titles=False)
        found |= {(method, "unused"): each for method, each in unused.items()}
    return found


def _to_the_bit(one: Asked) -> list[tuple[str, str]]:
    """Return what was found, best first, with scores that lose nothing as text."""
    return [(found, score.hex()) for found, score in zip(one.order, one.scores, strict=True)]


def show(rows: Sequence[Row]) -> None:
    """Print each set's recalls by method, the means of both kinds, and what is published."""
    for titles in ("on", "unused", "strict"):
        some = [one for one in rows if one.titles == titles]
        if some:
            print(f"R@2 / R@5 / R@10, {'titles ' + titles:22}" + _heads())
            sets = list(dict.fromkeys(one.dataset for one in some))
            lines = [(name, [one for one in some if one.dataset == name]) for name in sets]
            for label, kind in (("several hops", SETS), ("one passage", SINGLE_PASSAGE)):
                lines.append((f"mean, {label}", [one for one in some if one.dataset in kind]))
            for label, own in lines:
                if own:
                    print(f"{label:40}" + _line(own))
    _ratios(rows)
    for label, value in PUBLISHED:
        print(f"{label:52}{value:6.1f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process, all sets: {peak:.0f} MB")


def _heads() -> str:
    return "".join(f"{method:22}" for method in _METHODS) + "weft p50 / p95 ms"


def _line(own: Sequence[Row]) -> str:
    """Return the mean recalls of each method over some sets, and the greatest times of search."""
    cells = []
    for method in _METHODS:
        each = [one for one in own if one.method == method]
        means = [float(np.mean([getattr(one, at) for one in each])) for at in ("r2", "r5", "r10")]
        cells.append(f"{' / '.join(f'{mean:.1f}' for mean in means):22}")
    whole = [one for one in own if one.method == _METHODS[-1]]
    times = (max(one.p50_ms for one in whole), max(one.p95_ms for one in whole))
    return "".join(cells) + f"{times[0]:.1f} / {times[1]:.1f}"


def _ratios(rows: Sequence[Row]) -> None:
    """Print how many times as long a question takes as with a bare method, in this same run."""
    titled = {(one.dataset, one.method): one for one in rows if one.titles == "on"}
    for bare in ("bm25", "dense", "hybrid"):
        names = dict.fromkeys(name for name, _ in titled)
        pairs = [(titled[name, "weft"], titled[name, bare]) for name in names]
        each = " / ".join(f"{ours.p50_ms / max(theirs.p50_ms, 0.1):.1f}" for ours, theirs in pairs)
        print(f"{'median of weft : ' + bare:24}{each}")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=Path("../shared/data"))
    parser.add_argument("split", nargs="?", default="dev")
    parser.add_argument("--first", type=int)
    parser.add_argument("--sets", nargs="+", choices=EVERY, default=EVERY)
    parser.add_argument("--titled", action="store_true")
    given = parser.parse_args()
    wish = Wish(
        sets=tuple(given.sets),
        first=given.first,
        strict=(False,) if given.titled else (False, True),
    )
    rows, rankings = asyncio.run(measure(given.data, given.split, wish))
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps([asdict(one) for one in rows], indent=1) + "\n", encoding="utf-8")
    if wish.first is not None:
        RANKINGS.write_text(json.dumps(rankings, indent=0) + "\n", encoding="utf-8")
    show(rows)


if __name__ == "__main__":
    main()
