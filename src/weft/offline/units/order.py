"""Units in the order of the learned score, how many to show, and how sure an answer is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np

from weft.agents.answering import Caution
from weft.domain.answer import Outcome
from weft.offline.units.outcome_features import FIRST, OUTCOME_FEATURES, outcome_features
from weft.offline.units.question import Doubles, UnitQuestion, read_question
from weft.offline.units.scorer import Scorer, columns, scorer_of
from weft.offline.units.unit_features import (
    UNIT_FEATURES,
    FoundUnit,
    StemMatches,
    matches_of,
    unit_features,
    units_in,
)
from weft.retrieval.hits import Hit, QuestionTerm

MORE_FEATURES = ("weight", "gap", "second", "third", "outcome")


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """From `answered` on a probability answers; below `nearest` nothing is near."""

    answered: float
    nearest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitModel:
    """What was learnt: the order, the outcome, how many more to show, and where the points lie.

    A further unit is shown while its chance is at least `part` of the first one's, and `least`.
    """

    order: Scorer
    outcome: Scorer
    more: Scorer
    points: Mapping[Caution, Points]
    part: float
    least: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A question and the units of what was found, with the features of both."""

    question: UnitQuestion
    units: tuple[FoundUnit, ...]
    matches: StemMatches
    features: Mapping[str, Doubles]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedUnits:
    """Units best first, the probability that the first three answer, and how many to show."""

    units: tuple[FoundUnit, ...]
    probability: float
    shown: int

    def outcome(self, caution: Caution) -> Outcome:
        """Return what comes of the question at a point of caution."""
        points = shipped().points[caution]
        if not self.units or self.probability < points.nearest:
            return Outcome.NOTHING
        return Outcome.ANSWERED if self.probability >= points.answered else Outcome.NEAREST


def rank_units(
    text: str, known: Sequence[QuestionTerm], *, entries: Sequence[tuple[str, Hit]]
) -> RankedUnits:
    """Return the units of some passages for a question, in the order of the shipped score."""
    compared = compare(text, known, entries=entries)
    if compared is None:
        return RankedUnits(units=(), probability=0.0, shown=0)
    model = shipped()
    scores = model.order.scores(columns(compared.features, UNIT_FEATURES))
    row = outcome_row(compared, scores)
    logit = float(model.outcome.scores(row)[0])
    order = np.argsort(-scores, kind="stable")
    chances = model.more.chances(more_rows(scores[order], logit))
    return RankedUnits(
        units=tuple(compared.units[n] for n in order),
        probability=float(1.0 / (1.0 + np.exp(-logit))),
        shown=shown_of(chances, part=model.part, least=model.least),
    )


def compare(
    text: str, known: Sequence[QuestionTerm], *, entries: Sequence[tuple[str, Hit]]
) -> Compared | None:
    """Return a question beside the units of some passages; None where there is nothing to weigh."""
    question, units = read_question(text, known), units_in(entries)
    if not units or not question.stems:
        return None
    matches = matches_of(question, units)
    return Compared(
        question=question,
        units=tuple(units),
        matches=matches,
        features=unit_features(question, units, matches=matches),
    )


def outcome_row(compared: Compared, scores: Doubles) -> Doubles:
    """Return float64[1, outcome features] for units and their scores."""
    found = outcome_features(
        compared.question,
        compared.units,
        found=compared.features,
        matches=compared.matches,
        scores=scores,
    )
    return np.array([[found[name] for name in OUTCOME_FEATURES]], dtype=np.float64)


def more_rows(scores: Doubles, logit: float) -> Doubles:
    """Return float64[at most 3, more features] for scores in falling order."""
    weights = np.exp(scores - scores[0])
    weights /= weights.sum()
    rows = [
        (float(weights[k]), float(scores[0] - scores[k]), float(k == 1), float(k == 2), logit)
        for k in range(min(FIRST, len(scores)))
    ]
    return np.array(rows, dtype=np.float64)


def shown_of(chances: Doubles, *, part: float, least: float) -> int:
    """Return how many units are shown: the first, and further ones while they are likely."""
    count = 1
    while count < len(chances) and chances[count] >= max(part * float(chances[0]), least):
        count += 1
    return count


def model_of(text: str) -> UnitModel:
    """Return the model that a JSON text describes; raises `BadInput` for other features."""
    read = json.loads(text)
    return UnitModel(
        order=scorer_of(read["order"], UNIT_FEATURES, name="order"),
        outcome=scorer_of(read["outcome"], OUTCOME_FEATURES, name="outcome"),
        more=scorer_of(read["more"], MORE_FEATURES, name="more"),
        points={
            caution: Points(answered=float(answered), nearest=float(nearest))
            for caution, (answered, nearest) in (
                (caution, read["points"][caution.value]) for caution in Caution
            )
        },
        part=float(read["part"]),
        least=float(read["least"]),
    )


@lru_cache(maxsize=1)
def shipped() -> UnitModel:
    """Return the model that comes with the product."""
    held = files("weft.offline.units").joinpath("weights.json")
    return model_of(held.read_text(encoding="utf-8"))
