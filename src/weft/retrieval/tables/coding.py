"""A column as the engine has it: numbers, days and truths as they are, texts as ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.domain.frozen import dataclass
from weft.language.terms import fold
from weft.retrieval.tables.cells import is_empty
from weft.retrieval.tables.table import ColumnKind, TableColumn, TypedValue

_WORDED = (ColumnKind.CATEGORY, ColumnKind.TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedColumn:
    """A column's values as they are compared; of a worded column ranks into `keys`.

    `keys` are the different texts, folded, in their order; `spelt` is how each is first written;
    `texts` are the cells.
    """

    column: TableColumn
    values: Sequence[TypedValue]
    texts: Sequence[str]
    keys: Sequence[str] = ()
    spelt: Sequence[str] = ()

    @property
    def is_worded(self) -> bool:
        """Tell whether its values are ranks of texts."""
        return self.column.kind in _WORDED

    def ranks(self, fits: Callable[[str], bool]) -> list[int]:
        """Return the ranks of the texts that fit."""
        return [rank for rank, key in enumerate(self.keys) if fits(key)]


def key_of(text: str) -> str:
    """Return a text as it is compared: folded, with single spaces."""
    return " ".join(fold(text).split())


def coded(texts: Sequence[str], column: TableColumn) -> CodedColumn:
    """Return a column for the engine; an empty cell has no value."""
    if column.kind not in _WORDED:
        return CodedColumn(column=column, values=column.values, texts=texts)
    spelt: dict[str, str] = {}
    keys: list[str | None] = []
    known: dict[str, str] = {}
    for text in texts:
        key = known.get(text)
        if key is None:
            key = known[text] = key_of(text)
        if is_empty(text):
            keys.append(None)
        else:
            spelt.setdefault(key, text)
            keys.append(key)
    order = sorted(spelt)
    ranks = {key: rank for rank, key in enumerate(order)}
    return CodedColumn(
        column=column,
        values=[None if key is None else ranks[key] for key in keys],
        texts=texts,
        keys=order,
        spelt=[spelt[key] for key in order],
    )
