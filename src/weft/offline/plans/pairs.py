"""Two things set against each other: how far they are apart, and which has more."""

from __future__ import annotations

from typing import Any

from weft.language.patterns import pattern
from weft.offline.plans.asking import AskedFor
from weft.offline.plans.asking import measures as size_words
from weft.offline.plans.planned import PlanShape
from weft.offline.plans.reading import TableReading, dated, measured
from weft.offline.plans.sketch import SketchColumn
from weft.retrieval.tables.plan import Aggregate, Function, Order

_DAYS_APART = pattern(r"\bhow many days\b|며칠", 2)
_FEWER = pattern(r"\b(?:less|fewer|lower|earlier|smaller)\b|적|낮|작|이른|먼저", 2)

PlanParts = tuple[dict[str, Any], PlanShape]


def difference(reading: TableReading, number: SketchColumn | None) -> PlanParts | None:
    """Return how far two things are apart, or the ends of a column; `number` is what is named."""
    two = reading.two
    ends = {one.descending for one in reading.extremes}
    days = dated(reading, (0, 0)) if _DAYS_APART.search(reading.text) else None
    column = days or number or _of_size(reading)
    if column is None:
        return None
    if ends == {True, False} and two is None:
        spread = [Aggregate(function=Function.SPREAD, column=column.name)]
        return {"aggregates": spread}, PlanShape.FIGURE
    if two is not None:
        return {"columns": [two.column, column.name]}, PlanShape.DIFFERENCE
    return None


def pair(reading: TableReading, number: SketchColumn | None) -> PlanParts | None:
    """Return which of two things that are named has more of something, or less."""
    two = reading.two
    if two is None:
        return None
    said = _said(reading)
    sizes = [one for one in size_words() if said & (one.more | one.less)]
    column = (None if sizes else number) or _of_size(reading)
    if column is None:
        return None
    less = bool(_FEWER.search(reading.text)) or any(said & one.less for one in sizes)
    order = Order(column=column.name, descending=not less)
    shape = PlanShape.MORE if reading.ask is AskedFor.WHETHER else PlanShape.WINNER
    return {"columns": [two.column, column.name], "order_by": [order]}, shape


def _of_size(reading: TableReading) -> SketchColumn | None:
    """Return the column of the size that a question's adjectives are of."""
    said = _said(reading)
    sizes = tuple(one for one in size_words() if said & (one.more | one.less))
    return measured(reading, sizes, near=(0, len(reading.text)))


def _said(reading: TableReading) -> set[str]:
    return {word.text.casefold() for word in reading.words}
