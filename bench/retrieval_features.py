"""The ranker's view of an evaluation set: each question's pool, as features with what is right."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from retrieval_bases import (
    EVERY,
    OWNER,
    Question,
    cache_folder,
    embedding,
    opened,
    passage_id,
    questions,
)

import weft
from weft.adapters.sqlite.store import SqliteStore
from weft.domain.ids import digest
from weft.index.view import best
from weft.ports.embedder import Embedder
from weft.retrieval.features import StageResults, pool, raw_features
from weft.retrieval.hits import Query
from weft.retrieval.ranking import begin, stages_of
from weft.retrieval.search import _asked
from weft.retrieval.shape import shape

LEARNT_FROM = 400
_BEST = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """One question: the pool's passages, their raw features, and the shape of the scores.

    `plain` has for bm25, dense and hybrid the first ten passages by that method alone.
    """

    dataset: str
    titles: bool
    question: Question
    passages: Sequence[str]
    raw: npt.NDArray[np.float64]
    shape: npt.NDArray[np.float64]
    plain: Mapping[str, Sequence[str]]


def recall(order: Sequence[str], gold: frozenset[str], k: int) -> float:
    """Return the share of wanted documents among the first k different ones."""
    first = list(dict.fromkeys(order))[:k]
    return len(gold.intersection(first)) / len(gold)


async def stages_for(
    store: SqliteStore, embedder: Embedder, question: str, *, titles: bool
) -> StageResults:
    """Return all stages of the product's search for a question."""
    asked = await _asked(embedder, Query(text=question))
    view = await store.knowledge.view(OWNER)
    begun = begin(view, asked, titles=titles)
    texts = begun.requeries
    return stages_of(begun, list(await embedder.queries(texts)) if texts else [])


async def pooled(data: Path, split: str) -> list[Pooled]:
    """Return the pools of all sets with titles on and unused, kept until the code changes them.

    Of the sets where one passage answers 400 questions are taken.
    """
    key = digest(split, *(name + _written(name) for name in ("retrieval", "index", "language")))
    kept = cache_folder() / f"pools-{key[:10]}.pickle"
    if kept.exists():
        found: list[Pooled] = pickle.loads(kept.read_bytes())
        return found
    found = await _pools(data, split)
    kept.write_bytes(pickle.dumps(found))
    return found


def _written(room: str) -> str:
    """Return what identifies the code of a room."""
    folder = Path(weft.__file__).parent / room
    return digest(*(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))))


async def _pools(data: Path, split: str) -> list[Pooled]:
    embedder = embedding()
    found: list[Pooled] = []
    async with AsyncExitStack() as stack:
        for name in EVERY:
            store = await opened(stack, data, name, strict=False, embedder=embedder)
            for titles in (True, False):
                began = time.perf_counter()
                for question in questions(data, name, split, sample=LEARNT_FROM):
                    stages = await stages_for(store, embedder, question.text, titles=titles)
                    found.append(_pooled(name, question, titles=titles, stages=stages))
                spent = time.perf_counter() - began
                label = "titles on" if titles else "titles unused"
                print(f"{name} {label}: {spent:.0f} s", file=sys.stderr)
    return found


def _pooled(name: str, question: Question, *, titles: bool, stages: StageResults) -> Pooled:
    view, first = stages.named_view.view, stages.first
    slots = pool(stages, view.readable)
    raw = raw_features(stages, slots, within=slots)
    alone = {
        "bm25": first.text_scaled,
        "dense": first.passage_scaled,
        "hybrid": (first.text_scaled + first.passage_scaled) / 2,
    }

    def ids(chosen: Sequence[int]) -> list[str]:
        return [passage_id(view.place(slot).document_id) for slot in chosen]

    return Pooled(
        dataset=name,
        titles=titles,
        question=question,
        passages=ids(slots),
        raw=raw,
        shape=shape(stages, slots, raw=raw),
        plain={
            method: ids(best(view, scores, limit=_BEST, above=0.0))
            for method, scores in alone.items()
        },
    )
