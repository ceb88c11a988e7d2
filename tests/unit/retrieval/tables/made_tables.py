"""Tables made of plain rows, for tests."""

from __future__ import annotations

from collections.abc import Sequence

from weft.domain.ids import ChunkId, DocumentId
from weft.retrieval.tables.table import RowPlace, TableRow, TypedTable, typed_columns


def table_of(name: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> TypedTable:
    """Return a table whose rows stand in passages of their own."""
    made = tuple(
        TableRow(
            cells=tuple(map(str, row)),
            place=RowPlace(
                document_id=DocumentId(f"record:{name}#{number}"),
                chunk_id=ChunkId(f"{name}-{number}"),
                start=0,
                end=1,
            ),
        )
        for number, row in enumerate(rows)
    )
    return TypedTable(
        knowledge_base="base",
        name=name,
        title=name,
        around="",
        columns=typed_columns(columns, made),
        rows=made,
    )
