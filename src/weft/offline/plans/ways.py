"""What plans under one set of conditions are made of: the columns that may play which part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from weft.domain.frozen import dataclass
from weft.offline.plans.conditions import ConditionSet
from weft.offline.plans.signs import QuestionSigns, is_label, is_part_of_day
from weft.offline.plans.sketch import Sketch, SketchColumn
from weft.retrieval.tables.plan import Aggregate, Filter, Function, Op, TablePlan
from weft.retrieval.tables.table import ColumnKind

_FEW = 5
_MOST_SHOWN = 6
# Figures that part rows: so many different ones, each in so many rows, and named in the question.
_MOST_PARTS, _LEAST_OF_PART, _SPOKEN = 40, 2, 0.35
_NAMED, _NUMBERED = 0.9, 0.5


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
    `is_called`: the first two columns are a row's code and what it is called; `tells_measure`: what
    rows are put in order by is asked for as well.
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
    tells_measure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCandidate:
    """A plan and how it reads the question: `way` is what it does, by the columns in its roles.

    `measure` is worked with or ordered by, `shown` is what is told, `group` parts the rows;
    `across` are two columns that are set against each other, `share_turn` how clearly the words
    part what a share is of from what it is a share with; `is_called`: a row is told by its code and
    by what it is called, which are the first two columns; `tells_measure` as in `Planned`.
    """

    way: str
    plan: TablePlan
    shape: PlanShape
    conditions: ConditionSet
    measure: str = ""
    shown: str = ""
    group: str = ""
    descending: bool = False
    named: tuple[str, ...] = ()
    expected: Filter | None = None
    rises: bool | None = None
    across: tuple[str, ...] = ()
    share_turn: float = 0.0
    is_called: bool = False
    tells_measure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Which columns a plan reads as what, which rows it names, and what must hold of one."""

    measure: str = ""
    shown: str = ""
    group: str = ""
    named: Sequence[str] = ()
    expected: Filter | None = None


class PlanParts:
    """What may be worked with, ordered by, shown and parted by under one set of conditions."""

    def __init__(self, found: QuestionSigns, conditions: ConditionSet) -> None:
        """Sort the columns by how surely the question speaks of them."""
        self.found = found
        self.sketch = found.sketch
        self.conditions = conditions
        self.key = found.sketch.key
        columns = list(self.sketch.columns.values())
        self.spoken = sorted(columns, key=lambda one: -found.signs[one.name].all)
        free = [one for one in self.spoken if one.name not in conditions.columns]
        self.free = free
        numbers = [one for one in free if one.kind is ColumnKind.NUMBER]
        if self.sketch.counts:
            # Each row stands for as many as it counts, and no other figure of it for one.
            numbers = [one for one in numbers if one.name == self.sketch.counts]
        self.numbers = numbers[:_FEW]
        self.worked = [one for one in numbers if self._adds_up(one)][:_FEW]
        self.ordered = [
            one for one in self.spoken if one.kind in (ColumnKind.NUMBER, ColumnKind.DATE)
        ][:_FEW]
        parting = [one for one in free if self._parts(one) and not one.is_unique]
        # What rows count is what they add up to where each of them is a count.
        counts = self.sketch.counts
        counting = Function.SUM if counts else Function.COUNT
        self.count = Aggregate(function=counting, column=counts)
        self.share = Aggregate(function=Function.SHARE, column=counts)
        self.groups = [one for one in parting if one.name != counts][:_FEW]

    @property
    def is_stretch(self) -> bool:
        """Tell whether several months of one thing are meant at once: from July to September."""
        parts = self.conditions.parts
        return any(one.kind == "exact" and one.values > 1 for one in parts) or (
            self.sketch.is_series and any(one.filter.op is Op.BETWEEN for one in parts)
        )

    def _adds_up(self, column: SketchColumn) -> bool:
        """Tell whether figures may be worked out of a column: of years where they are named."""
        signs = self.found.signs[column.name]
        is_week = column.is_unique and column.is_consecutive and is_part_of_day(column)
        if is_week or column.is_identifier:
            return False  # weeks 14 to 21, invoices 501 to 503
        if signs.name >= _NAMED:
            return True
        # What stands in each month's column is measured, however small and many the figures.
        if column.is_numbering and signs.all < _NUMBERED and not self.sketch.is_series:
            return False
        return not (column.is_year or is_label(column) or is_part_of_day(column))

    def _parts(self, column: SketchColumn) -> bool:
        """Tell whether rows may be parted by a column: of figures, by few that are spoken of."""
        if column.is_worded or column.is_year or column.kind is ColumnKind.DATE:
            return True
        few = column.kind is ColumnKind.TRUTH or (
            column.kind is ColumnKind.NUMBER
            and column.distinct <= min(_MOST_PARTS, self.sketch.rows // _LEAST_OF_PART)
        )
        return few and self.found.signs[column.name].all >= _SPOKEN

    def made(
        self,
        way: str,
        shape: PlanShape,
        *,
        roles: Roles | None = None,
        filters: Sequence[Filter] | None = None,
        **parts: Any,
    ) -> PlanCandidate:
        """Return a plan with these parts, over rows that meet the conditions."""
        roles = roles or Roles()
        kept = self.conditions.filters if filters is None else filters
        plan = TablePlan(tables=[self.sketch.name], filters=list(kept), **parts)
        return PlanCandidate(
            way=way,
            plan=plan,
            shape=shape,
            conditions=self.conditions,
            measure=roles.measure,
            shown=roles.shown,
            group=roles.group,
            descending=bool(plan.order_by and plan.order_by[0].descending),
            named=tuple(roles.named),
            expected=roles.expected,
        )

    def shown(self, *, but: Iterable[str] = ()) -> list[str]:
        """Return the columns that may be told: those spoken of, and what rows are called."""
        without = set(but)
        names = [one.name for one in self.spoken if one.name not in without][:_MOST_SHOWN]
        return list(dict.fromkeys([*([self.key] if self.key not in without else []), *names]))

    def told(self, name: str) -> tuple[list[str], bool]:
        """Return the columns that tell a row by one of them, and whether they are both its names.

        A code alone says little, and what it is called may be said of several.
        """
        names = [self.key, self.sketch.called]
        return (names, True) if self.sketch.called and name in names else ([name], False)

    def is_one_row(self) -> bool:
        """Tell whether a condition names one row: by what it is called, or by its day."""
        return any(one.op is Op.IS and self.names_row(one) for one in self.conditions.filters)

    def names_row(self, one: Filter) -> bool:
        """Tell whether a condition names one row."""
        column = self.sketch.column(one.column)
        return column.is_unique or (one.column == self.key and self.sketch.tells_apart(column))
