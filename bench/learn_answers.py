"""Learn the order of units and the point at which they answer, on development questions.

`learn_answers.py [DATA] [--limit N] [--width W] [--write]`: prints the figures by folds of
articles, none of whose questions taught what they are measured by, and with `--write` puts the
weights of all into `src/weft/offline/units/weights.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product
from math import log
from pathlib import Path

import numpy as np
import numpy.typing as npt
from answer_cards import CARDS, card_questions
from listwise import Candidates, Recipe, learn_order
from regression import learn
from stranger_labels import answers, drawn, of_set
from stranger_searches import Searched, searched
from strangers_base import STRANGERS, StrangerQuestion, Strangers, strangers

from weft.domain.ids import digest
from weft.language.terms import terms as stems_of
from weft.offline.units.order import (
    MORE_FEATURES,
    Compared,
    compare,
    more_rows,
    outcome_row,
    shown_of,
)
from weft.offline.units.outcome_features import FIRST, OUTCOME_FEATURES
from weft.offline.units.scorer import Scorer, columns
from weft.offline.units.unit_features import UNIT_FEATURES
from weft.retrieval.hits import Found, Hit, QuestionTerm

WEIGHTS = Path(__file__).parent.parent / "src" / "weft" / "offline" / "units" / "weights.json"
FOLDS = 5
# Questions of each set: there, without their paragraph, without their article, unanswerable.
COUNTS = {"squad2": (1600, 350, 150, 400), "selqa": (1000, 150, 150, 0)}
# A question that its writer made unanswerable looks answerable to words: it counts for less.
UNANSWERABLE = 0.4
STRENGTH = 0.03
CARDS_ASKED = 600
# Of removed questions so many may be answered, and of answerable ones so many get nothing.
ALLOWED = {"answering": (0.15, 0.03), "cautious": (0.05, 0.05)}
PART, LEAST = 0.35, 0.2

Doubles = npt.NDArray[np.float64]


class World(StrEnum):
    """As what a search is read: as it was, as of a small base, or without vectors."""

    WHOLE = "whole"
    SMALL = "small"
    BARE = "bare"


# How much of each counts for the outcome.
PARTS = {World.WHOLE: 1.0, World.SMALL: 0.3, World.BARE: 0.3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question with its units, their features, and those that answer."""

    question: StrangerQuestion
    compared: Compared
    rows: Doubles
    right: npt.NDArray[np.bool_]
    world: World

    @property
    def fold(self) -> int:
        """Return the fold of its article."""
        return int(digest(self.question.article)[:8], 16) % FOLDS

    @property
    def weight(self) -> float:
        """Return how much it counts for the outcome."""
        return (1.0 if self.question.answerable else UNANSWERABLE) * PARTS[self.world]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """An example with its scores and the logit of its outcome, by weights of other articles."""

    example: Example
    order: npt.NDArray[np.intp]
    scores: Doubles
    logit: float
    row: Doubles

    @property
    def right(self) -> npt.NDArray[np.bool_]:
        """Return which units answer, best first."""
        return self.example.right[self.order]

    @property
    def chance(self) -> float:
        """Return the probability that the first three answer."""
        return float(1.0 / (1.0 + np.exp(-self.logit)))


def wanted(made: Strangers, part: float) -> list[StrangerQuestion]:
    """Return the questions that teach, the articles in turn."""
    found: list[StrangerQuestion] = []
    for name, (there, paragraph, article, never) in COUNTS.items():
        own = made.questions
        found += drawn(of_set(own, name), int(part * there))
        found += drawn(of_set(own, name, gone="paragraph"), int(part * paragraph))
        found += drawn(of_set(own, name, gone="article"), int(part * article))
        found += drawn(of_set(own, name, answerable=False), int(part * never))
    return found


def examples(made: Strangers, found: Iterable[Searched]) -> list[Example]:
    """Return the questions as they are learnt from, each in every world."""
    examples: list[Example] = []
    for one, world in product(found, World):
        hits, terms = seen_in(world, one.found)
        entries = [(hit.evidence.id, hit) for hit in hits]
        compared = compare(one.question.text, terms, entries=entries)
        if compared is None:
            continue
        paragraph = made.texts[one.question.paragraph]
        right = [answers(one.question, unit.text, paragraph=paragraph) for unit in compared.units]
        examples.append(
            Example(
                question=one.question,
                compared=compared,
                rows=columns(compared.features, UNIT_FEATURES),
                right=np.array(right, dtype=bool),
                world=world,
            )
        )
    return examples


def of_cards(data: Path, count: int) -> list[Example]:
    """Return questions on labelled lines, rows and items as they are learnt from."""
    found: list[Example] = []
    for card in card_questions(data, count):
        entries = [(hit.evidence.id, hit) for hit in card.found.hits]
        compared = compare(card.question.text, card.found.terms, entries=entries)
        if compared is None:
            continue
        own = f"cards/{card.question.article}"
        right = [bool(card.line) and u.evidence_id == own and card.line in u.text
                 for u in compared.units]  # fmt: skip
        found.append(
            Example(
                question=card.question,
                compared=compared,
                rows=columns(compared.features, UNIT_FEATURES),
                right=np.array(right, dtype=bool),
                world=World.BARE,
            )
        )
    return found


def seen_in(world: World, found: Found) -> tuple[Sequence[Hit], Sequence[QuestionTerm]]:
    """Return what was found as a world has it.

    In a small base a word is rare or unknown that is common in a large one: here it has the
    passages that were found and no others. Without vectors nothing is known of nearness in meaning.
    """
    hits, terms = found.hits, found.terms
    if world is World.WHOLE:
        return hits, terms
    held = [frozenset(stems_of(f"{h.evidence.title}\n{h.evidence.text}")) for h in hits]
    known = [replace(one, df=sum(one.stem in own for own in held)) for one in terms]
    n = len(hits)
    small = [replace(t, idf=log(1 + n / t.df) / log(1 + n) if t.df else 1.0) for t in known]
    if world is World.BARE:
        hits = tuple(replace(hit, cosine=0.0, cosines=()) for hit in hits)
    return hits, small


def order_of(taught: Iterable[Example], recipe: Recipe) -> Scorer:
    """Return the order that examples teach."""
    return learn_order(
        [Candidates(rows=one.rows, right=one.right) for one in taught if one.question.answerable],
        recipe,
    )


def ordered(example: Example, scorer: Scorer) -> tuple[npt.NDArray[np.intp], Doubles, Doubles]:
    """Return an example's order, its scores in it, and the features of its outcome."""
    scores = scorer.scores(example.rows)
    order = np.argsort(-scores, kind="stable")
    return order, scores[order], outcome_row(example.compared, scores)


def answerer_of(rows: Doubles, right: Sequence[bool], weights: Doubles) -> Scorer:
    """Return the chance that the first three answer, as some examples teach it."""
    rows = np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)
    whole = np.repeat(rows, np.round(10 * weights).astype(int), axis=0)
    truth = np.repeat(np.array(right, dtype=float), np.round(10 * weights).astype(int))
    learnt = learn(whole, truth, strength=STRENGTH / 10)
    return _line(learnt.mean, learnt.scale, learnt.weights, learnt.intercept)


def _line(mean: Doubles, scale: Doubles, weights: Doubles, intercept: float) -> Scorer:
    none = np.zeros(0)
    return Scorer(
        mean=mean, scale=scale, weights=weights, intercept=intercept,
        inner=none, inner_bias=none, outer=none,
    )  # fmt: skip


def judged_by_folds(found: Sequence[Example], recipe: Recipe) -> list[Judged]:
    """Return every example as weights judge it that its article did not teach."""
    placed: dict[int, tuple[npt.NDArray[np.intp], Doubles, Doubles]] = {}
    for fold in range(FOLDS):
        scorer = order_of((one for one in found if one.fold != fold), recipe)
        for n, one in enumerate(found):
            if one.fold == fold:
                placed[n] = ordered(one, scorer)
    rows = np.concatenate([placed[n][2] for n in range(len(found))])
    right = [bool(one.right[placed[n][0][:FIRST]].any()) for n, one in enumerate(found)]
    weights = np.array([one.weight for one in found])
    folds = np.array([one.fold for one in found])
    logits = np.zeros(len(found))
    for fold in range(FOLDS):
        own = folds == fold
        scorer = answerer_of(rows[~own], [r for r, o in zip(right, own, strict=True) if not o],
                             weights[~own])  # fmt: skip
        logits[own] = scorer.scores(rows[own])
    return [
        Judged(example=one, order=placed[n][0], scores=placed[n][1], logit=float(logits[n]),
               row=placed[n][2])
        for n, one in enumerate(found)
    ]  # fmt: skip


def more_of(judged: Iterable[Judged]) -> Scorer:
    """Return the chance of each of the first three units."""
    rows, right = [], []
    for one in judged:
        question = one.example.question
        if question.answerable and not question.gone and one.example.world is World.WHOLE:
            own = more_rows(one.scores, one.logit)
            rows.append(own)
            right.append(one.right[: len(own)])
    learnt = learn(np.concatenate(rows), np.concatenate(right).astype(float), strength=0.1)
    return _line(learnt.mean, learnt.scale, learnt.weights, learnt.intercept)


def points_of(judged: Sequence[Judged]) -> dict[str, tuple[float, float]]:
    """Return where an answer and the nearest begin, for each caution; the sets weigh the same."""
    found: dict[str, tuple[float, float]] = {}
    for name, (false, nothing) in ALLOWED.items():
        gone = [_chances(judged, one, gone=True) for one in STRANGERS]
        there = [_chances(judged, one, gone=False) for one in STRANGERS]
        answered = float(np.mean([np.quantile(one, 1 - false) for one in gone]))
        nearest = float(np.mean([np.quantile(one, nothing) for one in there]))
        found[name] = (answered, min(nearest, answered))
    return found


def _chances(judged: Iterable[Judged], name: str, *, gone: bool) -> list[float]:
    """Return the probabilities of a set's questions; of those that are gone, by paragraph."""
    return [
        one.chance
        for one in judged
        if (q := one.example.question).dataset == name
        and one.example.world is World.WHOLE
        and q.answerable
        and q.gone == ("paragraph" if gone else "")
    ]


def figures(judged: Sequence[Judged], more: Scorer, point: tuple[float, float]) -> None:
    """Print what users would see, by set and world."""
    for name, world in product((*STRANGERS, CARDS), World):
        own = [
            one
            for one in judged
            if one.example.question.dataset == name and one.example.world is world
        ]
        if not own:
            continue
        there = [o for o in own if o.example.question.answerable and not o.example.question.gone]
        sure = [one for one in there if one.chance >= point[0]]
        shown = [one.right[: _shown(one, more)] for one in sure]
        found = len([o for o in there if o.chance >= point[1] and o not in sure])
        print(
            f"{name} {world} ({len(there)}): first {_percent(o.right[:1].any() for o in there)}"
            f"  three {_percent(o.right[:FIRST].any() for o in there)}"
            f"  reachable {_percent(o.right.any() for o in there)}"
            f"  right {100 * sum(r.any() for r in shown) / len(there):.1f}"
            f"  answered {100 * len(sure) / len(there):.1f}"
            f"  nearest {100 * found / len(there):.1f}"
            f"  found {_percent(_is_found(o, more, point) for o in there)}"
            f"  nothing {_percent(o.chance < point[1] for o in there)}"
            f"  precise {_percent(r for one in shown for r in one)}"
            f"  units {sum(map(len, shown)) / max(1, len(sure)):.2f}"
        )
        for kind, rest in _without(own).items():
            share = _percent(one.chance >= point[0] for one in rest)
            roc = _auroc([o.chance for o in there], [o.chance for o in rest])
            print(f"   {kind} ({len(rest)}): false {share}  auroc {100 * roc:.1f}")


def _without(own: Iterable[Judged]) -> Mapping[str, list[Judged]]:
    found: dict[str, list[Judged]] = {}
    for one in own:
        question = one.example.question
        kind = question.gone if question.answerable else "unanswerable"
        if kind:
            found.setdefault(kind, []).append(one)
    return found


def _shown(one: Judged, more: Scorer) -> int:
    chances = more.chances(more_rows(one.scores, one.logit))
    return shown_of(chances, part=PART, least=LEAST)


def _is_found(one: Judged, more: Scorer, point: tuple[float, float]) -> bool:
    if one.chance < point[1]:
        return False
    count = _shown(one, more) if one.chance >= point[0] else FIRST
    return bool(one.right[:count].any())


def _percent(values: Iterable[object]) -> str:
    found = [bool(value) for value in values]
    return f"{100 * sum(found) / max(1, len(found)):.1f}"


def _auroc(mine: Sequence[float], others: Sequence[float]) -> float:
    above = np.array(mine)[:, None] > np.array(others)[None, :]
    return float(above.mean())


def body_of(scorer: Scorer, features: Sequence[str]) -> dict[str, object]:
    """Return a scorer as JSON values, five digits each."""

    def rounded(values: Doubles) -> object:
        return np.round(values, 5).tolist()

    inner = {"inner": rounded(scorer.inner), "inner_bias": rounded(scorer.inner_bias),
             "outer": rounded(scorer.outer)} if scorer.outer.size else {}  # fmt: skip
    return {
        "features": list(features),
        "mean": rounded(scorer.mean),
        "scale": rounded(scorer.scale),
        "weights": rounded(scorer.weights),
        "intercept": round(scorer.intercept, 5),
        **inner,
    }


def write(found: Sequence[Example], judged: Sequence[Judged], recipe: Recipe) -> None:
    """Write the weights that all examples teach; what judges them comes from other articles."""
    rows = np.concatenate([one.row for one in judged])
    right = [bool(one.right[:FIRST].any()) for one in judged]
    weights = np.array([one.weight for one in found])
    body = {
        "order": body_of(order_of(found, recipe), UNIT_FEATURES),
        "outcome": body_of(answerer_of(rows, right, weights), OUTCOME_FEATURES),
        "more": body_of(more_of(judged), MORE_FEATURES),
        "points": {name: list(np.round(pair, 4)) for name, pair in points_of(judged).items()},
        "part": PART,
        "least": LEAST,
    }
    WEIGHTS.write_text(json.dumps(body) + "\n", encoding="utf-8")
    print(f"{WEIGHTS.stat().st_size} bytes")


def main() -> None:
    """Search, learn by folds, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--part", type=float, default=1.0, help="of the questions, 0 to 1")
    parser.add_argument("--width", type=int, default=0)
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    made = strangers(asked.data, "dev")
    found = examples(made, asyncio.run(searched(made, wanted(made, asked.part))))
    found += of_cards(asked.data, int(asked.part * CARDS_ASKED))
    recipe = Recipe(width=asked.width, draws=asked.draws)
    judged = judged_by_folds(found, recipe)
    more, points = more_of(judged), points_of(judged)
    for name, point in points.items():
        print(f"\n{name}: {point}")
        figures(judged, more, point)
    if asked.write:
        write(found, judged, recipe)


if __name__ == "__main__":
    main()
