"""The plan that a question most likely means: scored by what was learned, told apart by answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import sheet
from weft.offline.plans.candidates import plan_candidates
from weft.offline.plans.feature_names import FAMILIES, FEATURES
from weft.offline.plans.features import BesideTables, features_of, none_features
from weft.offline.plans.joining import joined_sketches
from weft.offline.plans.signs import QuestionSigns
from weft.offline.plans.sketch import Sketch
from weft.offline.plans.ways import PlanCandidate, Planned
from weft.offline.units.question import Doubles
from weft.offline.units.scorer import Scorer, scorer_of

MOST_TABLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPlan:
    """A plan that a question may mean, and its features as float64[features]."""

    candidate: PlanCandidate
    planned: Planned
    features: Doubles


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPlans:
    """The plans of a question, the likeliest first, and the features of no plan at all."""

    plans: tuple[RankedPlan, ...]
    none: Doubles


def ranked_plans(text: str, sketches: Sequence[Sketch]) -> RankedPlans:
    """Return what a question may mean over some tables, alone and joined, in falling order."""
    found = every_plan(text, sketches)
    if not found.plans:
        return found
    scores = plan_scorer().scores(np.stack([one.features for one in found.plans]))
    order = np.argsort(-scores, kind="stable")
    return replace(found, plans=tuple(found.plans[at] for at in order))


def every_plan(text: str, sketches: Sequence[Sketch]) -> RankedPlans:
    """Return what a question may mean over some tables in no order."""
    plans: list[RankedPlan] = []
    read: list[QuestionSigns] = []
    beside = BesideTables(
        own=frozenset[int]().union(*(one.own for one in sketches[:MOST_TABLES])),
        card=max((one.card for one in sketches[:MOST_TABLES]), default=0.0),
    )
    for sketch in sketches[:MOST_TABLES]:
        found, candidates = plan_candidates(text, sketch)
        read.append(found)
        if _is_told_of(sketch, sketches[:MOST_TABLES]):
            candidates = [one for one in candidates if FAMILIES[one.way] != "figure"]
        plans += _ranked(found, candidates, beside)
    for each in joined_sketches(text, sketches[:MOST_TABLES]):
        found, candidates = plan_candidates(text, each.sketch)
        over = [
            replace(one, plan=plan)
            for one in candidates
            if (plan := each.joins(one.plan)) is not None
        ]
        plans += _ranked(found, over, beside)
    return RankedPlans(plans=tuple(plans), none=none_features(read))


def _is_told_of(sketch: Sketch, sketches: Sequence[Sketch]) -> bool:
    """Tell whether a question names a table whose rows refer to those of this one.

    "The total limit of the orders" is not what the customers' limits add up to.
    """
    return any(
        reference.table == sketch.name and one.own - sketch.own
        for one in sketches
        for reference in one.refers
    )


def _ranked(
    found: QuestionSigns, candidates: Sequence[PlanCandidate], beside: BesideTables
) -> list[RankedPlan]:
    if not candidates:
        return []
    return [
        RankedPlan(
            candidate=one,
            planned=Planned(
                sketch=found.sketch,
                plan=one.plan,
                shape=one.shape,
                named=one.named,
                rises=one.rises,
                expected=one.expected,
                across=one.across,
                is_less=bool(one.across) and not one.descending,
                is_called=one.is_called,
                tells_measure=one.tells_measure,
            ),
            features=row,
        )
        for one, row in zip(candidates, features_of(found, candidates, beside=beside), strict=True)
    ]


def log_chances(scores: Doubles) -> Doubles:
    """Return the logarithm of how likely each of some plans is, from their scores."""
    found: Doubles = scores - np.logaddexp.reduce(scores)
    return found


@lru_cache(maxsize=1)
def plan_scorer() -> Scorer:
    """Return the scorer that is shipped."""
    return scorer_of(sheet("weft.offline.plans", "weights"), FEATURES, name="plans")
