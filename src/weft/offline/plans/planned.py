"""A plan that a question was read as, and what its answer looks like."""

from __future__ import annotations

from enum import StrEnum

from weft.domain.frozen import dataclass
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
    """A plan over a table and the shape of its answer.

    `named` are the rows that a question names by what they are called; `rises` is which way it
    says that a figure went from the first of two days to the second; `expected` is what must hold
    of the row for it to be told yes. `across` are two columns of which a row's figures are
    compared, in place of one column of two rows; `is_less`: the lesser one is asked for.
    `is_called`: the first two columns are a row's code and what it is called.
    """

    sketch: Sketch
    plan: TablePlan
    shape: PlanShape
    named: tuple[str, ...] = ()
    rises: bool | None = None
    expected: Filter | None = None
    across: tuple[str, ...] = ()
    is_less: bool = False
    is_called: bool = False
