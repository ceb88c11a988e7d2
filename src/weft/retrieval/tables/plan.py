"""A plan over tables: what is kept, joined, grouped, counted, ordered and shown, and in words.

A plan names tables and columns as they are; it is checked against those that the caller may read
and says nothing of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Annotated, ClassVar

from weft.domain.frozen import dataclass
from weft.domain.outside.limits import FORBID, Limit

MOST_LIMIT = 10_000
_MOST_PARTS = 12
Text = Annotated[str, Limit(min_length=1, max_length=300)]
Scalar = bool | int | float | Annotated[str, Limit(max_length=2000)]


class Op(StrEnum):
    """How a cell is compared. Texts are equal without regard to case."""

    IS = "="
    IS_NOT = "!="
    OVER = ">"
    AT_LEAST = ">="
    UNDER = "<"
    AT_MOST = "<="
    BETWEEN = "between"
    AMONG = "in"
    NOT_AMONG = "not in"
    CONTAINS = "contains"
    EMPTY = "is empty"
    FILLED = "is not empty"


class Function(StrEnum):
    """What is worked out of many rows.

    `share` is the percentage of rows that are kept; of a column, that of its sum.
    """

    COUNT = "count"
    DISTINCT = "count_distinct"
    SUM = "sum"
    AVERAGE = "avg"
    MEDIAN = "median"
    LEAST = "min"
    MOST = "max"
    SPREAD = "difference"
    SHARE = "share"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A condition: `value` is one value, two for `between`, several for `in` and `not in`.

    Days are written `2024`, `2024-03` or `2024-03-05`. `than` names a column of the same table that
    is compared with in place of a value.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = FORBID

    column: Text
    op: Op
    value: Scalar | Annotated[list[Scalar], Limit(max_length=100)] | None = None
    than: Annotated[str, Limit(max_length=300)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """Two columns of two tables that must be equal."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = FORBID

    left: Text
    right: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """A function over a column; over none, rows are counted."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = FORBID

    function: Function
    column: Annotated[str, Limit(max_length=300)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What rows are ordered by: a column, or the first aggregate where it is empty."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = FORBID

    column: Annotated[str, Limit(max_length=300)] = ""
    descending: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlan:
    """What is asked of tables. A column is `name`, or `table.name` where several have the name.

    Without `columns`, `group_by` and `aggregates` all columns are shown; with `limit` so many rows,
    and those that are equal to the last. A `share` is of the rows that meet `share_of`: without it
    of all rows.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = FORBID

    tables: Annotated[list[Text], Limit(min_length=1, max_length=4)]
    filters: Annotated[list[Filter], Limit(max_length=_MOST_PARTS)] = field(default_factory=list)
    joins: Annotated[list[Join], Limit(max_length=3)] = field(default_factory=list)
    group_by: Annotated[list[Text], Limit(max_length=4)] = field(default_factory=list)
    aggregates: Annotated[list[Aggregate], Limit(max_length=6)] = field(default_factory=list)
    order_by: Annotated[list[Order], Limit(max_length=4)] = field(default_factory=list)
    limit: Annotated[int, Limit(ge=1, le=MOST_LIMIT)] | None = None
    columns: Annotated[list[Text], Limit(max_length=40)] = field(default_factory=list)
    distinct: bool = False
    share_of: Annotated[list[Filter], Limit(max_length=_MOST_PARTS)] = field(default_factory=list)


_SIGNS = {
    Op.IS: "=",
    Op.IS_NOT: "≠",
    Op.OVER: ">",
    Op.AT_LEAST: "≥",
    Op.UNDER: "<",
    Op.AT_MOST: "≤",
    Op.CONTAINS: "∋",
}
_SHOWN_VALUES = 5


def said(plan: TablePlan, titles: Sequence[str]) -> str:
    """Return a plan in one readable line; `titles` are what its tables are called."""
    told = [" + ".join(titles)]
    told += [condition_said(one) for one in plan.filters]
    if plan.group_by:
        told.append(f"by {', '.join(plan.group_by)}")
    told += [_worked(one) for one in plan.aggregates]
    if plan.share_of:
        told.append(f"of {', '.join(map(condition_said, plan.share_of))}")
    for order in plan.order_by[:1]:
        column = order.column or _worked(plan.aggregates[0]) if plan.aggregates else order.column
        told.append(f"{'↓' if order.descending else '↑'} {column}")
    if plan.limit:
        told.append(f"first {plan.limit}")
    if plan.columns and not plan.aggregates:
        told.append(f"→ {', '.join(plan.columns)}")
    return " · ".join(told)


def condition_said(one: Filter) -> str:
    """Return a condition in a few readable signs."""
    if one.op in (Op.EMPTY, Op.FILLED):
        return f"{one.column} {one.op.value}"
    if one.than:
        return f"{one.column} {_SIGNS[one.op]} {one.than}"
    values = one.value if isinstance(one.value, list) else [one.value]
    texts = [_value(value) for value in values[:_SHOWN_VALUES]]
    if len(values) > _SHOWN_VALUES:
        texts.append("…")
    if one.op is Op.BETWEEN:
        return f"{one.column} {texts[0]}–{texts[-1]}"
    if one.op in (Op.AMONG, Op.NOT_AMONG):
        sign = "∈" if one.op is Op.AMONG else "∉"
        return f"{one.column} {sign} {{{', '.join(texts)}}}"
    return f"{one.column} {_SIGNS[one.op]} {texts[0]}"


def _worked(one: Aggregate) -> str:
    return f"{one.function.value}({one.column})"


def _value(value: Scalar | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
