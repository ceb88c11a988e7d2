"""What answers are worth on documents that nobody tuned for: first, right, found, nothing, false.

`bench_strangers.py [DATA] [SPLIT] [--limit N] [--details] [--folds]`: N answerable questions of
each set, half as many whose paragraph or article was left out of the documents, asked as users ask;
writes `bench/out/strangers.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from answer_folds import judge_by_fold
from stranger_labels import answers, drawn, of_set
from strangers_base import STRANGERS, StrangerQuestion, Strangers, strangers

from weft.bootstrap.app import load_settings, open_app
from weft.bootstrap.flows import build_flows
from weft.domain.answer import Answer
from weft.flows.asking import Asking
from weft.platform.identity import local_owner

OUT = Path(__file__).parent / "out" / "strangers.json"
COUNT = 160
# For each answerable question so many without their paragraph, and without their article.
PARAGRAPHS, ARTICLES = 0.4, 0.1
MOST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One set's figures, shares in 0 to 1; `n` answerable questions, `removed` without an answer.

    `first`: the first unit, shown or nearest, holds the answer; `right`: a shown sentence does;
    `found`: a shown one or one of the first three nearest; `nothing`: neither shown nor near.
    `false_removed`: answered after the removal, of a paragraph or of an article. `precise`: shown
    units that hold the answer, of all; `units`: shown an answer. `ms`: the median time.
    """

    dataset: str
    n: int
    removed: int
    first: float
    right: float
    answered: float
    found: float
    nothing: float
    false_removed: float
    false_paragraph: float
    false_article: float
    precise: float
    units: float
    ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A question, what the product answered, and which of its sentences hold the answer."""

    question: StrangerQuestion
    answer: Answer
    shown: tuple[bool, ...]
    nearest: tuple[bool, ...]

    @property
    def is_answered(self) -> bool:
        """Tell whether the product says that it answers."""
        return not self.answer.refused


def chosen(questions: Sequence[StrangerQuestion], count: int) -> list[StrangerQuestion]:
    """Return the questions to ask: of each set those with an answer, and those without."""
    found: list[StrangerQuestion] = []
    for name in STRANGERS:
        found += drawn(of_set(questions, name), count)
        found += drawn(of_set(questions, name, gone="paragraph"), round(PARAGRAPHS * count))
        found += drawn(of_set(questions, name, gone="article"), round(ARTICLES * count))
    return found


async def ask_all(
    made: Strangers, wanted: Sequence[StrangerQuestion], *, by_folds: bool = False
) -> list[Outcome]:
    """Return what the product answers, each question asked by the owner of the folder.

    `by_folds`: with weights that its article did not teach.
    """
    app = await open_app(load_settings(made.home))
    try:
        owner, flows = local_owner(), build_flows(app)
        store = await app.library.of_folder(owner, made.folder)
        found: list[Outcome] = []
        for one in wanted:
            if by_folds:
                judge_by_fold(one.article)
            asking = Asking(question=one.text, knowledge_bases=(store.name,))
            answer = (await flows.run(owner, asking)).answer
            found.append(_outcome(made, one, answer))
        return found
    finally:
        await app.close()


def _outcome(made: Strangers, question: StrangerQuestion, answer: Answer) -> Outcome:
    paragraph = made.texts[question.paragraph]

    def held(texts: Iterable[str]) -> tuple[bool, ...]:
        return tuple(answers(question, text, paragraph=paragraph) for text in texts)

    return Outcome(
        question=question,
        answer=answer,
        shown=held(sentence.text for sentence in answer.sentences),
        nearest=held(citation.snippet for citation in answer.nearest[:MOST]),
    )


def row_of(name: str, outcomes: Sequence[Outcome]) -> Row:
    """Return the figures of a set."""
    open_ = [one for one in outcomes if not one.question.gone]
    gone = [one for one in outcomes if one.question.gone]
    shown = [held for one in open_ for held in one.shown]
    answered = [one for one in open_ if one.is_answered]
    times = sorted(one.answer.took_ms for one in outcomes)
    return Row(
        dataset=name,
        n=len(open_),
        removed=len(gone),
        first=_share(any((*one.shown, *one.nearest)[:1]) for one in open_),
        right=_share(any(one.shown) for one in open_),
        answered=_share(one.is_answered for one in open_),
        found=_share(any((*one.shown, *one.nearest)) for one in open_),
        nothing=_share(not (one.shown or one.nearest) for one in open_),
        false_removed=_share(one.is_answered for one in gone),
        false_paragraph=_share(o.is_answered for o in gone if o.question.gone == "paragraph"),
        false_article=_share(o.is_answered for o in gone if o.question.gone == "article"),
        precise=_share(shown),
        units=round(len(shown) / max(1, len(answered)), 2),
        ms=round(times[len(times) // 2], 1) if times else 0.0,
    )


def _share(values: Iterable[bool]) -> float:
    found = list(values)
    return round(sum(found) / len(found), 4) if found else 0.0


def show(row: Row) -> None:
    """Print one set's figures, shares in percent."""
    shares = (
        "first", "right", "answered", "found", "nothing", "false_removed", "false_paragraph",
        "false_article", "precise",
    )  # fmt: skip
    figures = "  ".join(f"{name} {100 * getattr(row, name):.1f}" for name in shares)
    print(f"{row.dataset} ({row.n} + {row.removed}): {figures}  units {row.units}  {row.ms:.0f} ms")


def _details(outcomes: Sequence[Outcome]) -> str:
    lines = [
        {
            "question": one.question.text,
            "answers": one.question.answers,
            "gone": one.question.gone,
            "short": one.answer.short,
            "shown": [s.text for s in one.answer.sentences],
            "nearest": [c.snippet for c in one.answer.nearest],
            "right": [list(one.shown), list(one.nearest)],
            "reason": one.answer.answer if one.answer.refused else "",
        }
        for one in outcomes
    ]
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n"


def main() -> None:
    """Ask, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("split", nargs="?", default="dev")
    parser.add_argument("--limit", type=int, default=COUNT, help="answerable questions of a set")
    parser.add_argument("--details", action="store_true", help="write a line a question")
    parser.add_argument("--folds", action="store_true", help="weights that it did not teach")
    wanted = parser.parse_args()
    made, began = strangers(wanted.data, wanted.split), time.perf_counter()
    outcomes = asyncio.run(
        ask_all(made, chosen(made.questions, wanted.limit or COUNT), by_folds=wanted.folds)
    )
    rows = [
        row_of(name, [one for one in outcomes if one.question.dataset == name])
        for name in STRANGERS
    ]
    for row in rows:
        show(row)
    print(f"{len(outcomes)} questions in {time.perf_counter() - began:.0f} s")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
    if wanted.details:
        OUT.with_suffix(".jsonl").write_text(_details(outcomes), encoding="utf-8")


if __name__ == "__main__":
    main()
