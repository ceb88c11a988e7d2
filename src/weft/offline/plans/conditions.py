"""Conditions that a question says in figures and days, and a change between two days."""

from __future__ import annotations

from weft.language.patterns import pattern
from weft.offline.plans.asking import AskedFor, change, measures
from weft.offline.plans.comparing import CellComparison, compared
from weft.offline.plans.reading import TableReading, dated, measured
from weft.offline.plans.sketch import SketchColumn
from weft.retrieval.tables.cells import quantity
from weft.retrieval.tables.plan import Filter, Op, Scalar
from weft.retrieval.tables.table import ColumnKind

_TWO = 2
_YEAR = pattern(r"\d{4}")
_DIGITS = pattern(r"[-+]?\d[\d,.]*\d|[-+]?\d")


def take_compared(reading: TableReading) -> None:
    """Take the comparisons with figures and days as conditions on their columns."""
    for one in compared(reading.text, reading.sketch.as_of):
        place = (one.start, one.end)
        if not one.low:
            reading.fails = True  # which day that is cannot be told
            continue
        column = dated(reading, place) if one.is_day else None
        if column is not None:
            _filter_days(reading, column, one)
        elif not one.is_day or (one.op is Op.AT_MOST and not _has_days(reading)):
            # A year may be a plain number: "up to 2000 seats" reads as a day as well.
            _filter_figures(reading, one, needed=not one.is_day)
        elif one.op is not Op.IS:
            reading.fails = True  # of which day it is said cannot be told


def _has_days(reading: TableReading) -> bool:
    return any(one.kind is ColumnKind.DATE for one in reading.sketch.columns.values())


def _filter_figures(reading: TableReading, one: CellComparison, *, needed: bool) -> None:
    place, found = (one.start, one.end), one.quantity
    unit = found.unit if found is not None else ""
    sizes = one.measures or tuple(size for size in measures() if unit and unit in size.units)
    down = one.op in (Op.UNDER, Op.AT_MOST)
    column = measured(reading, sizes, near=place, unit=unit, less=down if sizes else None)
    if column is None or column.kind is not ColumnKind.NUMBER or found is None:
        reading.fails = reading.fails or needed
        return
    if one.op is not Op.BETWEEN:
        _add(reading, column, one.op, _bare(one.low, unit, column=column), place)
        return
    high = quantity(one.high)
    if high is None:
        reading.fails = True
    else:
        _add(reading, column, Op.BETWEEN, [one.low, one.high], place)


def _bare(figure: str, unit: str, *, column: SketchColumn) -> str:
    """Return a figure without its unit where the column's numbers have none."""
    digits = _DIGITS.match(figure)
    return digits.group() if unit and not column.unit and digits else figure


def _filter_days(reading: TableReading, column: SketchColumn, one: CellComparison) -> None:
    texts = [text for text in (one.low, one.high) if text]
    given: list[Scalar] = list(texts)
    if column.is_year:
        # A month of a year is less than what such a column tells.
        years = [match for text in texts if (match := _YEAR.fullmatch(text))]
        if len(years) != len(texts):
            reading.fails = True
            return
        given = [float(match.group()) for match in years]
    value = given if one.op is Op.BETWEEN else given[0]
    _add(reading, column, one.op, value, (one.start, one.end))


def _add(
    reading: TableReading,
    column: SketchColumn,
    op: Op,
    value: Scalar | list[Scalar],
    place: tuple[int, int],
) -> None:
    reading.filters.append(Filter(column=column.name, op=op, value=value))
    reading.take(*place)


def take_change(reading: TableReading) -> None:
    """Take "how much did it fall from … to …" as the difference between two days."""
    turn = change(reading.text)
    if turn is None or reading.ask not in (AskedFor.CELLS, AskedFor.DIFFERENCE):
        return
    days = [
        one
        for one in reading.filters
        if reading.sketch.column(one.column).kind is ColumnKind.DATE
        or reading.sketch.column(one.column).is_year
    ]
    ends = [
        value
        for one in days
        if one.op in (Op.IS, Op.BETWEEN)
        for value in (one.value if isinstance(one.value, list) else [one.value])
        if value is not None
    ]
    if len({one.column for one in days}) != 1 or len(ends) != _TWO:
        return
    ends.sort(key=str if isinstance(ends[0], str) else float)
    among = Filter(column=days[0].column, op=Op.AMONG, value=ends)
    reading.filters = [one for one in reading.filters if one not in days] + [among]
    reading.ask, reading.rises = AskedFor.DIFFERENCE, turn.rises
    reading.take(turn.start, turn.end)
