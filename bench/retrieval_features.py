"""The ranker's view of an evaluation set: each question's pool, as features with what is right."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from retrieval_bases import OWNER, SETS, Question, embedding, opened, passage_id, questions

from weft.adapters.sqlite.store import SqliteStore
from weft.ports.embedder import Embedder
from weft.retrieval.features import StageResults, features, pool
from weft.retrieval.hits import Query
from weft.retrieval.ranker import shipped
from weft.retrieval.ranking import begin, stages_of
from weft.retrieval.search import _asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """One question: the pool's passages, their features, and the passages that are wanted."""

    dataset: str
    titles: bool
    question: Question
    passages: Sequence[str]
    rows: npt.NDArray[np.float64]


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


async def pooled(data: Path, split: str, conditions: Sequence[str]) -> list[Pooled]:
    """Return the pools of all sets under some title conditions (on, unused, strict)."""
    embedder = embedding()
    found: list[Pooled] = []
    async with AsyncExitStack() as stack:
        for name in SETS:
            for condition in conditions:
                strict = condition == "strict"
                store = await opened(stack, data, name, strict=strict, embedder=embedder)
                began = time.perf_counter()
                for question in questions(data, name, split):
                    stages = await stages_for(
                        store, embedder, question.text, titles=condition == "on"
                    )
                    found.append(_pooled(name, condition, question, stages))
                spent = time.perf_counter() - began
                print(f"{name} {condition}: {spent:.0f} s", file=sys.stderr)
    return found


def _pooled(name: str, condition: str, question: Question, stages: StageResults) -> Pooled:
    view = stages.named_view.view
    slots = pool(stages, view.readable)
    return Pooled(
        dataset=name,
        titles=condition == "on",
        question=question,
        passages=[passage_id(view.place(slot).document_id) for slot in slots],
        rows=features(stages, slots, within=slots, usual=shipped().usual),
    )
