"""What the answerer weighs for questions over several documents, kept for the next run.

Each question is asked as in `answers_sets.py`: with its gold passages readable, with none of them,
and without the one that holds the answer.
"""

from __future__ import annotations

import math
import pickle
import sqlite3
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from answers_bases import Answerer, asking, read_corpus
from answers_scoring import contains, is_verdict
from answers_sets import Question, bearing, read_questions
from retrieval_bases import cache_folder, passage_id

from weft.agents.answering import Caution
from weft.offline import answering
from weft.offline.units.order import Points, RankedUnits, weigh_units
from weft.retrieval.hits import Hit, QuestionTerm

GONE = ("", "all", "one")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A question and what its units are taken from; `gone` says which gold passages are not there.

    It is empty where what was asked has been computed, and nothing was weighed.
    """

    dataset: str
    question: Question
    gone: str
    terms: tuple[QuestionTerm, ...]
    entries: tuple[tuple[str, Hit], ...]

    @property
    def id(self) -> str:
        """Return what tells it apart."""
        return f"{self.dataset} {self.question.id} {self.gone}"

    def holds(self, text: str, hit: Hit) -> bool:
        """Tell whether a text holds an answer and stands in a gold passage."""
        return passage_id(hit.evidence.document_id) in self.question.gold and any(
            not is_verdict(one) and contains(text, one) for one in self.question.answers
        )


async def weighed(data: Path, names: Sequence[str], split: str) -> AsyncIterator[Weighed]:
    """Yield what is weighed for each question of some sets, from the file where it was asked."""
    kept = sqlite3.connect(cache_folder() / "hops.db", isolation_level=None)
    kept.execute("CREATE TABLE IF NOT EXISTS kept (id TEXT PRIMARY KEY, value BLOB)")
    for name in names:
        asked = read_questions(data, name, split)
        wanted = [(question, gone) for question in asked for gone in GONE]
        known = {row[0] for row in kept.execute("SELECT id FROM kept")}
        if any(f"{name} {question.id} {gone}" not in known for question, gone in wanted):
            await _ask_all(data, name, asked, kept=kept)
        for question, gone in wanted:
            key = f"{name} {question.id} {gone}"
            row = kept.execute("SELECT value FROM kept WHERE id = ?", [key]).fetchone()
            terms, entries = pickle.loads(row[0])
            yield Weighed(dataset=name, question=question, gone=gone, terms=terms, entries=entries)
    kept.close()


async def _ask_all(
    data: Path, name: str, asked: Sequence[Question], *, kept: sqlite3.Connection
) -> None:
    corpus = read_corpus(data, name, {one for q in asked for one in q.gold})
    texts = {row["id"]: f"{row['title']}\n{row['text']}" for row in corpus.rows}
    async with asking(name, corpus) as base:
        answerer = Answerer(base)
        for count, question in enumerate(asked, start=1):
            without = ((), question.gold, (bearing(question, texts),))
            for gone, out in zip(GONE, without, strict=True):
                with _Recorder() as seen:
                    await answerer.ask(base.scope(out), question.text)
                value = pickle.dumps(seen.first(question.text))
                key = f"{name} {question.id} {gone}"
                kept.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", [key, value])
            if count % 50 == 0:
                print(f"{name}: {count} of {len(asked)} questions", file=sys.stderr)


_Seen = tuple[tuple[QuestionTerm, ...], tuple[tuple[str, Hit], ...]]


class _Recorder:
    """Stands where units are put in order, and takes down what they are taken from."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}

    def __enter__(self) -> _Recorder:
        answering.weigh_units = self._rank
        return self

    def __exit__(self, *_: object) -> None:
        answering.weigh_units = weigh_units

    def first(self, text: str) -> _Seen:
        """Return what was weighed for a question; nothing where none was."""
        return self._seen.get(text, ((), ()))

    def _rank(
        self, text: str, known: Sequence[QuestionTerm], *, entries: Sequence[tuple[str, Hit]]
    ) -> RankedUnits:
        self._seen.setdefault(text, (tuple(known), tuple(entries)))
        nothing = Points(answered=1.0, nearest=1.0)
        return RankedUnits(
            units=(), logit=-math.inf, shown=0, points=dict.fromkeys(Caution, nothing)
        )
