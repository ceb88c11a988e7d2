"""Questions of the evaluation sets, asked with all their passages, without any, and without one.

Each is asked three times through the product's own question path: with the gold passages readable,
with none of them, and with one of them out of the scope, the one that holds the answer if one does.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from answer_folds import judge_by_fold
from answers_bases import Answerer, Corpus, FilledBase, asking, read_corpus
from answers_scoring import contains, is_verdict, normalised, overlap

from weft.domain.answer import Answer, Citation
from weft.domain.answer import Outcome as AnswerOutcome
from weft.domain.errors import NotFound
from weft.domain.scope import Scope

SEED = 20_260
CITED_SENTENCES = 3
# A stated short answer counts as right from this overlap of words on (SQuAD's F1).
RIGHT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, what counts as its answer, and the passages that hold it."""

    id: str
    text: str
    answers: tuple[str, ...]
    gold: tuple[str, ...]
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One set's figures, shares of its questions in 0 to 1.

    `shown`: the answer stands in the stated short answer, in the first three cited sentences or in
    the first three of the nearest; `answered`: there are sentences that answer.
    `computed`: a short answer is stated and right; `stated`: one is stated at all. `em` and `f1`
    compare the stated short answer as SQuAD does; where none is stated they are 0. `span_valid`:
    citations whose stored text is the snippet, of all in all three rounds. `lost`: nothing
    even near with all gold passages readable. `refused_all`, `refused_one`: not answered with none
    of them readable, and without one.
    `ms`: the median time of an answer in the first round; `seconds`: all three rounds.
    """

    dataset: str
    n: int
    shown: float
    answered: float
    computed: float
    stated: float
    em: float
    f1: float
    span_valid: float
    lost: float
    refused_all: float
    refused_one: float
    ms: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one question gave."""

    question: Question
    full: Answer
    refused_all: bool
    refused_one: bool
    citations: int
    valid: int

    @property
    def f1(self) -> float:
        """Return the overlap of the stated short answer with the nearest right one."""
        return max(overlap(stated(self.full), gold) for gold in self.question.answers)

    @property
    def is_exact(self) -> bool:
        """Tell whether the stated short answer is a right one, word for word."""
        said = normalised(stated(self.full))
        return any(said == normalised(gold) for gold in self.question.answers)

    @property
    def is_shown(self) -> bool:
        """Tell whether a reader of the answer sees a right one."""
        seen = [sentence.text for sentence in self.full.sentences[:CITED_SENTENCES]]
        seen += [one.snippet for one in self.full.nearest[:CITED_SENTENCES]]
        seen += [c.snippet for s in self.full.sentences[:CITED_SENTENCES] for c in s.citations]
        return any(
            contains(stated(self.full), gold)
            or (not is_verdict(gold) and any(contains(text, gold) for text in seen))
            for gold in self.question.answers
        )


def stated(answer: Answer) -> str:
    """Return the short answer that is stated, empty where there is none."""
    return answer.short


def read_questions(data: Path, name: str, split: str) -> list[Question]:
    """Return the questions of a set's split, in the order of the file."""
    lines = (data / name / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        Question(
            id=str(row["id"]),
            text=row["question"],
            answers=(row["answer"], *row.get("answer_aliases", ())),
            gold=tuple(row["supporting_ids"]),
            kind=str(row.get("type", "")),
        )
        for row in map(json.loads, lines)
    ]


async def measure_sets(
    data: Path,
    split: str,
    *,
    names: Iterable[str],
    limit: int,
    details: Path | None = None,
    by_folds: bool = False,
) -> list[Row]:
    """Return a row for each set; `details` gets a line for each question.

    `by_folds`: each question is asked with weights that it did not teach.
    """
    rows: list[Row] = []
    for name in names:
        asked = read_questions(data, name, split)
        corpus = read_corpus(data, name, {one for q in asked for one in q.gold})
        async with asking(name, corpus) as found:
            chosen = asked if not limit else Random(SEED).sample(asked, min(limit, len(asked)))
            began = time.perf_counter()
            outcomes = await _all_asked(found, corpus, chosen, by_folds=by_folds)
            rows.append(_row(name, outcomes, time.perf_counter() - began))
            show(rows[-1])
        if details is not None:
            _write_details(details / f"answers-{name}.jsonl", outcomes)
    return rows


async def _all_asked(
    found: FilledBase, corpus: Corpus, chosen: Sequence[Question], *, by_folds: bool
) -> list[Outcome]:
    texts = {row["id"]: f"{row['title']}\n{row['text']}" for row in corpus.rows}
    answerer, outcomes = Answerer(found), []
    for question in chosen:
        if by_folds:
            judge_by_fold(question.id)
        outcomes.append(await _asked(found, answerer, question, texts=texts))
        if len(outcomes) % 50 == 0:
            print(f"{len(outcomes)} of {len(chosen)} questions", file=sys.stderr)
    return outcomes


async def _asked(
    found: FilledBase, answerer: Answerer, question: Question, *, texts: dict[str, str]
) -> Outcome:
    gone: tuple[tuple[str, ...], ...] = ((), question.gold, (bearing(question, texts),))
    answers: list[Answer] = []
    citations = valid = 0
    for without in gone:
        scope = found.scope(without)
        answers.append(await answerer.ask(scope, question.text))
        cited = [citation for s in answers[-1].sentences for citation in s.citations]
        cited += answers[-1].nearest
        checks = [await _is_valid(found, scope, citation) for citation in cited]
        citations, valid = citations + len(checks), valid + sum(checks)
    return Outcome(
        question=question,
        full=answers[0],
        refused_all=answers[1].refused,
        refused_one=answers[2].refused,
        citations=citations,
        valid=valid,
    )


def bearing(question: Question, texts: dict[str, str]) -> str:
    """Return the gold passage that holds the answer, else one drawn by the question's id."""
    rng = Random(f"{SEED} {question.id}")
    holding = [
        one
        for one in question.gold
        if any(not is_verdict(a) and contains(texts[one], a) for a in question.answers)
    ]
    return rng.choice(holding or list(question.gold))


async def _is_valid(found: FilledBase, scope: Scope, citation: Citation) -> bool:
    """Tell whether the caller finds the snippet in the stored text where the citation says."""
    try:
        text = await found.store.knowledge.text(scope, citation.doc_id)
    except NotFound:
        return False
    return bool(citation.snippet) and text[citation.start : citation.end] == citation.snippet


def _row(name: str, outcomes: Sequence[Outcome], seconds: float) -> Row:
    n = max(1, len(outcomes))
    cited = sum(one.citations for one in outcomes)
    times = sorted(one.full.took_ms for one in outcomes)

    def share(values: Iterable[float]) -> float:
        return round(sum(values) / n, 4)

    return Row(
        dataset=name,
        n=len(outcomes),
        shown=share(one.is_shown for one in outcomes),
        answered=share(not one.full.refused for one in outcomes),
        computed=share(one.f1 >= RIGHT for one in outcomes),
        stated=share(bool(stated(one.full)) for one in outcomes),
        em=share(one.is_exact for one in outcomes),
        f1=share(one.f1 for one in outcomes),
        span_valid=round(sum(one.valid for one in outcomes) / cited, 4) if cited else 1.0,
        lost=share(one.full.outcome is AnswerOutcome.NOTHING for one in outcomes),
        refused_all=share(one.refused_all for one in outcomes),
        refused_one=share(one.refused_one for one in outcomes),
        ms=round(times[len(times) // 2], 1) if times else 0.0,
        seconds=round(seconds, 1),
    )


def show(row: Row) -> None:
    """Print one set's figures in percent."""
    shares = ("shown", "answered", "computed", "stated", "em", "f1", "span_valid", "lost",
              "refused_all", "refused_one")  # fmt: skip
    figures = "  ".join(f"{name} {100 * getattr(row, name):.1f}" for name in shares)
    print(f"{row.dataset} ({row.n}): {figures}  [{row.ms:.0f} ms, {row.seconds:.0f} s]", flush=True)


def show_means(rows: Sequence[Row]) -> None:
    """Print the means of the sets."""
    for name in ("shown", "answered", "f1", "lost", "refused_all", "refused_one"):
        print(f"mean {name:12}{100 * sum(getattr(row, name) for row in rows) / len(rows):6.1f}")


def _write_details(path: Path, outcomes: Sequence[Outcome]) -> None:
    lines = [
        json.dumps(
            {
                "question": one.question.text,
                "kind": one.question.kind,
                "answers": one.question.answers,
                "shown": one.is_shown,
                "stated": stated(one.full),
                "refused": [one.full.refused, one.refused_all, one.refused_one],
                "missing": one.full.missing,
                "sentences": [sentence.text for sentence in one.full.sentences],
            },
            ensure_ascii=False,
        )
        for one in outcomes
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
