"""Learn the order of units and the point at which they answer, on development questions.

`learn_answers.py [DATA] [--part P] [--only-plain] [--write]`: prints the figures by folds of
articles and questions, none of which taught what it is measured by, and with `--write` puts the
mean of them into `src/weft/offline/units/weights.json`. Those of each fold go to `bench/out/folds`,
where `bench_answers.py --folds` and `bench_strangers.py --folds` find them. With `--only-plain`
questions over several documents, whose searches take half an hour, teach nothing: only the first of
the two models is learnt, and the other one stays as it is.

Two models are learnt: of questions that one passage answers, and of those over several things.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from answer_examples import (
    Doubles,
    Example,
    World,
    of_cards,
    of_handbooks,
    of_hops,
    of_notes,
    of_strangers,
)
from answer_figures import Judged, Shown, show_figures
from answer_folds import BY_FOLD, FOLDS
from handbook_bases import HANDBOOKS, handbooks
from handbook_searches import searched_handbooks
from hop_searches import Weighed, weighed
from listwise import Candidates, Recipe, learn_order
from note_bases import note_questions
from regression import learn
from retrieval_bases import SETS
from stranger_labels import drawn, of_set
from stranger_searches import searched
from strangers_base import SEED, STRANGERS, StrangerQuestion, Strangers, strangers

from weft.offline.units.order import MORE_FEATURES, more_rows, outcome_row
from weft.offline.units.outcome_features import FIRST, OUTCOME_FEATURES
from weft.offline.units.scorer import Scorer
from weft.offline.units.unit_features import UNIT_FEATURES

WEIGHTS = Path(__file__).parent.parent / "src" / "weft" / "offline" / "units" / "weights.json"
# Questions of each set: there, without their paragraph, without their article, unanswerable.
COUNTS = {"squad2": (1600, 350, 150, 400), "selqa": (1000, 150, 150, 0)}
STRENGTH = 0.03
# Folders as people keep them are few beside articles, and the nearest to what is asked.
OF_HANDBOOKS = 3.0
CARDS_ASKED = 600
NOTES_MADE = 160
# Beside the units that answer a question so many of its others teach the order.
LIKEST, DRAWN = 16, 24
CAUTIONS = ("answering", "cautious")


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What one of the two models is taught by.

    `order_of_hops` is what a question over several documents weighs for the order, and
    `outcome_of_hops` for the outcome, by what was left out; `others` what a question weighs that is
    of the other model. Of questions without their paragraph `false` may be answered, of those whose
    paragraph is there `nothing` get nothing, for each caution. A further unit is shown while its
    chance is at least `part` of the first one's, and `least`.
    """

    name: str
    several: bool
    order_of_hops: float
    outcome_of_hops: Mapping[str, float]
    others: float
    false: Mapping[str, float]
    nothing: Mapping[str, float]
    part: float
    least: float

    def in_order(self, one: Example) -> float:
        """Return how much an example teaches the order."""
        if one.is_of_hops:
            return self.order_of_hops
        return self.times(one) * (1.0 if one.is_over_several is self.several else self.others)

    def in_outcome(self, one: Example) -> float:
        """Return how much an example teaches when to answer."""
        if one.is_of_hops:
            return self.outcome_of_hops.get(one.gone, 0.0) * one.weight
        own = 1.0 if one.is_over_several is self.several else self.others
        return self.times(one) * one.weight * own

    def times(self, one: Example) -> float:
        """Return how often a question of a handbook counts."""
        return OF_HANDBOOKS if one.dataset == HANDBOOKS and not self.several else 1.0

    def judges(self, one: Example) -> bool:
        """Tell whether the product asks this model."""
        return one.is_over_several is self.several


MODELS = (
    Model(
        name="plain", several=False, order_of_hops=0.3, outcome_of_hops={}, others=1.0,
        false={"answering": 0.1, "cautious": 0.04}, nothing={"answering": 0.005, "cautious": 0.02},
        part=0.35, least=0.2,
    ),
    Model(
        name="several", several=True, order_of_hops=1.0,
        outcome_of_hops={"": 1.5, "all": 0.5, "one": 0.25}, others=0.0,
        false={"answering": 0.22, "cautious": 0.1}, nothing={"answering": 0.01, "cautious": 0.02},
        part=0.12, least=0.0,
    ),
)  # fmt: skip


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


def order_of(model: Model, taught: Iterable[Example], recipe: Recipe) -> Scorer:
    """Return the order that examples teach."""
    rng = np.random.default_rng(SEED)
    questions = []
    for one in taught:
        if one.is_there and one.right.any() and (weight := model.in_order(one)):
            rows = _against(one, rng)
            questions.append(Candidates(rows=one.rows[rows], right=one.right[rows], weight=weight))
    return learn_order(questions, recipe)


def _against(one: Example, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Return which units of a question teach: those that answer, the likest others, some drawn."""
    others = np.flatnonzero(~one.right)
    likest = np.argsort(-one.compared.features["cov_near"][others], kind="stable")[:LIKEST]
    drawn = rng.permutation(len(others))[:DRAWN]
    chosen = others[np.unique(np.concatenate([likest, drawn]))]
    return np.concatenate([np.flatnonzero(one.right), chosen])


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """An example in an order: its units best first, their scores, and its outcome's features."""

    order: npt.NDArray[np.intp]
    scores: Doubles
    row: Doubles
    holds: bool


def placed_by(example: Example, scorer: Scorer) -> Placed:
    """Return an example in an order."""
    scores = scorer.scores(example.rows)
    order = np.argsort(-scores, kind="stable")
    return Placed(
        order=order,
        scores=scores[order],
        row=outcome_row(example.compared, scores),
        # Over several documents it counts that all of them are there: the units alone say little.
        holds=example.is_there if example.is_of_hops else bool(example.right[order[:FIRST]].any()),
    )


def outcome_of(model: Model, taught: Iterable[tuple[Example, Placed]]) -> Scorer:
    """Return the chance that the first three answer, as some examples teach it."""
    weighed = [(model.in_outcome(one), placed) for one, placed in taught]
    counts = np.round([10 * weight for weight, _ in weighed]).astype(int)
    rows = np.concatenate([placed.row for _, placed in weighed])
    rows = np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)
    right = np.array([float(placed.holds) for _, placed in weighed])
    learnt = learn(
        np.repeat(rows, counts, axis=0), np.repeat(right, counts), strength=STRENGTH / 10
    )
    return _line(learnt.mean, learnt.scale, learnt.weights, learnt.intercept)


def _line(mean: Doubles, scale: Doubles, weights: Doubles, intercept: float) -> Scorer:
    return Scorer(mean=mean, scale=scale, weights=weights, intercept=intercept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """The scorers of one model, taught by all folds but one, or their mean."""

    order: Scorer
    outcome: Scorer


def mean_of(scorers: Sequence[Scorer]) -> Scorer:
    """Return the line whose score is the mean of several lines'."""
    mean = np.mean([one.mean for one in scorers], axis=0)
    scale = np.mean([one.scale for one in scorers], axis=0)
    slopes = [one.weights / one.scale for one in scorers]
    starts = [
        one.intercept + float(slope @ (mean - one.mean))
        for one, slope in zip(scorers, slopes, strict=True)
    ]
    weights = np.mean(slopes, axis=0) * scale
    return Scorer(mean=mean, scale=scale, weights=weights, intercept=float(np.mean(starts)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A model by folds: every example by an order of the other folds, and as they judge it."""

    model: Model
    judged: Sequence[Judged]
    more: Scorer
    points: Mapping[str, tuple[float, float]]
    by_fold: Sequence[Learnt]

    @property
    def joined(self) -> Learnt:
        """Return what ships: the mean of the folds, so that the points that they gave hold."""
        return Learnt(
            order=mean_of([one.order for one in self.by_fold]),
            outcome=mean_of([one.outcome for one in self.by_fold]),
        )


def folded(model: Model, found: Sequence[Example], recipe: Recipe) -> Folded:
    """Return a model learnt and judged by folds."""
    orders = [
        order_of(model, (one for one in found if one.fold != fold), recipe) for fold in range(FOLDS)
    ]
    placed = [placed_by(one, orders[one.fold]) for one in found]
    both = list(zip(found, placed, strict=True))
    outcomes = [
        outcome_of(model, ((one, own) for one, own in both if one.fold != fold))
        for fold in range(FOLDS)
    ]
    judged = [
        Judged(
            example=one,
            right=one.right[own.order],
            scores=own.scores,
            row=own.row,
            logit=float(outcomes[one.fold].scores(own.row)[0]),
        )
        for one, own in both
        if model.judges(one)
    ]
    return Folded(
        model=model,
        judged=judged,
        more=more_of(judged),
        points=points_of(model, judged),
        by_fold=[Learnt(order=a, outcome=b) for a, b in zip(orders, outcomes, strict=True)],
    )


def more_of(judged: Iterable[Judged]) -> Scorer:
    """Return the chance of each of the first three units."""
    rows, right = [], []
    for one in judged:
        if one.example.is_there and one.example.world is World.WHOLE:
            own = more_rows(one.scores, one.logit, row=one.row)
            rows.append(own)
            right.append(one.right[: len(own)])
    learnt = learn(np.concatenate(rows), np.concatenate(right).astype(float), strength=0.1)
    return _line(learnt.mean, learnt.scale, learnt.weights, learnt.intercept)


def points_of(model: Model, judged: Sequence[Judged]) -> dict[str, tuple[float, float]]:
    """Return where an answer and the nearest begin, for each caution; the sets weigh the same."""
    found: dict[str, tuple[float, float]] = {}
    for name in CAUTIONS:
        gone = [_chances(judged, one, gone="paragraph") for one in STRANGERS]
        gone.append(_chances(judged, HANDBOOKS, gone="near"))
        there = [_chances(judged, one, gone="") for one in (*STRANGERS, HANDBOOKS)]
        if model.several:
            there += [_chances(judged, one, gone="") for one in SETS]
        answered = float(np.mean([np.quantile(one, 1 - model.false[name]) for one in gone]))
        nearest = float(np.mean([np.quantile(one, model.nothing[name]) for one in there]))
        found[name] = (answered, min(nearest, answered))
    return found


def _chances(judged: Iterable[Judged], name: str, *, gone: str) -> list[float]:
    """Return the probabilities of a set's questions, some of whose passages are gone."""
    return [
        one.chance
        for one in judged
        if (e := one.example).dataset == name
        and e.world is World.WHOLE
        and e.answerable
        and e.gone == gone
    ]


def body_of(scorer: Scorer, features: Sequence[str]) -> dict[str, object]:
    """Return a scorer as JSON values, five digits each."""

    def rounded(values: Doubles) -> object:
        return np.round(values, 5).tolist()

    return {
        "features": list(features),
        "mean": rounded(scorer.mean),
        "scale": rounded(scorer.scale),
        "weights": rounded(scorer.weights),
        "intercept": round(scorer.intercept, 5),
    }


def write(path: Path, models: Sequence[tuple[Folded, Learnt]]) -> None:
    """Write models as the product reads them; what is not among them stays as it ships."""
    body = json.loads(WEIGHTS.read_text(encoding="utf-8")) | {
        one.model.name: {
            "order": body_of(learnt.order, UNIT_FEATURES),
            "outcome": body_of(learnt.outcome, OUTCOME_FEATURES),
            "more": body_of(one.more, MORE_FEATURES),
            "points": {name: list(np.round(pair, 4)) for name, pair in one.points.items()},
            "part": one.model.part,
            "least": one.model.least,
        }
        for one, learnt in models
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(body) + "\n", encoding="utf-8")


async def examples(data: Path, part: float, *, hops: bool) -> list[Example]:
    """Return all questions that teach, searched for where they were not yet."""
    made = strangers(data, "dev")
    found = of_strangers(made, await searched(made, wanted(made, part)))
    found += of_cards(data, int(part * CARDS_ASKED))
    found += of_notes(await note_questions(made, int(part * NOTES_MADE)))
    found += of_handbooks(await searched_handbooks(handbooks("teach")))
    asked: list[Weighed] = [one async for one in weighed(data, SETS if hops else (), "dev")]
    return found + of_hops(asked)


def main() -> None:
    """Search, learn by folds, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--part", type=float, default=1.0, help="of the questions, 0 to 1")
    parser.add_argument("--only-plain", action="store_true", help="without several documents")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    found = asyncio.run(examples(asked.data, asked.part, hops=not asked.only_plain))
    recipe = Recipe()
    models = [folded(model, found, recipe) for model in MODELS[: 1 if asked.only_plain else None]]
    for name in CAUTIONS:
        shown = {
            one.model.several: Shown(
                more=one.more, point=one.points[name], part=one.model.part, least=one.model.least
            )
            for one in models
        }
        print(f"\n{name}: {[one.points[name] for one in models]}")
        show_figures([judged for one in models for judged in one.judged], shown)
    for fold in range(FOLDS):
        write(BY_FOLD / f"{fold}.json", [(one, one.by_fold[fold]) for one in models])
    if asked.write:
        write(WEIGHTS, [(one, one.joined) for one in models])
        print(f"{WEIGHTS.stat().st_size} bytes")


if __name__ == "__main__":
    main()
