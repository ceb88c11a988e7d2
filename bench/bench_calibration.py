"""Whether a folder's own questions would tell when to answer there better than what is shipped.

`python bench/bench_calibration.py`: of each folder of `folders/` and `manuals/` sentences are made
into questions (half of their words of content), asked once as the folder is and once with that
sentence taken out. Where the two part gives a folder a point of its own. The table has the area
under the curve (AUROC) of the outcome's score over people's questions of all folders of a half:
those whose first unit is right against those that the folder does not answer, with the score moved
by a part of each folder's own point, and, as the most there is to win, by where people's own
questions part there.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from folder_search import Search, searching
from handbook_bases import HALVES, Handbook, handbooks

from weft.language.sentences import sentences
from weft.offline.units.order import (
    Compared,
    outcome_row,
    shipped,
)
from weft.offline.units.question import read_question
from weft.offline.units.scorer import columns
from weft.offline.units.unit_features import (
    UNIT_FEATURES,
    FoundUnit,
    matches_of,
    unit_features,
    units_in,
)
from weft.retrieval.hits import Found

QUESTIONS = 80
KEPT = 0.5
PARTS = (0.25, 0.5, 1.0)
_KINDS = {".md", ".txt", ".rst", ".html"}
_WORD = re.compile(r"[A-Za-z가-힣][\w'-]*")
_SHORT = 3
_FEWEST, _MOST, _ASKED = 4, 25, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What a folder's questions score: its own with their sentence and without, and people's."""

    name: str
    held: Sequence[float]
    without: Sequence[float]
    right: Sequence[float]
    answered: Sequence[float]
    unanswered: Sequence[float]


def own_question(sentence: str, chance: random.Random) -> str:
    """Return a question of half of a sentence's words of content, empty where it has too few."""
    words = [word for word in _WORD.findall(sentence) if len(word) > _SHORT]
    kept = [word for word in words if chance.random() < KEPT][:_ASKED]
    return f"What {' '.join(kept)}?" if _FEWEST <= len(words) <= _MOST and len(kept) > 1 else ""


def said_in(book: Handbook) -> Iterator[str]:
    """Yield the sentences of a folder's documents."""
    for path in sorted(book.folder.rglob("*")):
        if path.is_file() and path.suffix in _KINDS:
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                said = line.strip().lstrip("-*>#0123456789. ")
                yield from (said[span.start : span.end].strip() for span in sentences(said))


def scored(text: str, found: Found, *, without: str = "") -> tuple[float, FoundUnit] | None:
    """Return the outcome's score and the first unit, where a sentence may have been taken out."""
    question = read_question(text, found.terms)
    units = units_in([(hit.evidence.id, hit) for hit in found.hits])
    if without:
        units = [unit for unit in units if without not in unit.text and unit.text not in without]
    if not units or not question.stems:
        return None
    matches = matches_of(question, units)
    question = replace(question, unseen=question.unseen & ~matches.passage.any(axis=0))
    features = unit_features(question, units, matches=matches)
    compared = Compared(question=question, units=tuple(units), matches=matches, features=features)
    model = shipped().plain
    scores = model.order.scores(columns(features, UNIT_FEATURES))
    logit = float(model.outcome.scores(outcome_row(compared, scores))[0])
    return logit, units[int(np.argmax(scores))]


async def measured(book: Handbook, search: Search) -> Scores:
    """Ask a folder its own questions and people's."""
    chance = random.Random(book.name)
    said = sorted(set(said_in(book)))
    chance.shuffle(said)
    held, without = list[float](), list[float]()
    for sentence in said:
        asked = own_question(sentence, chance)
        if not asked or len(held) >= QUESTIONS:
            continue
        found = await search(asked)
        there, gone = scored(asked, found), scored(asked, found, without=sentence)
        if there and gone:
            held.append(there[0])
            without.append(gone[0])
    right, answered, unanswered = list[float](), list[float](), list[float]()
    for one in book.questions:
        result = scored(one.text, await search(one.text))
        if result is None:
            continue
        logit, first = result
        (answered if one.is_answered else unanswered).append(logit)
        if one.is_answered and one.holds(first.text, first.hit.evidence.uri):
            right.append(logit)
    return Scores(
        name=book.name,
        held=held,
        without=without,
        right=right,
        answered=answered,
        unanswered=unanswered,
    )


def auroc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """Return how often one of the first lies above one of the second."""
    over = np.subtract.outer(np.asarray(higher), np.asarray(lower))
    return float((over > 0).mean() + (over == 0).mean() / 2)


def between(higher: Sequence[float], lower: Sequence[float]) -> float:
    """Return the middle of two means."""
    return float(np.mean(higher) + np.mean(lower)) / 2


def moved(rows: Sequence[Scores], point: Callable[[Scores], float], part: float) -> float:
    """Return the area over all folders, each moved by a part of where its point lies off theirs."""
    points = [point(row) for row in rows]
    off = [part * (one - float(np.mean(points))) for one in points]
    right = [logit - by for row, by in zip(rows, off, strict=True) for logit in row.right]
    wrong = [logit - by for row, by in zip(rows, off, strict=True) for logit in row.unanswered]
    return auroc(right, wrong)


POINTS: dict[str, Callable[[Scores], float]] = {
    "between its own questions' means": lambda row: between(row.held, row.without),
    "mean of those taken out": lambda row: float(np.mean(row.without)),
    "upper fifth of those taken out": lambda row: float(np.quantile(row.without, 0.8)),
    "between people's questions (to be won)": lambda row: between(row.answered, row.unanswered),
}


async def main() -> None:
    """Print a table of both halves."""
    for half in HALVES:
        rows = []
        for book in handbooks(half):
            async with searching(book.home, book.folder) as search:
                rows.append(await measured(book, search))
        print(
            f"\n{half}: {len(rows)} folders, AUROC as shipped {moved(rows, lambda _: 0.0, 1):.3f}"
        )
        for name, point in POINTS.items():
            figures = "".join(f"{moved(rows, point, part):>8.3f}" for part in PARTS)
            print(f"  {name:<40}{figures}")
    print(f"  moved by a part of {', '.join(map(str, PARTS))}")


if __name__ == "__main__":
    asyncio.run(main())
