"""Columns that name rows of another table: their cells are the other's key."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from weft.domain.frozen import dataclass
from weft.retrieval.tables.cells import is_empty
from weft.retrieval.tables.coding import key_of
from weft.retrieval.tables.table import ColumnKind, TableColumn, TypedTable

_FEWEST = 2
_MOST = 20_000
_FIRST = 20
_WORDED = (ColumnKind.CATEGORY, ColumnKind.TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReference:
    """A column of a table, and the table and the column of it in whose cells its own all stand."""

    column: str
    table: str
    key: str


class References:
    """Finds what tables refer to; what it read of a table goes with it."""

    def __init__(self) -> None:
        """Begin with no table read."""
        self._read: WeakKeyDictionary[TypedTable, dict[int, frozenset[str]]] = WeakKeyDictionary()

    def of(self, table: TypedTable, others: Sequence[TypedTable]) -> list[TableReference]:
        """Return what the columns of a table refer to among others of its knowledge base.

        The other's column has each of its words once.
        """
        named = [at for at, one in enumerate(table.columns) if _is_worded(one)]
        return [
            TableReference(
                column=table.columns[at].name, table=other.name, key=other.columns[to].name
            )
            for other in others
            if other.knowledge_base == table.knowledge_base
            if table.rows_of != other.rows_of
            for to in _keys(other)
            for at in named
            if self._is_within(table, at, other=other, to=to)
        ]

    def _is_within(self, table: TypedTable, at: int, *, other: TypedTable, to: int) -> bool:
        """Tell whether all cells of a column stand in another; the first are looked at first."""
        keys = self._values(other, to)
        first = [row.cells[at] for row in table.rows[:_FIRST]]
        if not all(is_empty(text) or key_of(text) in keys for text in first):
            return False
        return self._values(table, at) <= keys

    def _values(self, table: TypedTable, at: int) -> frozenset[str]:
        held = self._read.setdefault(table, {})
        if at not in held:
            texts = {row.cells[at] for row in table.rows}
            held[at] = frozenset(key_of(text) for text in texts if not is_empty(text))
        return held[at]


def _keys(table: TypedTable) -> list[int]:
    """Return the columns of words in which each row has another."""
    rows = len(table.rows)
    return [at for at, one in enumerate(table.columns) if _is_worded(one) and one.distinct == rows]


def _is_worded(column: TableColumn) -> bool:
    return column.kind in _WORDED and _FEWEST <= column.distinct <= _MOST
