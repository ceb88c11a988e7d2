"""A plan that a question was read as, and what its answer looks like."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from weft.offline.plans.sketch import Sketch
from weft.retrieval.tables.plan import Filter, TablePlan


class PlanShape(StrEnum):
    """What an answer looks like: cells of rows, a figure, figures by group, or yes and no.

    Of two rows: how far they are apart, which comes first, or whether the first named does.
    """

    CELLS = "cells"
    FIGURE = "figure"
    GROUPS = "groups"
    WHETHER = "whether"
    DIFFERENCE = "difference"
    WINNER = "winner"
    MORE = "more"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan over a table, the shape of its answer, and how well it accounts for the question.

    `loose` when a value or column was taken for what it may not be. `named` are the rows that a
    question names by what they are called; `rises` is which way it says that a figure went from
    the first of two days to the second.
    """

    sketch: Sketch
    plan: TablePlan
    shape: PlanShape
    score: float
    loose: bool
    named: tuple[str, ...] = ()
    rises: bool | None = None
    expected: Filter | None = None
