"""Units in the order of the learned score, how many to show, and how sure an answer is.

What was learnt is of two kinds: of questions that one passage answers, and of those that go over
several things, each of which may stand in a document of its own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from weft.agents.answering import Caution
from weft.domain.answer import Outcome
from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import shipped_text
from weft.offline.question.question import goes_over_several
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

MORE_FEATURES = ("weight", "gap", "second", "third", "outcome", "passage_cov", "spans_held")
# Beyond it `exp` overflows.
_LEAST_LOGIT = -700.0
_OF_SEARCH = tuple(OUTCOME_FEATURES.index(name) for name in MORE_FEATURES[5:])


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
class UnitModels:
    """What was learnt of questions that one passage answers, and of those over several things."""

    plain: UnitModel
    several: UnitModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A question and the units of what was found, with the features of both."""

    question: UnitQuestion
    units: tuple[FoundUnit, ...]
    matches: StemMatches
    features: Mapping[str, Doubles]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedUnits:
    """Units best first, the log-odds that they answer, and how many to show.

    `points` say from which probability on they do, `scores` are those that gave the order;
    `nearness` are the log-odds of being near, where others than those of the answer. Where a
    question `is_foreign`, hardly a word of it stands anywhere: by its words nothing is near.
    """

    units: tuple[FoundUnit, ...]
    logit: float
    shown: int
    points: Mapping[Caution, Points]
    scores: tuple[float, ...] = ()
    nearness: float | None = None
    is_foreign: bool = False

    @property
    def probability(self) -> float:
        """Return the probability that the units answer."""
        return _chance(self.logit)

    @property
    def known(self) -> RankedUnits:
        """Return no units where the question is foreign."""
        return replace(self, units=(), scores=(), shown=0) if self.is_foreign else self

    def outcome(self, caution: Caution) -> Outcome:
        """Return what comes of the question at a point of caution."""
        points = self.points[caution]
        near = self.logit if self.nearness is None else self.nearness
        if not self.units or _chance(near) < points.nearest:
            return Outcome.NOTHING
        return Outcome.ANSWERED if self.probability >= points.answered else Outcome.NEAREST


def _chance(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(logit, _LEAST_LOGIT)))


def rank_units(
    text: str, known: Sequence[QuestionTerm], *, entries: Sequence[tuple[str, Hit]]
) -> RankedUnits:
    """Return the units of some passages for a question by its words: none where it is foreign."""
    return weigh_units(text, known, entries=entries).known


def weigh_units(
    text: str, known: Sequence[QuestionTerm], *, entries: Sequence[tuple[str, Hit]]
) -> RankedUnits:
    """Return the units of some passages for a question, in the order of the shipped score."""
    compared = compare(text, known, entries=entries)
    models = shipped()
    model = models.several if goes_over_several(text) else models.plain
    if compared is None or compared.question.is_of_strangers:
        return RankedUnits(units=(), logit=-math.inf, shown=0, points=model.points)
    scores = model.order.scores(columns(compared.features, UNIT_FEATURES))
    row = outcome_row(compared, scores)
    logit = float(model.outcome.scores(row)[0])
    order = np.argsort(-scores, kind="stable")
    chances = model.more.chances(more_rows(scores[order], logit, row=row))
    return RankedUnits(
        units=tuple(compared.units[n] for n in order),
        logit=logit,
        shown=shown_of(chances, part=model.part, least=model.least),
        points=model.points,
        scores=tuple(map(float, scores[order])),
        is_foreign=compared.question.is_foreign,
    )


def compare(
    text: str, known: Sequence[QuestionTerm], *, entries: Sequence[tuple[str, Hit]]
) -> Compared | None:
    """Return a question beside the units of some passages; None where there is nothing to weigh."""
    question, units = read_question(text, known), units_in(entries)
    if not units or not question.stems:
        return None
    matches = matches_of(question, units)
    # Another spelling of a word may stand where the word itself does not.
    question = replace(question, unseen=question.unseen & ~matches.passage.any(axis=0))
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


def more_rows(scores: Doubles, logit: float, *, row: Doubles) -> Doubles:
    """Return float64[at most 3, more features] for scores in falling order.

    `row` are the features of the outcome, float64[1, outcome features]: where one passage has
    little of the question, the answer may as well stand in another.
    """
    whole = [float(row[0, n]) for n in _OF_SEARCH]
    weights = np.exp(scores - scores[0])
    weights /= weights.sum()
    rows = [
        (float(weights[k]), float(scores[0] - scores[k]), k == 1, k == 2, logit, *whole)
        for k in range(min(FIRST, len(scores)))
    ]
    return np.array(rows, dtype=np.float64)


def shown_of(chances: Doubles, *, part: float, least: float) -> int:
    """Return how many units are shown: the first, and further ones while they are likely."""
    count = 1
    while count < len(chances) and chances[count] >= max(part * float(chances[0]), least):
        count += 1
    return count


def models_of(text: str) -> UnitModels:
    """Return the models that a JSON text describes; raises `BadInput` for other features."""
    read = json.loads(text)
    return UnitModels(plain=_model_of(read["plain"]), several=_model_of(read["several"]))


def _model_of(body: Mapping[str, Any]) -> UnitModel:
    return UnitModel(
        order=scorer_of(body["order"], UNIT_FEATURES, name="order"),
        outcome=scorer_of(body["outcome"], OUTCOME_FEATURES, name="outcome"),
        more=scorer_of(body["more"], MORE_FEATURES, name="more"),
        points=points_in(body["points"]),
        part=float(body["part"]),
        least=float(body["least"]),
    )


def points_in(body: Mapping[str, Sequence[float]]) -> Mapping[Caution, Points]:
    """Return the points of each caution, which JSON values give as pairs."""
    pairs = {caution: body[caution.value] for caution in Caution}
    return {
        caution: Points(answered=float(answered), nearest=float(nearest))
        for caution, (answered, nearest) in pairs.items()
    }


@lru_cache(maxsize=1)
def shipped() -> UnitModels:
    """Return the models that come with the product."""
    return models_of(shipped_text("weft.offline.units", "weights.json"))
