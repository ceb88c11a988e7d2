"""Counts and lists over the rows of tables."""

from __future__ import annotations

from collections.abc import Sequence

from weft.offline.tables.binding import Bound
from weft.offline.tables.comparing import measure
from weft.offline.tables.findings import WHO, Finding, finding, head_of, is_meant, is_whole
from weft.offline.tables.records import Table, TableRecord, amount, items_of
from weft.offline.tables.spots import Spot, Use

_KINDS = (Use.TABLE, Use.PERSON, Use.FIELD)


def count(bound: Bound) -> Finding | None:
    """Return how many records meet the conditions, or the figure that one has in a field."""
    account, table = bound.account, bound.account.table
    wanted = [spot for spot in bound.asked if spot.fields != (table.key_field,)]
    if len(wanted) == 1:
        return _count_field(bound, wanted[0])
    if wanted or bound.by_name or not is_whole(bound):
        return None
    head = head_of(account)
    if head is None or not is_meant(bound):
        return None
    if not bound.conditions and not account.of(Use.TABLE):
        return None
    return finding(bound, _each(table, bound.rows), rows=bound.rows, is_count=True)


def list_all(text: str, bound: Bound) -> Finding | None:
    """Return what the records that meet the conditions are called, or what one field says."""
    table = bound.account.table
    wanted = [spot for spot in bound.asked if spot.fields != (table.key_field,)]
    if len(wanted) == 1 and len(wanted[0].fields) == 1:
        return _list_field(text, bound, wanted[0])
    if wanted or bound.by_name or not is_whole(bound):
        return None
    head = head_of(bound.account)
    if head is None or not (bound.conditions or head.use in _KINDS):
        return None
    if head.use is Use.PERSON and not (table.is_personal or table.announced):
        return None
    # "What does X do?" names a value, and asks for nothing that the rows have.
    if head.use not in _KINDS and not (head.use is Use.VALUE and WHO.search(text)):
        return None
    return finding(bound, [table.display(row) for row in bound.rows], rows=bound.rows)


def _count_field(bound: Bound, spot: Spot) -> Finding | None:
    """Return the figure that one record has in a field, or how many different values there are."""
    account = bound.account
    if spot is not head_of(account) or len(spot.fields) != 1:
        return None
    name, rows = spot.fields[0], bound.rows
    values = [row.value(name) for row in rows]
    if all(amount(value) for value in values):
        alone = len(rows) == 1 and bool(bound.conditions)
        return finding(bound, (values[0],), rows=rows, names=(name,)) if alone else None
    if not account.of(Use.TABLE) or bound.by_name or not is_whole(bound):
        return None
    return finding(bound, _items(values), rows=rows, names=(name,), is_count=True)


def _list_field(text: str, bound: Bound, spot: Spot) -> Finding | None:
    """Return what the records say in one field: the value of one, or the different ones of all."""
    account = bound.account
    if spot is not head_of(account) and not WHO.search(text):
        return None
    values = [value for row in bound.rows if (value := row.value(spot.fields[0]))]
    if len(bound.rows) == 1 and bound.conditions:
        return finding(bound, values, rows=bound.rows, names=spot.fields) if values else None
    if not account.of(Use.TABLE) or bound.by_name or not is_whole(bound):
        return None
    if not values or any(measure(value) for value in values):
        return None
    return finding(bound, _items(values), rows=bound.rows, names=spot.fields)


def _each(table: Table, rows: Sequence[TableRecord]) -> tuple[str, ...]:
    """Return what the records are called, namesakes told apart."""
    seen: dict[str, int] = {}
    found: list[str] = []
    for row in rows:
        name = table.display(row)
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return tuple(found)


def _items(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for value in values for item in items_of(value) if item))
