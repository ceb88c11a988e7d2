"""Which rows a condition of a plan keeps: bounds and ranks, checked, for any engine."""

from __future__ import annotations

from collections.abc import Sequence

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.retrieval.tables.cells import day, quantity, truth, worth_of
from weft.retrieval.tables.coding import CodedColumn, key_of
from weft.retrieval.tables.plan import Filter, Op, Scalar
from weft.retrieval.tables.table import ColumnKind, TableColumn

_COMPARED = (Op.OVER, Op.AT_LEAST, Op.UNDER, Op.AT_MOST)
_YEAR, _MONTH = 10_000, 100
_LAST_MONTH, _LAST_DAY = 1231, 31


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRange:
    """Values from `low` to `high`, each with its end or without; None is without a bound."""

    low: float | None = None
    high: float | None = None
    with_low: bool = True
    with_high: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptValues:
    """What values a condition keeps: any of some ranges, or of ranks of texts; else all but these.

    `filled` tells instead whether there is to be a value. Without a value a row is never kept.
    """

    ranges: tuple[ValueRange, ...] = ()
    ranks: tuple[int, ...] | None = None
    negated: bool = False
    filled: bool | None = None


_BESIDE = (Op.IS, Op.IS_NOT, *_COMPARED)
_MEASURED = (ColumnKind.NUMBER, ColumnKind.DATE)


def comparison(one: Filter, column: TableColumn, *, other: TableColumn) -> Op:
    """Return how two columns of a row are compared, or raise `BadInput` where they cannot be."""
    if one.value is not None:
        raise BadInput(f"'{one.column}' is compared with a value or with '{one.than}', not both.")
    if one.op not in _BESIDE:
        raise BadInput(f"'{one.op.value}' does not compare '{one.column}' with another column.")
    if column.kind is not other.kind or column.kind not in _MEASURED:
        raise BadInput(f"'{one.column}' and '{one.than}' are not both numbers, nor both days.")
    if column.unit and other.unit and column.unit != other.unit:
        raise BadInput(f"'{one.column}' is in {column.unit}, '{one.than}' in {other.unit}.")
    return one.op


def kept_values(one: Filter, coded: CodedColumn) -> KeptValues:
    """Return what a condition keeps of its column, or raise `BadInput` where it cannot hold."""
    if one.op in (Op.EMPTY, Op.FILLED):
        # What stands there and is not of the column's kind is not nothing.
        return KeptValues(filled=one.op is Op.FILLED)
    values = one.value if isinstance(one.value, list) else [one.value]
    given = [value for value in values if value is not None]
    wanted = 2 if one.op is Op.BETWEEN else 1
    if len(given) < wanted or (len(given) > wanted and one.op not in (Op.AMONG, Op.NOT_AMONG)):
        raise BadInput(f"'{one.op.value}' of '{one.column}' does not take {len(given)} values.")
    match coded.column.kind:
        case ColumnKind.NUMBER:
            figures = [_number(value, one, column=coded.column) for value in given]
            return _ranged(one, [(figure, figure) for figure in figures])
        case ColumnKind.DATE:
            return _ranged(one, [_days(value, one) for value in given])
        case ColumnKind.TRUTH:
            truths = [_truth(value, one) for value in given]
            return _ranged(one, [(value, value) for value in truths])
        case _:
            return _worded(coded, one, [str(value) for value in given])


def _ranged(one: Filter, bounds: Sequence[tuple[float, float]]) -> KeptValues:
    """Return ranges of values that may be compared; a month is from its first day on."""
    low, high = bounds[0]
    if one.op in _COMPARED:
        compared = {
            Op.OVER: ValueRange(low=high, with_low=False),
            Op.AT_LEAST: ValueRange(low=low),
            Op.UNDER: ValueRange(high=low, with_high=False),
            Op.AT_MOST: ValueRange(high=high),
        }
        return KeptValues(ranges=(compared[one.op],))
    if one.op is Op.BETWEEN:
        return KeptValues(ranges=(ValueRange(low=low, high=bounds[1][1]),))
    if one.op is Op.CONTAINS:
        raise BadInput(f"'{one.column}' has no text that could contain something.")
    return KeptValues(
        ranges=tuple(ValueRange(low=low, high=high) for low, high in bounds),
        negated=one.op in (Op.IS_NOT, Op.NOT_AMONG),
    )


def _worded(column: CodedColumn, one: Filter, values: Sequence[str]) -> KeptValues:
    keys = {key_of(value) for value in values}
    if one.op in _COMPARED or one.op is Op.BETWEEN:
        raise BadInput(f"'{one.column}' has words, which are neither more nor less.")
    if one.op is Op.CONTAINS:
        part = next(iter(keys))
        ranks = column.ranks(lambda key: part in key)
    else:
        ranks = column.ranks(keys.__contains__)
    return KeptValues(ranks=tuple(ranks), negated=one.op in (Op.IS_NOT, Op.NOT_AMONG))


def _number(value: Scalar, one: Filter, *, column: TableColumn) -> float:
    if isinstance(value, bool):
        raise BadInput(f"'{one.column}' has numbers; '{value}' is none.")
    if isinstance(value, int | float):
        return float(value) * column.scale
    found = quantity(value)
    if found is None:
        raise BadInput(f"'{one.column}' has numbers; '{value[:100]}' is none.")
    worth = worth_of(found.unit or column.unit, other=column.unit or found.unit)
    if worth is None:
        raise BadInput(f"'{one.column}' is in {column.unit}, not in {found.unit}.")
    is_bare = not found.unit and found.scale == 1
    return found.value * column.scale if is_bare else found.value * worth


def _days(value: Scalar, one: Filter) -> tuple[float, float]:
    text = str(value).strip()
    found = int(text) * _YEAR if text.isdecimal() and len(text) == 4 else day(text)
    if found is None:
        raise BadInput(f"'{one.column}' has dates; '{text[:100]}' is none.")
    if found % _YEAR == 0:
        return found, found + _LAST_MONTH
    return (found, found + _LAST_DAY) if found % _MONTH == 0 else (found, found)


def _truth(value: Scalar, one: Filter) -> float:
    found = value if isinstance(value, bool) else truth(str(value))
    if found is None:
        raise BadInput(f"'{one.column}' says yes or no; '{str(value)[:100]}' is neither.")
    return float(found)
